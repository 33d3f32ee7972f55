//! The host's page: rounds, load, limits, entrants, accounts, void games, and who did what.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use maud::{Markup, html};
use referee_contest::accounts::{self, EventRow, Token};
use referee_contest::class::roll::Roll;
use referee_contest::folder;
use referee_contest::hill::{Hill, HillSettings};
use referee_contest::running::Running;
use referee_files::beneath::Spot;
use referee_files::voids;
use referee_record::error::Error;
use referee_record::text::{SENTENCE, count, harmless, shell};
use referee_record::voids::VoidRow;
use referee_report::pages::parts::cell;
use referee_report::tables::sheet::{Sheet, rounded};

use crate::access::Visit;
use crate::class;
use crate::inbox::Recent;
use crate::layout::{self, Whole};
use crate::live;
use crate::pages::table;
use crate::refusal::Refusal;
use crate::site::{Rounds, Served, Site};
use crate::snapshot::Snapshot;
use crate::steer;

/// Maximum number of void games, and of events, in a list.
const LISTED: usize = 20;

/// Maximum length of a file about the machine, in bytes.
const STATUS_MAX: u64 = 64 << 10;

/// What the page shows from the files of a hill.
struct HostRecords {
    settings: HillSettings,
    tokens: Vec<Token>,
    voids: Vec<VoidRow>,
    events: Vec<EventRow>,
    /// Accounts, each with its name as it is shown.
    people: BTreeMap<String, String>,
    /// What students have handed in, if the hill is that of a class.
    roll: Option<Roll>,
}

impl HostRecords {
    fn read(served: &Served) -> Result<HostRecords, Error> {
        let root = &served.root;
        let (tokens, events) = (accounts::tokens(root)?, accounts::events(root)?);
        let voids = voids::read(folder::voids_of(root))?;
        let people = accounts::shown(root)?;
        let roll = class::roll_of(served)?;
        Ok(HostRecords {
            settings: Hill::open(root)?.settings().clone(),
            tokens,
            voids,
            events,
            people,
            roll,
        })
    }
}

pub(crate) async fn page(visit: Visit) -> Result<Whole, Refusal> {
    steer::check_host(&visit)?;
    let (site, served) = (&visit.site, &visit.served);
    let snapshot = served.followed.snapshot();
    let running = live::running(site, served, &visit.address()).await?;
    let (site, served) = (Arc::clone(site), Arc::clone(served));
    // The files of a hill can be long.
    let making = visit.work(move || {
        let records = HostRecords::read(&served)?;
        Ok::<_, Refusal>(host_page(&site, &served, &snapshot, &running, &records))
    });
    making.await
}

fn host_page(
    site: &Site,
    served: &Served,
    snapshot: &Snapshot,
    running: &Running,
    records: &HostRecords,
) -> Whole {
    let body = html! {
        @if let Some(trouble) = &snapshot.trouble {
            section { h2 { "The records cannot be read" } p.said { (trouble) } p { "Visitors read that you know why." } }
        }
        @if let Some(roll) = &records.roll { (class::on_host_page(served, roll)) }
        (rounds(served, snapshot, running))
        @if served.inbox.is_mine() {
            section { h2 { "What a host does" } (steer::forms(served, site.options.run.is_some())) }
        }
        section { h2 { "Load" } (load(site, served)) }
        section { h2 { "Limits" } (limits(site, served, &records.settings)) }
        section { h2 { "Entrants" } (entrants(served, snapshot)) }
        section { h2 { "Accounts" } (accounts_of(site, served, snapshot, &records.tokens)) }
        section { h2 { "Void games" } (void(served, &records.voids)) }
        section { h2 { "Who did what, latest first" } (events(served, &records.people, &records.events)) }
        section {
            h2 { "On the host's machine" }
            @let hill = shell(&served.root);
            pre tabindex="0" { "referee hill status " (hill) " --losses\n"
                "referee audit " (hill) }
        }
    };
    layout::page(served, "Host", "host", &body)
}

fn rounds(served: &Served, snapshot: &Snapshot, running: &Running) -> Markup {
    let Rounds { sentence, reason } = served.rounds.borrow().clone();
    html! {
        section {
            h2 { "Rounds" }
            @match &snapshot.contest.season {
                Some(season) => p { (snapshot.contest.title_of_season()) " " (season.number) ": " (count(season.rounds.into(), "round")) " complete, "
                    (count(served.games_of(season.number), "game")) ". In all: " (count(snapshot.games as u64, "game")) "." },
                None => p { "No game has been played yet." },
            }
            p { (live::summary(running)) "." }
            @if sentence.is_empty() { p { "This server does not start rounds: run " code { "referee hill run" }
                ", or start the server with " code { "--run" } "." } }
            @else { p { (sentence) @if !reason.is_empty() { " " (reason) } } }
        }
    }
}

/// A list of names and values.
fn list(entries: &[(&str, String)]) -> Markup {
    html! { dl { @for (name, value) in entries { div { dt { (name) } dd { (cell(value)) } } } } }
}

fn load(site: &Site, served: &Served) -> Markup {
    let read = |path: &str| Spot::from(Path::new(path)).read_text(STATUS_MAX).unwrap_or_default();
    let status = read("/proc/self/status");
    let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("unknown").trim();
    let load = read("/proc/loadavg").split(' ').take(3).collect::<Vec<_>>().join(" ");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let waiting = served.inbox.waiting();
    let (answers, bytes) = site.shelf.held();
    list(&[
        ("Load of the machine", format!("{load} on {}", count(cores as u64, "core"))),
        ("Memory of the server", memory.to_owned()),
        ("Connections", site.connections.held().to_string()),
        ("Answers that are kept", format!("{answers}, {} KiB", bytes >> 10)),
        ("Sessions of browsers", site.sessions.held().to_string()),
        ("Addresses with wrong tokens", site.throttle.held().to_string()),
        ("Games that are watched", site.watched.held().to_string()),
        ("Event streams", site.streams.held().to_string()),
        ("Programs that arrive", site.uploads.held().to_string()),
        ("Files and archives that are sent", (site.files.held() + site.archives.held()).to_string()),
        ("Waiting checks", waiting.to_string()),
        ("Webhook", served.hook.status()),
    ])
}

fn limits(site: &Site, served: &Served, settings: &HillSettings) -> Markup {
    let options = &site.options;
    let or_any = |limit: u32| if limit == 0 { "any number".to_owned() } else { limit.to_string() };
    list(&[
        ("Largest program", format!("{} MiB", served.upload_max >> 20)),
        ("Submissions of an account", format!("{} an hour, {} a day", options.hourly, options.daily)),
        ("Waiting checks of an account", options.waiting.to_string()),
        ("Checks and builds of an account", format!("{} minutes an hour", options.check_minutes)),
        ("Bots of an author", or_any(settings.contest.author_bots)),
        ("Bots on the hill", settings.capacity.map_or_else(|| or_any(0), |bots| bots.to_string())),
        ("Submissions end", served.host_control.end_shown().unwrap_or_else(|| "never".to_owned())),
        ("Shown to", if options.private { "accounts with a token" } else { "everybody" }.to_owned()),
    ])
}

fn entrants(served: &Served, snapshot: &Snapshot) -> Markup {
    let mut sheet = Sheet::new(["bot", "version", "author", "since", "contact", "SHA-256"]);
    for event in &snapshot.contest.field {
        sheet.row(vec![
            event.bot.name.clone().into(),
            event.bot.version.into(),
            snapshot.contest.person(&event.bot.author).into(),
            event.date.as_deref().unwrap_or_default().into(),
            harmless(&event.bot.contact, SENTENCE).into(),
            event.bot.digest.short().to_string().into(),
        ]);
    }
    table(served, "Bots that play now", &sheet, None)
}

/// The tokens of an account.
#[derive(Default)]
struct AccountTokens<'a> {
    /// The account's name as it is shown.
    name: &'a str,
    count: usize,
    is_host: bool,
}

fn accounts_of(site: &Site, served: &Served, snapshot: &Snapshot, tokens: &[Token]) -> Markup {
    let mut all: BTreeMap<&str, AccountTokens<'_>> = BTreeMap::new();
    for token in tokens {
        let account = all.entry(&token.account).or_default();
        account.name = &token.name;
        account.count += 1;
        account.is_host |= token.is_host;
    }
    let mut bots_of: BTreeMap<&str, usize> = BTreeMap::new();
    for event in &snapshot.contest.field {
        *bots_of.entry(&event.bot.author).or_default() += 1;
    }
    let mut sheet = Sheet::new(["account", "role", "tokens", "bots", "hour", "day", "waiting", "checks_s"]);
    let mut others = 0;
    for (account, AccountTokens { name, count, is_host }) in all {
        let bots = bots_of.get(account).copied().unwrap_or(0);
        if bots == 0 && !is_host && !served.inbox.has(account) {
            others += 1;
            continue;
        }
        let Recent { hour, day, waiting } = served.inbox.recent(account);
        sheet.row(vec![
            accounts::describe(account, name).into(),
            if is_host { "host" } else { "author" }.into(),
            count.into(),
            bots.into(),
            hour.into(),
            day.into(),
            waiting.into(),
            rounded(served.inbox.time_used(account).as_secs_f64(), 1),
        ]);
    }
    let caption = format!(
        "Submissions of the last 60 minutes (at most {}) and 24 hours (at most {}), and seconds of their checks and builds \
         in the last 60 minutes (at most {})",
        site.options.hourly,
        site.options.daily,
        site.options.check_minutes.saturating_mul(60)
    );
    html! {
        (table(served, &caption, &sheet, None))
        @if others > 0 { p { (count(others, "account")) " of authors without a bot or a submission." } }
    }
}

fn void(served: &Served, voids: &[VoidRow]) -> Markup {
    let mut sheet = Sheet::new(["game", "attempt", "turn", "reason", "bots"]);
    for row in voids.iter().rev().take(LISTED) {
        let text = |text: &str| harmless(text, SENTENCE).into();
        let (attempt, turn) = (row.attempt.into(), row.turn.into());
        sheet.row(vec![text(&row.game), attempt, turn, text(row.reason.name()), text(&row.bots)]);
    }
    html! {
        p { (count(voids.len() as u64, "void attempt")) " in all." }
        @if !voids.is_empty() { (table(served, "The latest, newest first", &sheet, None)) }
    }
}

fn events(served: &Served, people: &BTreeMap<String, String>, events: &[EventRow]) -> Markup {
    let mut sheet = Sheet::new(["date", "account", "event", "detail"]);
    for EventRow { date, account, event, detail } in events.iter().rev().take(LISTED) {
        let account = &accounts::describe(account, people.get(account).unwrap_or(account));
        sheet.row([date, account, event, detail].map(|cell| harmless(cell, SENTENCE).into()).to_vec());
    }
    table(served, "The end of events.csv", &sheet, None)
}
