//! The site: the hills of a server, and its limits.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use maud::Markup;
use parking_lot::Mutex;
use referee_games::catalog;
use referee_judge as judge;
use referee_notary::Tiles;
use referee_record::error::Error;
use referee_record::names;
use referee_record::text;
use referee_table::clock::Clock;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::hook::Hook;
use crate::inbox::Inbox;
use crate::index::Followed;
use crate::kept::Shelf;
use crate::looked::Looked;
use crate::options::Options;
use crate::refusal::Refusal;
use crate::session::Sessions;
use crate::throttle::Throttle;

/// Maximum number of open event streams.
pub(crate) const STREAMS_MAX: usize = 2048;

/// Maximum number of jobs that read files at the same time.
const JOBS_MAX: usize = 4;

/// Maximum number of programs that are received at the same time.
const UPLOADS_MAX: usize = 8;

/// How long a request waits for its turn at one of these limits.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The state of a server.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) hills: BTreeMap<String, Arc<Served>>,
    pub(crate) options: Options,
    /// The program `referee`, which plays checks and rounds.
    pub(crate) referee: PathBuf,
    pub(crate) throttle: Throttle,
    /// Number of connections of each address.
    pub(crate) connections: Mutex<BTreeMap<IpAddr, usize>>,
    pub(crate) sessions: Sessions,
    pub(crate) looked: Looked,
    pub(crate) shelf: Shelf,
    pub(crate) clock: Clock,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) uploads: Arc<Semaphore>,
    jobs: Semaphore,
    /// Prints a message for the host.
    pub(crate) say: fn(&str),
    /// Becomes true when the server stops.
    pub(crate) stop: watch::Sender<bool>,
}

/// A hill that is served.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) name: String,
    pub(crate) root: PathBuf,
    pub(crate) game: &'static str,
    pub(crate) about: String,
    pub(crate) parameters: String,
    /// Whether a game is shown while it is played.
    pub(crate) is_live: bool,
    /// The state of the rounds that this server starts, as a sentence; empty if it starts none.
    pub(crate) rounds: watch::Sender<String>,
    pub(crate) hook: Hook,
    /// Maximum size of a program, in bytes.
    pub(crate) upload_max: usize,
    /// The rules and the protocol as pages, after the first request for them.
    pub(crate) book: OnceLock<Vec<Markup>>,
    pub(crate) followed: Followed,
    pub(crate) tiles: Mutex<Tiles>,
    pub(crate) inbox: Inbox,
}

impl Site {
    /// Opens all hills.
    pub(crate) fn open(options: Options, say: fn(&str)) -> Result<Arc<Site>, Error> {
        let referee = match &options.referee {
            Some(referee) => referee.clone(),
            None => std::env::current_exe()
                .map_err(Error::system(Path::new("/proc/self/exe"), "find the program referee"))?
                .with_file_name("referee"),
        };
        if !referee.is_file() {
            return Err(Error::file(
                &referee,
                "missing: install the program referee in the folder of referee-serve",
            ));
        }
        judge::start_by(&referee);
        catalog::find_by(kept_judge);
        let mut hills = BTreeMap::new();
        for root in &options.hills {
            let served = Served::open(root, &options)?;
            if let Some(other) = hills.insert(served.name.clone(), Arc::new(served)) {
                let what =
                    format!("the folder {} has the same name: rename one of them", other.root.display());
                return Err(Error::file(root, what));
            }
        }
        Ok(Arc::new(Site {
            hills,
            options,
            referee,
            throttle: Throttle::default(),
            connections: Mutex::default(),
            sessions: Sessions::default(),
            looked: Looked::default(),
            shelf: Shelf::default(),
            clock: Clock::start(),
            streams: Arc::new(Semaphore::new(STREAMS_MAX)),
            uploads: Arc::new(Semaphore::new(UPLOADS_MAX)),
            jobs: Semaphore::new(JOBS_MAX),
            say,
            stop: watch::Sender::new(false),
        }))
    }

    /// Returns a permit for an event stream.
    pub(crate) fn stream(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        Arc::clone(&self.streams).try_acquire_owned().map_err(|_| Refusal::busy())
    }

    /// Runs a job that reads files in a thread, when its turn comes.
    ///
    /// # Errors
    ///
    /// Those of the job; or if there are too many jobs.
    pub(crate) async fn work<T, E>(
        &self,
        job: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> Result<T, Refusal>
    where
        T: Send + 'static,
        E: Into<Refusal> + Send + 'static,
    {
        let turn = tokio::time::timeout(PATIENCE, self.jobs.acquire()).await;
        let _turn = turn.ok().and_then(Result::ok).ok_or_else(Refusal::busy)?;
        tokio::task::spawn_blocking(job).await.map_err(|_| Refusal::busy())?.map_err(Into::into)
    }
}

impl Served {
    fn open(root: &Path, options: &Options) -> Result<Served, Error> {
        let root = root.canonicalize().map_err(Error::system(root, "find the hill"))?;
        let (hill, followed) = Followed::open(&root)?;
        let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        names::check_id(&name).map_err(|_| {
            Error::file(
                &root,
                "the folder's name becomes an address: rename it, with letters, digits, _, - and . alone",
            )
        })?;
        Ok(Served {
            game: hill.entry().name,
            about: hill.entry().about.to_owned(),
            parameters: hill.parameters().to_string(),
            is_live: hill.settings().live,
            rounds: watch::Sender::default(),
            hook: Hook::open(&root)?,
            upload_max: (options.upload_mib.min(hill.program_mib()) << 20) as usize,
            inbox: Inbox::open(&root, options.export.is_none())?,
            book: OnceLock::new(),
            tiles: Mutex::new(Tiles::of(&root)),
            name,
            root,
            followed,
        })
    }

    /// Returns a text with the hill's name instead of its path. The path is for the host alone.
    pub(crate) fn without_path(&self, text: &str) -> String {
        text::visible(&text.replace(&*self.root.to_string_lossy(), &self.name)).into_owned()
    }
}

/// Finds a judge that is in the folder of a hill, given on the command line.
fn kept_judge(name: &str) -> Option<Result<catalog::Entry, String>> {
    if !judge::is_name(name) {
        return None;
    }
    let folders = std::env::args_os().skip(1).map(PathBuf::from).filter(|folder| folder.is_dir());
    let found = folders.into_iter().find_map(|folder| judge::open_kept(&folder, name));
    found.map(|entry| entry.map_err(|error| error.to_string()))
}
