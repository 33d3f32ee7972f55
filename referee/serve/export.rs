//! Hills as files: all pages and records, for any web server or object store.
//!
//! Pages are those of the server, with relative links. Forms, scripts, and links to addresses that need a
//! server are dropped. The name of a game's files contains the digest of its log, and the name of a full list
//! of games that of its games. These files never change, and are written once; only the last game's replay is written
//! again when it gets a next one. A page is written after everything that it links to, but for the replay of the next
//! game.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, anyhow, bail};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use referee_contest::folder;
use referee_files::beneath::Spot;
use referee_files::log;
use referee_record::Digest;
use referee_record::file::Form;
use referee_record::text::percent_encoded;
use tokio::task::JoinSet;

use crate::api::known;
use crate::follow::Follower;
use crate::index::{Filter, Line};
use crate::options::Options;
use crate::query::{GAMES_MAX, GAMES_ON_A_PAGE};
use crate::refusal::Refusal;
use crate::routes;
use crate::site::{Served, Site};
use crate::starters::LANGUAGES;

/// Games that are written at once.
const JOBS: usize = 4;

/// Maximum length of a page, in bytes: that of a very long game.
const PAGE_MAX: usize = 256 << 20;

/// The policy of a page, as a tag, because files have no headers.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self'; \
    img-src data:; form-action 'none'; base-uri 'none'\">";

/// The commands that fetch the records of a hill, file by file.
const FETCH: &str = "BASE=https://...\n\
    curl -s $BASE/records.csv | tail -n +2 | while IFS=, read -r file address; do\n    \
    curl -s --create-dirs -o records/$file $BASE/$address\ndone\nreferee audit records";

/// The number of files that were exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// New or changed.
    pub written: u64,
    /// Unchanged.
    pub kept: u64,
}

/// Writes all hills into a folder. Files that have not changed are not touched.
///
/// # Errors
///
/// If records cannot be read, or the system refuses.
pub async fn export(options: Options, to: PathBuf) -> anyhow::Result<Exported> {
    let site = Site::open(options, |_| ())?;
    let router = TowerToHyperService::new(routes::router(&site)?);
    for served in site.contests.values() {
        Follower::once(served)?;
        known(served).map_err(|refusal| anyhow!("{}: {}", served.name, refusal.what))?;
    }
    let export = Arc::new(Export { router, site, to, written: AtomicU64::new(0), kept: AtomicU64::new(0) });
    for served in export.site.contests.values() {
        export.hill(served).await.with_context(|| format!("the {} {}", served.kind(), served.name))?;
    }
    export.page("/").await?;
    let [written, kept] = [&export.written, &export.kept].map(|count| count.load(Ordering::Relaxed));
    Ok(Exported { written, kept })
}

/// A folder that is being written.
struct Export {
    router: TowerToHyperService<Router>,
    site: Arc<Site>,
    to: PathBuf,
    written: AtomicU64,
    kept: AtomicU64,
}

impl Export {
    async fn hill(self: &Arc<Self>, served: &Arc<Served>) -> anyhow::Result<()> {
        let (games, before) = (served.followed.index().len(), self.listed(served));
        let mut jobs = JoinSet::new();
        for first in 0..JOBS.min(games) {
            let (export, served) = (Arc::clone(self), Arc::clone(served));
            jobs.spawn(async move {
                for number in (first..games).step_by(JOBS) {
                    export.game(&served, number, number + 1 < before).await?;
                }
                anyhow::Ok(())
            });
        }
        while let Some(job) = jobs.join_next().await {
            job??;
        }
        let name = &served.name;
        // The latest page lists the games after the last full list. If there are none, or more than two lists
        // of games, it lists those of the last full list, too.
        for before in (1..=games / GAMES_ON_A_PAGE).map(|list| list * GAMES_ON_A_PAGE) {
            self.once(&format!("/{name}/games?before={before}")).await?;
        }
        for language in LANGUAGES {
            self.file(&format!("/{name}/starters/{language}")).await?;
        }
        let mut bots: BTreeSet<String> = served.followed.index().bots().into_iter().collect();
        bots.extend(served.followed.snapshot().field.iter().map(|event| event.bot.name.clone()));
        for bot in bots {
            let games = format!("/{name}/api/v1/{}", games_of(&percent_encoded(bot.as_bytes())));
            let games = self.asked(&games).await?.unwrap_or_default();
            self.put_changed(&format!("{name}/bots/{bot}-games.csv"), &games)?;
            self.page(&format!("/{name}/bots/{bot}")).await?;
        }
        for table in ["standings", "bots"].map(|table| format!("/{name}/api/v1/{table}")) {
            self.file(&table).await?;
            self.file(&format!("{table}?format=csv")).await?;
        }
        self.records(served)?;
        self.page(&format!("/{name}/rules")).await?;
        let rest = games % GAMES_ON_A_PAGE;
        let latest = if rest == 0 || games > 2 * GAMES_ON_A_PAGE { rest + GAMES_ON_A_PAGE } else { rest };
        let latest = self.asked(&format!("/{name}/games?limit={latest}")).await?;
        self.put_page(&format!("{name}/games.html"), latest.unwrap_or_default()).await?;
        self.page(&format!("/{name}")).await
    }

    /// Returns the number of games of an earlier export, whose list was written after them.
    fn listed(&self, served: &Served) -> usize {
        let mut list = String::new();
        let file = Spot::below(&self.to, format!("{}/records.csv", served.name)).open();
        if file.and_then(|mut file| file.read_to_string(&mut list)).is_err() {
            return 0;
        }
        let is_game =
            |row: &&str| !["file,", "results.csv,", "voids.csv,"].iter().any(|other| row.starts_with(other));
        list.lines().filter(is_game).count()
    }

    /// Writes the files of a game: its log and its replay, then its page. `has_next`: so it was in an earlier export, and
    /// its replay has the link to the next game.
    async fn game(&self, served: &Served, number: usize, has_next: bool) -> anyhow::Result<()> {
        let game = served.followed.index().line(number as u32)?;
        let name = &served.name;
        let log = log::found(Spot::below(&served.root, &game.log));
        let target = self.to.join(log_file(served, &game));
        match target.exists() || !log.exists() {
            true => drop(self.kept.fetch_add(1, Ordering::Relaxed)),
            false => self.put(&target, |to| io::copy(&mut log.open()?, to).map(drop))?,
        }
        let page = format!("/{name}/games/{}", game.id);
        if !self.site.options.no_replays && target.exists() {
            let replay = format!("{page}/replay");
            if has_next { self.once(&replay).await? } else { self.page(&replay).await? }
        }
        self.once(&page).await
    }

    /// Writes the results, and a list of all files of the records.
    fn records(&self, served: &Served) -> anyhow::Result<()> {
        let index = served.followed.index();
        let target = Spot::below(&self.to, format!("{}/results.csv", served.name));
        let mut results = index.results();
        if index.len() == 0 {
            return Ok(());
        }
        match results.are_in(&target) {
            true => drop(self.kept.fetch_add(1, Ordering::Relaxed)),
            false => self.put(target.path(), |to| io::copy(&mut results, to).map(drop))?,
        }
        let mut files = "file,address\nresults.csv,results.csv\n".to_owned();
        if let Ok(mut voids) = folder::voids_of(&served.root).open() {
            let mut text = Vec::new();
            voids.read_to_end(&mut text)?;
            self.put_changed(&format!("{}/voids.csv", served.name), &text)?;
            files += "voids.csv,voids.csv\n";
        }
        for number in 0..index.len() {
            let game = index.line(number as u32)?;
            let address = log_file(served, &game);
            let address = address.split_once('/').map_or("", |(_, below)| below);
            files += &format!("{},{address}\n", game.log);
        }
        self.put_changed(&format!("{}/records.csv", served.name), files.as_bytes())
    }

    /// Writes a page that never changes, unless the file exists.
    async fn once(&self, address: &str) -> anyhow::Result<()> {
        let file = self.file_of(address).with_context(|| format!("{address}: no file"))?;
        match self.to.join(file).exists() {
            true => drop(self.kept.fetch_add(1, Ordering::Relaxed)),
            false => self.page(address).await?,
        }
        Ok(())
    }

    async fn page(&self, address: &str) -> anyhow::Result<()> {
        let file = self.file_of(address).with_context(|| format!("{address}: no file"))?;
        let page = self.asked(address).await?.with_context(|| format!("{address}: no page"))?;
        self.put_page(&file, page).await
    }

    /// Writes a page with relative links, and its style.
    async fn put_page(&self, file: &str, page: Vec<u8>) -> anyhow::Result<()> {
        let mut page = String::from_utf8(page).context("a page is not text")?;
        if file.ends_with("-replay.html") {
            page = self.with_links(&page, file);
        } else {
            page = self.relinked(&page, file);
            let styles = page.split('"').filter(|word| word.ends_with(".css"));
            for (_, style) in styles.filter_map(|word| word.split_once("assets/")) {
                self.file(&format!("/assets/{style}")).await?;
            }
        }
        self.put_changed(file, page.as_bytes())
    }

    /// Writes a file that is not a page. Does nothing if the hill does not have the file.
    async fn file(&self, address: &str) -> anyhow::Result<()> {
        let file = self.file_of(address).with_context(|| format!("{address}: no file"))?;
        match self.asked(address).await? {
            Some(bytes) => self.put_changed(&file, &bytes),
            None => Ok(()),
        }
    }

    /// Asks the server in this process. `None` if nothing is at this address.
    async fn asked(&self, address: &str) -> anyhow::Result<Option<Vec<u8>>> {
        let request = Request::get(address).body(Body::empty())?;
        let answer = self.router.call(request).await?;
        let (status, refusal) = (answer.status(), answer.extensions().get::<Refusal>().cloned());
        let body = to_bytes(answer.into_body(), PAGE_MAX).await?;
        match status {
            StatusCode::OK => Ok(Some(body.to_vec())),
            StatusCode::NOT_FOUND => Ok(None),
            _ => bail!("{address}: {}", refusal.map_or_else(|| status.to_string(), |refusal| refusal.what)),
        }
    }

    fn put_changed(&self, file: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let mut there = Vec::new();
        let read = Spot::below(&self.to, file).open().and_then(|mut file| file.read_to_end(&mut there));
        if read.is_ok() && there == bytes {
            self.kept.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        self.put(&self.to.join(file), |to| to.write_all(bytes))
    }

    /// Writes a file beside its target, then renames it: visitors never see half a file.
    fn put(&self, target: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> anyhow::Result<()> {
        let put = || -> io::Result<()> {
            let folder = target.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(folder)?;
            let mut part = tempfile::Builder::new().prefix(".part-").tempfile_in(folder)?;
            write(part.as_file_mut())?;
            let readable = std::os::unix::fs::PermissionsExt::from_mode(0o644);
            part.as_file().set_permissions(readable)?;
            part.persist(target).map(drop).map_err(|error| error.error)
        };
        put().with_context(|| format!("{}: cannot be written", target.display()))?;
        self.written.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the file of an address, below the folder. `None` if the address needs a server, or the game has no such
    /// file.
    fn file_of(&self, address: &str) -> Option<String> {
        let parts: Vec<&str> = address.strip_prefix('/')?.split('/').collect();
        let game = |hill: &str, id: &str| {
            let served = self.site.contests.get(hill)?;
            Some((served, served.followed.index().game(id).ok()??))
        };
        match *parts {
            [""] => Some("index.html".to_owned()),
            ["assets", name] => Some(format!("assets/{name}")),
            [hill] if self.site.contests.contains_key(hill) => Some(format!("{hill}/index.html")),
            [hill, page @ ("games" | "rules")] => Some(format!("{hill}/{page}.html")),
            [hill, page] => {
                let before = page.strip_prefix("games?before=")?.parse().ok()?;
                list_file(self.site.contests.get(hill)?, before)
            }
            [hill, "bots", name] => Some(format!("{hill}/bots/{name}.html")),
            [hill, "starters", language] => Some(format!("{hill}/starters/{language}.tar")),
            [hill, "games", id] => game(hill, id).map(|(served, game)| stem(served, &game) + ".html"),
            [hill, "games", id, "replay"] => {
                game(hill, id).map(|(served, game)| stem(served, &game) + "-replay.html")
            }
            [hill, "api", "v1", "games", id, "log"] => {
                game(hill, id).map(|(served, game)| log_file(served, &game))
            }
            [hill, "api", "v1", "records.tar"] => Some(format!("{hill}/records.csv")),
            [hill, "api", "v1", "results.csv"] => Some(format!("{hill}/results.csv")),
            [hill, "api", "v1", table] if bot_of(table).is_some() => {
                Some(format!("{hill}/bots/{}-games.csv", bot_of(table)?))
            }
            [hill, "api", "v1", table] => match table.split_once('?') {
                Some((table, "format=csv")) => Some(format!("{hill}/{table}.csv")),
                None if ["standings", "bots"].contains(&table) => Some(format!("{hill}/{table}.json")),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns a page as a file: with relative links, without forms and scripts.
    fn relinked(&self, page: &str, file: &str) -> String {
        let hill = file.split('/').next().unwrap_or_default();
        let page = without(page, "<details class=\"find\"", "</details>");
        let page = without(&without(&page, "<form", "</form>"), "<script", "</script>");
        let page = page.replacen("<head>", &format!("<head>{POLICY}"), 1);
        let archive = format!("tar xf {hill}-records.tar &amp;&amp; referee audit {hill}-records");
        let page = page.replace(&archive, FETCH);
        let nowhere = ["Submit", "Your bots"].map(|part| format!("<li><span>{part}</span></li>"));
        nowhere.iter().fold(self.with_links(&page, file), |page, part| page.replace(part, ""))
    }

    /// Returns a page whose links lead to files. A link to no file, or to one that is not written, becomes a word.
    fn with_links(&self, page: &str, file: &str) -> String {
        let up = "../".repeat(file.matches('/').count());
        let mut parts = page.split(" href=\"/");
        let mut linked = parts.next().unwrap_or_default().to_owned();
        let mut known: BTreeMap<&str, Option<String>> = BTreeMap::new();
        for part in parts {
            let (address, rest) = part.split_once('"').unwrap_or((part, ""));
            let found = known.entry(address).or_insert_with(|| {
                let whole = format!("/{}", address.replace("&amp;", "&"));
                self.file_of(&whole).filter(|_| self.is_written(&whole))
            });
            if let Some(found) = found {
                linked += &format!(" href=\"{up}{found}\"{rest}");
                continue;
            }
            if let Some(anchor) = linked.rfind('<').filter(|at| linked[*at..].starts_with("<a")) {
                linked.replace_range(anchor + 1..anchor + 2, "span");
                linked += &rest.replacen("</a>", "</span>", 1);
            } else {
                linked += rest;
            }
        }
        linked
    }

    /// Tells whether an address with a file gets one: a log can be missing, and replays can be left out. The replay of
    /// the next game can be written later than a link to it.
    fn is_written(&self, address: &str) -> bool {
        let parts: Vec<&str> = address.split('/').collect();
        let [_, hill, rest @ ..] = &*parts else { return true };
        let (is_replay, id) = match rest {
            ["games", id, "replay"] => (true, id),
            ["api", "v1", "games", id, "log"] => (false, id),
            _ => return true,
        };
        let has_log = self.site.contests.get(*hill).is_some_and(|served| {
            let game = served.followed.index().game(id).ok().flatten();
            game.is_some_and(|game| log::found(Spot::below(&served.root, game.log)).exists())
        });
        has_log && !(is_replay && self.site.options.no_replays)
    }
}

/// Returns the query for the games of a bot as a page asks for them, and the bot of such a query, as it is written there.
fn games_of(bot: &str) -> String {
    format!("games?bot={bot}&format=csv&limit={GAMES_MAX}")
}

fn bot_of(table: &str) -> Option<&str> {
    table.strip_prefix("games?bot=")?.strip_suffix(&*games_of("").replace("games?bot=", ""))
}

/// Returns a text without any part between two words.
fn without(text: &str, from: &str, to: &str) -> String {
    let mut parts = text.split(from);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once(to).map_or("", |(_, rest)| rest))
}

/// Returns the files of a game without their endings.
fn stem(served: &Served, game: &Line) -> String {
    let (place, digest) = (game.place, game.digest.short());
    format!("{}/games/s{:03}/r{:05}/{}-{digest}", served.name, place.season, place.round, game.id)
}

/// Returns the file of a game's log, which may be compressed.
fn log_file(served: &Served, game: &Line) -> String {
    let found = log::found(Spot::below(&served.root, &game.log));
    stem(served, game) + Form::of(found.path()).unwrap_or_default().ending()
}

/// Returns the file of a full list of games, by the number of the game behind it. `None` if it is not full.
fn list_file(served: &Served, before: usize) -> Option<String> {
    let index = served.followed.index();
    if before == 0 || !before.is_multiple_of(GAMES_ON_A_PAGE) || before > index.len() {
        return None;
    }
    let games = index.find(&Filter { before: Some(before), ..Filter::default() }, GAMES_ON_A_PAGE).ok()?;
    let digests: Vec<&str> = games.iter().map(|(_, game)| game.digest.as_str()).collect();
    let digest = Digest::of(digests.concat().as_bytes());
    Some(format!("{}/games/list-{before:09}-{}.html", served.name, digest.short()))
}
