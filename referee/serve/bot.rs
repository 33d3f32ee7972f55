//! The page of a bot: versions, ranks, faults, times, opponents. Its author sees more, and can withdraw it.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use referee_contest::accounts;
use referee_contest::admission::by::By;
use referee_contest::admission::entrants::Entrants;
use referee_contest::bot::Bot;
use referee_contest::hill::Hill;
use referee_record::error::Error;
use referee_record::names::composed;
use referee_record::text::{count, percent_encoded};
use referee_report::parts;
use referee_tables::sheet::{Sheet, share};
use referee_tables::standing::PairRow;
use serde_json::Value;

use crate::access::Asked;
use crate::api::{errors_of, known};
use crate::index::{Filter, Line, Seated};
use crate::layout::{self, Page, Whole};
use crate::pages::{self, kept_page, list, named, plain, table};
use crate::refusal::Refusal;
use crate::site::Served;
use crate::snapshot::{Entered, SeasonPast, SeasonSeen, Snapshot};
use crate::standings::{self, digits_of};
use crate::submit;

/// Maximum number of games in the list, and of games whose faults and times are counted.
const GAMES_LISTED: usize = 10;
const GAMES_TOLD: usize = 1_000;

/// Maximum number of rows in the table of ranks, and in that of earlier seasons.
const RANKS_LISTED: usize = 20;
const SEASONS_LISTED: usize = 50;

/// Number of digits behind the point of means of other games than those of the standings.
const DIGITS: usize = 3;

/// The facts about a bot from the records, beside its season.
struct Told {
    versions: Vec<Entered>,
    /// For each version: seats, faults, the longest answer in microseconds, the sum of its shares.
    times: BTreeMap<u32, (u64, u64, u64, f64)>,
    games: Markup,
    /// The last of them; empty if there is none.
    last: String,
    found: usize,
    /// Its last games with standard error, as pairs of a game and a seat.
    written: Vec<(String, usize)>,
    /// Those of its games that its author looks at first; `None` if none has a fault of it, and none was lost.
    first: Option<Markup>,
}

impl Told {
    fn read(served: &Served, name: &str) -> Result<Told, Error> {
        let versions = versions(served, name)?;
        let index = served.followed.index();
        let filter = Filter { bot: Some(name.to_owned()), ..Default::default() };
        let mut found = index.find(&filter, GAMES_TOLD)?;
        let mut times = BTreeMap::new();
        for seat in found.iter().flat_map(|(_, game)| seats(game, name)).map(|(_, seat)| seat) {
            let (seats, faults, longest, shares) = times.entry(seat.version).or_insert((0, 0, 0, 0.0));
            (*seats, *faults, *shares) = (*seats + 1, *faults + u64::from(seat.faults), *shares + seat.share);
            *longest = seat.max_us.max(*longest);
        }
        let last = &found[..found.len().min(GAMES_LISTED)];
        let all = last.iter().flat_map(|(_, game)| seats(game, name).map(move |(number, _)| (game, number)));
        let written = all.filter(|(game, seat)| errors_of(served, &game.log, *seat).is_some());
        let written = written.map(|(game, seat)| (game.id.clone(), seat)).collect();
        let games = list(served, last);
        let last = last.first().map_or(String::new(), |(_, game)| game.id.clone());
        let count = found.len();
        // With most faults first, then those that it lost, each the latest first.
        let faults = |game: &Line| seats(game, name).map(|(_, seat)| seat.faults).sum::<u32>();
        let is_lost = |game: &Line| {
            let last = game.seats.iter().map(|seat| seat.place).max();
            seats(game, name).any(|(_, seat)| seat.place > 1 && Some(seat.place) == last)
        };
        found.retain(|(_, game)| faults(game) > 0 || is_lost(game));
        found.sort_by_key(|(_, game)| std::cmp::Reverse(faults(game)));
        found.truncate(GAMES_LISTED);
        let first = (!found.is_empty()).then(|| list(served, &found));
        Ok(Told { versions, times, games, last, found: count, written, first })
    }
}

/// The seats of a bot in a game, each with its number.
fn seats<'a>(game: &'a Line, name: &'a str) -> impl Iterator<Item = (usize, &'a Seated)> {
    game.seats.iter().enumerate().filter(move |(_, seat)| seat.bot == name)
}

pub(crate) async fn page(
    asked: Asked,
    Path((_, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let name = composed(&name).into_owned();
    let snapshot = known(&asked.served)?;
    // A bot that was refused at its first submission is nobody's yet, and its author looks for it here.
    let is_of = |account: &String| match snapshot.authors.get(&name) {
        Some(author) => author == account,
        None => asked.served.inbox.of(account).iter().any(|of| of.asked.name == name),
    };
    if let Some(account) = asked.account.clone().filter(is_of) {
        // It also shows the author's checks, which are in no results.
        let served = Arc::clone(&asked.served);
        return Ok(asked.work(move || bot_page(&served, &name, Some(&account))).await?.into_response());
    }
    let page = kept_page(&asked, format!("bots/{name}"), move |served, _| bot_page(served, &name, None));
    Ok(page.await?.answer(&headers))
}

fn bot_page(served: &Served, name: &str, author: Option<&str>) -> Result<Whole, Refusal> {
    let snapshot = known(served)?;
    let told = Told::read(served, name)?;
    let is_new = told.versions.is_empty() && told.found == 0;
    if is_new && author.is_none() {
        return Err(Refusal::missing("no bot of this name has ever played here"));
    }
    let present = snapshot.field.iter().find(|event| event.bot.name == name);
    let body = html! {
        section {
            @match present {
                Some(event) => {
                    h2 { (snapshot.mark(name).icon()) " Version " (event.bot.version)
                        @if !event.bot.author.is_empty() { " by " (named(&event.bot.author)) } }
                    @if let Some(date) = &event.date { p { "On the hill since " (parts::time(date)) "." } }
                },
                None if is_new => h2 { "It has not been admitted yet" },
                None => h2 { (snapshot.mark(name).icon()) " It no longer plays" },
            }
            (ranks(served, &snapshot, name))
            @if let Some(season) = &snapshot.season { (of_season(served, season, name)) }
            @for (set, season) in &snapshot.sets {
                h3 { "Sub-tournament " (season.number) @if !set.is_empty() { ": " (set) } }
                (of_season(served, season, name))
            }
            (of_past(served, &snapshot.past, name))
        }
        @if !is_new { (table_of_versions(served, &told)) }
        @if let Some(account) = author { (own(served, &told, (account, name), present.is_some())) }
        section {
            h2 { "Latest games" }
            @if told.found > 0 { (told.games)
                p { a href={ "/" (served.name) "/games?bot=" (percent_encoded(name.as_bytes())) } { "All its games" }
                    ", " a href={ "/" (served.name) "/api/v1/games?bot=" (percent_encoded(name.as_bytes())) "&format=csv&limit=1000" }
                        download={ (name) "-games.csv" } { "the last 1,000 as CSV" } }
                (pages::faults(served, Some(name), "")) }
            @else { p { "None yet." } }
        }
    };
    let about = present.map_or_else(
        || "It no longer plays.".to_owned(),
        |event| match &*event.bot.author {
            "" => format!("Version {}", event.bot.version),
            author => format!("Version {} by {author}", event.bot.version),
        },
    );
    let title = &plain(name);
    let page = Page {
        title,
        served: Some(served),
        here: "bots",
        about: &about,
        game: &told.last,
        ..Page::default()
    };
    Ok(layout::document(&page, &body))
}

/// A bot in the season: its line of the standings, its opponents.
fn of_season(served: &Served, season: &SeasonSeen, name: &str) -> Markup {
    let mut standing = season.standings.clone();
    standing.rows.retain(|row| row.bot == name);
    let standing = standing.sheet().for_people();
    let mut opponents = Sheet::new(["bot", "version", "games", "percent_before", "mean_share"]);
    for pair in season.pairs.iter().filter(|pair| pair.bot.name == name) {
        let percent = (pair.before * 100.0).round() as i64;
        let PairRow { company, games, mean_share, .. } = pair;
        let name = Value::from(&*company.name);
        opponents.row(vec![
            name,
            company.version.into(),
            (*games).into(),
            percent.into(),
            share(*mean_share),
        ]);
    }
    let digits = digits_of(season);
    let games = match season.carried {
        true => "the games of this season, and those earlier ones that count",
        false if served.is_hill => "the games of this season",
        false => "the games so far",
    };
    html! {
        (table(served, &format!("In the standings: {games}"), &standing, Some(digits)))
        @if !opponents.rows().is_empty() {
            (table(served, "Against each opponent: percent of their games in which it finished before, mean share in them", &opponents, Some(digits)))
        }
    }
}

/// The bot at the end of each earlier season, the latest first.
fn of_past(served: &Served, past: &[Arc<SeasonPast>], name: &str) -> Markup {
    let mut sheet =
        Sheet::new(["season", "rounds", "version", "games", "rank", "bots", "ranks", "mean_share"]);
    let all = past.iter().rev().flat_map(|season| season.bots.iter().map(move |bot| (season, bot)));
    for (season, bot) in all.filter(|(_, bot)| bot.name == name).take(SEASONS_LISTED) {
        let ranks = bot.ranks.map_or(Value::Null, |(first, last)| format!("{first}-{last}").into());
        let [season_number, rounds, version] = [season.number, season.rounds, bot.version].map(Value::from);
        let (games, rank, bots) = (bot.games.into(), bot.place.into(), season.bots.len().into());
        sheet.row(vec![season_number, rounds, version, games, rank, bots, ranks, share(bot.mean_share)]);
    }
    let caption = "At the end of earlier seasons, latest first: rank by mean share in the games of each, plausible ranks";
    html! { @if !sheet.rows().is_empty() { h3 { "Earlier seasons" } (table(served, caption, &sheet, Some(DIGITS))) } }
}

/// Lists the round, and the bot's rank by mean share and mean share after it, for each round of the trends.
fn history(season: &SeasonSeen, name: &str) -> Vec<(u32, usize, f64)> {
    let Some(bot) = season.bots.iter().rposition(|bot| bot == name) else { return Vec::new() };
    let ranked = season.looks.iter().filter_map(|(round, means)| {
        let mean = (*means.get(bot)?)?;
        let ahead = means.iter().flatten().filter(|other| **other > mean).count();
        Some((*round, ahead + 1, mean))
    });
    ranked.collect()
}

/// Draws the places of a bot over the seasons, with a table of those in this one.
fn ranks(served: &Served, snapshot: &Snapshot, name: &str) -> Markup {
    let Some(chart) = standings::course(snapshot, &[name], usize::MAX) else { return html! {} };
    let history = snapshot.season.as_ref().map(|season| history(season, name)).unwrap_or_default();
    let mut sheet = Sheet::new(["round", "rank", "mean_share"]);
    let step = history.len().div_ceil(RANKS_LISTED).max(1);
    for (round, rank, mean) in history.iter().rev().step_by(step) {
        sheet.row(vec![(*round).into(), (*rank).into(), ((mean * 1e4).round() / 1e4).into()]);
    }
    html! {
        h3 { "Places over time" }
        (chart)
        details { summary { "As a table" } (table(served, if served.is_hill { "Rank by mean share in this season, latest first" } else { "Rank by mean share, latest first" }, &sheet, Some(DIGITS))) }
    }
}

/// Lists the programs that a bot has had, the first one first. In a tournament it has one.
fn versions(served: &Served, name: &str) -> Result<Vec<Entered>, Error> {
    if !served.is_hill {
        let snapshot = served.followed.snapshot();
        return Ok(snapshot.field.iter().filter(|entered| entered.bot.name == name).cloned().collect());
    }
    let entrants = Entrants::read(&served.root)?;
    let entered = |number| entrants.submission(name, number).map(Entered::of);
    Ok((1..entrants.next_version(name)).filter_map(entered).collect())
}

fn table_of_versions(served: &Served, told: &Told) -> Markup {
    let mut sheet = Sheet::new([
        "version",
        "since",
        "author",
        "seats",
        "mean_share",
        "faults",
        "longest_ms",
        "kind",
        "SHA-256",
        "toolchain",
    ]);
    for event in told.versions.iter().rev() {
        let (seats, faults, longest, shares) =
            told.times.get(&event.bot.version).copied().unwrap_or_default();
        let longest = if seats > 0 { Value::from(longest as f64 / 1000.0) } else { Value::Null };
        let date = event.date.as_deref().map_or(Value::Null, Value::from);
        let author = event.bot.author.as_str().into();
        let mean = if seats > 0 { share(shares / seats as f64) } else { Value::Null };
        let digest = event.bot.digest.short().to_string().into();
        let toolchain = event
            .bot
            .toolchain
            .as_ref()
            .map_or(Value::Null, |toolchain| toolchain.short().to_string().into());
        let (seats, faults, kind) = (seats.into(), faults.into(), kind(&event.bot).into());
        sheet.row(vec![
            event.bot.version.into(),
            date,
            author,
            seats,
            mean,
            faults,
            longest,
            kind,
            digest,
            toolchain,
        ]);
    }
    let of = count(told.found as u64, "game");
    html! {
        section {
            h2 { "Versions" }
            (table(served, "Each program under this name, the present one first", &sheet, Some(DIGITS)))
            p.small { "Seats, mean share, faults and the longest answer are those of its last " (of)
                ". A bot can take several seats in a game. A version with a toolchain was built here from its source." }
        }
    }
}

/// Returns what was submitted: the ending of its file, or `program`. The name of the file is its author's own.
fn kind(bot: &Bot) -> &str {
    let ending = bot.source.rsplit_once('.').map(|(_, ending)| ending);
    ending
        .filter(|ending| ending.len() <= 8 && ending.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        .unwrap_or("program")
}

/// The section that only the author sees.
fn own(served: &Served, told: &Told, (account, name): (&str, &str), plays: bool) -> Markup {
    html! {
        section {
            h2 { "For you, its author" }
            h3 { "Checks" }
            @let checks = served.inbox.of(account).into_iter().filter(|of| of.asked.name == name);
            @let checks: Vec<_> = checks.take(GAMES_LISTED).collect();
            @if checks.is_empty() { p { "It was not submitted over the web." } }
            @for submission in checks {
                p { (parts::time(&submission.asked.date)) ": " strong { (submission.state.name()) } }
                (pages::verdict(&served.inbox.told(&submission)))
                (submit::watch(served, &submission))
            }
            @if let Some(first) = &told.first {
                h3 { "Games to look at first" }
                p.small { "Those with most faults, then those that it lost, of its last " (count(told.found as u64, "game")) "." }
                (first)
            }
            h3 { "Standard error" }
            @if told.written.is_empty() { p { "It has written nothing in the games listed below." } }
            ul { @for (game, seat) in &told.written { li {
                a href={ "/" (served.name) "/api/v1/games/" (game) "/stderr/" (seat) } { (game) ", seat " (seat) }
            } } }
            @if plays && served.inbox.is_mine() {
                form method="post" action={ "/" (served.name) "/bots/" (percent_encoded(name.as_bytes())) "/withdraw" } {
                    p { label { input type="checkbox" name="sure" required; " Yes, it should not play any more" } }
                    p { button type="submit" { "Withdraw it from the hill" } }
                }
                p.small { "Its history stays. You can submit it again." }
            }
        }
    }
}

/// Withdraws a bot from the hill, if its author asks for it.
pub(crate) async fn withdraw(
    asked: Asked,
    Path((_, name)): Path<(String, String)>,
) -> Result<Redirect, Refusal> {
    let name = composed(&name).into_owned();
    let account = asked.account("only its author withdraws a bot: sign in first")?.to_owned();
    asked.served.inbox.check_mine()?;
    let page = format!("/{}/bots/{}", asked.served.name, percent_encoded(name.as_bytes()));
    let (who, site, served) = (asked.who(), asked.site, asked.served);
    let withdrawn = site.takes.run(&who, move || {
        let root = &served.root;
        if Entrants::read(root)?.last_submission(&name).is_none_or(|event| event.bot.author != account) {
            return Err(Refusal::new(StatusCode::FORBIDDEN, "this bot belongs to another author"));
        }
        let retired = Hill::open(root)?.retire(&name, By::Author).and_then(|event| {
            accounts::note(root, &account, "withdrawn", &format!("{name} version {}", event.bot.version))
        });
        retired.map_err(|error| Refusal::of(error, |text| served.without_path(text)))
    });
    withdrawn.await.map(|()| Redirect::to(&page))
}
