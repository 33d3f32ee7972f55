//! The site: the hills and tournaments of a server, and its limits.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::response::Html;
use parking_lot::Mutex;
use referee_contest::hill::HillSettings;
use referee_contest::opened::Opened;
use referee_contest::settings::interpreters_in;
use referee_files::beneath::Spot;
use referee_games::catalog;
use referee_judge::{self as judge, Host};
use referee_notary::ServedTree;
use referee_record::error::Error;
use referee_record::names;
use referee_record::results::Scheduled;
use referee_record::text::{self, SENTENCE, harmless};
use referee_report::pages::show::games::GameSummary;
use referee_report::pages::show::tournament;
use referee_rules::Parameters;
use referee_rules::entry::Entry;
use referee_sandbox::Interpreters;
use referee_table::clock::{Clock, Moment};
use referee_table::process::Setup;
use tokio::sync::{OnceCell, watch};

use crate::answer_cache::{Shelf, Starters};
use crate::connections::Connections;
use crate::hook::Hook;
use crate::host_control::HostControl;
use crate::inbox::Inbox;
use crate::options::Options;
use crate::pool::Pool;
use crate::session::Sessions;
use crate::snapshot::Followed;
use crate::throttle::Throttle;
use crate::tokens::Tokens;
use crate::watched::WatchedGames;

/// Maximum number of jobs that read files for pages at the same time, and of those of one visitor. Likewise of jobs
/// that take submissions. Each uses a thread.
pub(crate) const JOBS_MAX: usize = 4;
const JOBS_OF_ONE: usize = 2;

/// Maximum number of jobs that read the whole log of a game, which can be long, and of those of one visitor.
pub(crate) const REPLAYS_MAX: usize = 4;
const REPLAYS_OF_ONE: usize = 1;

/// Maximum number of programs that are received at the same time. An account can send only one at a time.
const UPLOADS_MAX: usize = 128;

/// Maximum number of files that are sent at the same time, and to one visitor. Each uses a descriptor.
pub(crate) const FILES_MAX: usize = 256;
const FILES_OF_ONE: usize = 16;

/// Maximum number of archives that are sent at the same time, and to one visitor. Each uses a thread.
pub(crate) const ARCHIVES_MAX: usize = 8;
const ARCHIVES_OF_ONE: usize = 2;

/// Maximum number of open event streams, and of those of one visitor.
const STREAMS_MAX: usize = 4096;
const STREAMS_OF_ONE: usize = 512;

/// Pause between two messages about requests that failed.
const PAUSE_OF_TROUBLE: Duration = Duration::from_secs(10);

/// Pause between two messages about the same trouble.
const PAUSE_OF_SAME: Duration = Duration::from_secs(60 * 60);

/// The visitor for whom this server itself works.
pub(crate) const SERVER: &str = "";

/// The state of a server.
#[derive(Debug)]
pub(crate) struct Site {
    /// The hills and tournaments, by their names.
    pub(crate) contests: BTreeMap<String, Arc<Served>>,
    pub(crate) options: Options,
    /// The program `referee`, which plays checks and rounds.
    pub(crate) referee: PathBuf,
    pub(crate) throttle: Throttle,
    pub(crate) connections: Arc<Connections>,
    pub(crate) sessions: Sessions,
    pub(crate) watched: WatchedGames,
    pub(crate) shelf: Shelf,
    pub(crate) clock: Clock,
    pub(crate) streams: Arc<Pool>,
    pub(crate) uploads: Arc<Pool>,
    pub(crate) files: Arc<Pool>,
    pub(crate) archives: Arc<Pool>,
    /// Jobs that compute proofs. They wait for each other, and so have places of their own.
    pub(crate) proofs: Arc<Pool>,
    /// Short jobs that read files for pages.
    pub(crate) reads: Arc<Pool>,
    /// Jobs that read the whole log of a game, for replays and pictures.
    pub(crate) replays: Arc<Pool>,
    /// Jobs that take submissions. They have places of their own, which readers of pages cannot hold.
    pub(crate) takes: Arc<Pool>,
    pub(crate) starters: Starters,
    /// Prints a message for the host.
    pub(crate) say: fn(&str),
    /// The last trouble that the host was told of, and when.
    last_trouble: Mutex<Option<(String, Moment)>>,
    /// Becomes true when the server stops.
    pub(crate) stop: watch::Sender<bool>,
}

/// The state of the rounds that a server starts, in sentences; empty if it starts none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rounds {
    /// For everybody.
    pub(crate) sentence: String,
    /// For the host alone: what failed on this machine.
    pub(crate) reason: String,
}

/// A hill or a tournament that is served.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) name: String,
    pub(crate) root: PathBuf,
    pub(crate) game: &'static str,
    pub(crate) about: String,
    pub(crate) entry: Entry,
    /// The parameters of a hill, or of each sub-tournament.
    sets: Vec<Parameters>,
    /// The host's title of the contest; empty if there is none.
    pub(crate) title: String,
    /// The host's text about the contest; empty if there is none.
    pub(crate) text: String,
    pub(crate) parameters: String,
    /// The address of the server, by which chats find pictures; empty if the host has named none.
    pub(crate) address: String,
    /// Whether a game is shown while it is played.
    pub(crate) is_live: bool,
    /// Whether it is a hill. At a tournament nobody submits a bot or signs in, and there is no host's page.
    pub(crate) is_hill: bool,
    /// The state of the rounds that this server starts.
    pub(crate) rounds: watch::Sender<Rounds>,
    pub(crate) hook: Hook,
    /// Maximum size of a program, in bytes.
    pub(crate) upload_max: usize,
    /// The page of the rules and the protocol, after the first request for it.
    pub(crate) rules: OnceCell<Html<String>>,
    pub(crate) followed: Followed,
    pub(crate) tree: Mutex<ServedTree>,
    pub(crate) tokens: Tokens,
    pub(crate) inbox: Inbox,
    pub(crate) host_control: Arc<HostControl>,
}

impl Site {
    /// Opens all hills and tournaments.
    pub(crate) fn open(options: Options, say: fn(&str)) -> Result<Arc<Site>, Error> {
        let referee = referee_of(&options)?;
        if !referee.is_file() {
            return Err(Error::file(
                &referee,
                "missing: install the program referee in the folder of referee-serve",
            ));
        }
        let (program, folders) = (referee.clone(), options.folders.clone());
        catalog::find_by(Box::new(move |name| find_judge(name, &program, &folders)));
        let contests = open_all(&options)?;
        if options.run.is_some() && contests.values().all(|served| !served.is_hill) {
            let what =
                "--run plays rounds of hills, and there is none: `referee tournament run` plays a tournament";
            return Err(Error::input(what.to_owned()));
        }
        Ok(Arc::new(Site {
            contests,
            options,
            referee,
            throttle: Throttle::default(),
            connections: Arc::default(),
            sessions: Sessions::default(),
            watched: WatchedGames::default(),
            shelf: Shelf::default(),
            clock: Clock::start(),
            streams: Pool::new(STREAMS_MAX, STREAMS_OF_ONE),
            uploads: Pool::new(UPLOADS_MAX, 1),
            files: Pool::new(FILES_MAX, FILES_OF_ONE),
            archives: Pool::new(ARCHIVES_MAX, ARCHIVES_OF_ONE),
            proofs: Pool::new(JOBS_MAX / 2, 1),
            reads: Pool::new(JOBS_MAX, JOBS_OF_ONE),
            replays: Pool::new(REPLAYS_MAX, REPLAYS_OF_ONE),
            takes: Pool::new(JOBS_MAX, JOBS_OF_ONE),
            starters: Starters::default(),
            say,
            last_trouble: Mutex::default(),
            stop: watch::Sender::new(false),
        }))
    }

    /// Tells the host why a request failed, with pauses: requests can be many.
    pub(crate) fn say_trouble(&self, trouble: &str) {
        let (trouble, now) = (harmless(trouble, SENTENCE), self.clock.now());
        let mut last = self.last_trouble.lock();
        let pause = |text: &str| if text == trouble { PAUSE_OF_SAME } else { PAUSE_OF_TROUBLE };
        if last.as_ref().is_some_and(|(text, at)| now - *at < pause(text)) {
            return;
        }
        (self.say)(&format!("A request failed: {trouble}"));
        *last = Some((trouble, now));
    }

    /// Tells whether an address is that of the named proxy.
    pub(crate) fn is_proxy(&self, address: IpAddr) -> bool {
        self.options.proxy.is_some_and(|proxy| proxy.to_canonical() == address)
    }
}

/// Returns the program `referee`: the one that is named, or the one beside this program.
fn referee_of(options: &Options) -> Result<PathBuf, Error> {
    match &options.referee {
        Some(referee) => Ok(referee.clone()),
        None => {
            let own = std::env::current_exe();
            let own = own.map_err(Error::system(Path::new("/proc/self/exe"), "find the program referee"))?;
            let name = own.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok(own.with_file_name(name.strip_suffix("-serve").unwrap_or("referee")))
        }
    }
}

/// Opens the hills and tournaments, by their names.
fn open_all(options: &Options) -> Result<BTreeMap<String, Arc<Served>>, Error> {
    let mut contests: BTreeMap<String, Arc<Served>> = BTreeMap::new();
    for root in &options.folders {
        let served = Served::open(root, options)?;
        // A report may be copied to a system on which names of files that differ only in case are the same.
        let same = contests.values().find(|other| other.name.to_lowercase() == served.name.to_lowercase());
        if let Some(other) = same {
            let what = format!(
                "the folder {} has the same name, but for case at most: rename one of them",
                other.root.display()
            );
            return Err(Error::file(root, what));
        }
        contests.insert(served.name.clone(), Arc::new(served));
    }
    Ok(contests)
}

impl Served {
    fn open(root: &Path, options: &Options) -> Result<Served, Error> {
        let root = root.canonicalize().map_err(Error::system(root, "find the folder"))?;
        let opened = Opened::open(&root)?;
        let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        names::check_id(&name).map_err(|_| {
            Error::file(
                &root,
                "the folder's name becomes an address: rename it, with letters, digits, _, - and . alone",
            )
        })?;
        let host_control = Arc::new(HostControl::open(&root, options)?);
        let (entry, sets, title, text, is_live, program_mib) = match &opened {
            Opened::Hill(hill) => {
                let HillSettings { title, text, live, contest, .. } = hill.settings();
                (*hill.entry(), vec![hill.parameters().clone()], title, &**text, *live, contest.program_mib.0)
            }
            Opened::Tournament(_) if options.private => {
                return Err(Error::file(&root, "a tournament has no accounts: leave --private out"));
            }
            Opened::Tournament(plan) => (*plan.entry, plan.sets.to_vec(), &plan.contents.name, "", false, 0),
        };
        let is_hill = matches!(opened, Opened::Hill(_));
        Ok(Served {
            game: entry.name,
            about: entry.about.to_owned(),
            parameters: tournament::parameters_of(&sets),
            entry,
            sets,
            title: title.clone(),
            text: text.to_owned(),
            address: options.address.clone().unwrap_or_default(),
            is_live,
            is_hill,
            rounds: watch::Sender::default(),
            hook: Hook::open(&root)?,
            upload_max: (options.upload_mib.min(program_mib) << 20) as usize,
            inbox: Inbox::open(&root, is_hill, Arc::clone(&host_control))?,
            host_control,
            rules: OnceCell::new(),
            followed: Followed::default(),
            tree: Mutex::new(ServedTree::new(&root)),
            tokens: Tokens::new(&root),
            name,
            root,
        })
    }

    /// Returns the word for it in commands: `referee hill`, `referee tournament`.
    pub(crate) fn kind(&self) -> &'static str {
        if self.is_hill { "hill" } else { "tournament" }
    }

    /// Returns the title of the contest; without one, the name of its folder.
    pub(crate) fn title_or_name(&self) -> &str {
        if self.title.is_empty() { &self.name } else { &self.title }
    }

    /// Tells whether the navigation has a link to this page. The page `live` exists in any case: it says why no game is
    /// shown.
    pub(crate) fn has_link_to(&self, page: &str) -> bool {
        match page {
            "live" => self.is_live,
            "submit" | "account" => self.is_hill,
            _ => true,
        }
    }

    /// Tells whether it can have several seasons; in a tournament, these are its sub-tournaments.
    pub(crate) fn has_seasons(&self) -> bool {
        self.is_hill || !self.followed.snapshot().contest.sets.is_empty()
    }

    /// Says where in the schedule a game is: `season 3, round 12`.
    pub(crate) fn place(&self, place: Scheduled) -> String {
        let Scheduled { season, round, .. } = place;
        match (self.is_hill, self.has_seasons()) {
            (true, _) => {
                let word = self.followed.snapshot().contest.word_of_season();
                format!("{word} {season}, round {round}")
            }
            (false, true) => format!("sub-tournament {season}, round {round}"),
            (false, false) => format!("round {round}"),
        }
    }

    /// Returns why a game has ended, in words.
    pub(crate) fn end_of(&self, game: &GameSummary) -> String {
        let set = if self.is_hill { 0 } else { game.place.season.saturating_sub(1) as usize };
        let parameters = self.sets.get(set).into_iter().flat_map(Parameters::iter);
        let parameters: Vec<(String, String)> =
            parameters.map(|(name, value)| (name.to_owned(), value.to_string())).collect();
        self.entry.end(&game.end, &parameters)
    }

    /// Returns the number of games of a season.
    pub(crate) fn games_of(&self, season: u32) -> u64 {
        self.followed.index().of_season(season)
    }

    /// Returns the address of a game's picture, by which chats find it.
    pub(crate) fn picture_of(&self, game: &str) -> String {
        format!("{}/{}/games/{game}/picture.png", self.address, self.name)
    }

    /// Returns a text with the hill's name instead of its path. The path is for the host alone.
    pub(crate) fn without_path(&self, text: &str) -> String {
        text::visible(&text.replace(&*self.root.to_string_lossy(), &self.name)).into_owned()
    }
}

/// Finds a judge that is in the folder of a contest. The program `referee` starts it.
fn find_judge(name: &str, referee: &Path, folders: &[PathBuf]) -> Option<Result<catalog::Entry, String>> {
    if !judge::is_name(name) {
        return None;
    }
    let found = folders.iter().find_map(|folder| {
        let files = ["hill.toml", "plan.toml"].map(|file| Spot::below(folder, file));
        let paths: Vec<PathBuf> = files.iter().flat_map(interpreters_in).collect();
        // A mistake in the list of interpreters is reported when games are played.
        let interpreters = Interpreters::listed(&paths).unwrap_or_default();
        let setup = Setup { interpreters, ..Setup::with(referee) };
        judge::open_stored(&Host::new(setup, Vec::new), folder, name)
    });
    found.map(|entry| entry.map_err(|error| error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accept::{CONNECTIONS_MAX, PART_OF_ONE};

    #[test]
    fn the_places_are_those_that_the_guide_tells() {
        let guide = include_str!("../../docs/guides/web.md").replace(',', "");
        for (what, most, of_one) in [
            ("programs that arrive", UPLOADS_MAX, 1),
            ("jobs that take submissions", JOBS_MAX, JOBS_OF_ONE),
            ("jobs that read files for pages (*address*)", JOBS_MAX, JOBS_OF_ONE),
            ("jobs that make replays and pictures (*address*)", REPLAYS_MAX, REPLAYS_OF_ONE),
            ("files that are sent", FILES_MAX, FILES_OF_ONE),
            ("archives that are sent", ARCHIVES_MAX, ARCHIVES_OF_ONE),
            ("event streams", STREAMS_MAX, STREAMS_OF_ONE),
            ("connections (*address*)", CONNECTIONS_MAX, CONNECTIONS_MAX / PART_OF_ONE),
        ] {
            let row = format!("| {what} | {most} | {of_one} |");
            assert!(guide.contains(&row), "{row}");
            assert!(of_one <= most / 2, "{what}: one visitor leaves half of them to others");
        }
    }
}
