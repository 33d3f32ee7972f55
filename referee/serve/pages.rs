//! The pages for people. Templates escape all text. All pages work without JavaScript; with it, standings and games
//! follow the results.

use std::collections::BTreeSet;
use std::path::Path as FilePath;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use referee_files::beneath::Spot;
use referee_files::log;
use referee_files::threads::together;
use referee_games::catalog;
use referee_record::text::{NAME, apart, count, harmless, percent_encoded};
use referee_report::pages::parts::{self, Links, named, plain};
use referee_report::pages::show::games::{self, GameRow, GameSummary, sentence};
use referee_report::pages::show::{ContestSummary, LastPlaces, View};
use referee_report::tables::sheet::Sheet;
use referee_rules::FaultKind;
use referee_show::page::html::{Context, Link, public_page};
use referee_show::page::preview;

use crate::access::Visit;
use crate::answer_cache::CachedAnswer;
use crate::api::{cached, game_of, known, log_of};
use crate::frame::HEADS_OF_REPLAYS;
use crate::index::Filter;
use crate::layout::{self, Page, Whole, document};
use crate::query::{GAMES_ON_A_PAGE, GamesQuery, StrictQuery};
use crate::refusal::Refusal;
use crate::site::{SERVER, Served, Site};
use crate::starters::{self, referee};
use crate::store::stamp;

/// Lists the hills and tournaments, unless they are private.
pub(crate) async fn index(State(site): State<Arc<Site>>) -> Result<Whole, Refusal> {
    if site.options.private {
        return Err(Refusal::missing("the hills here are private: ask the host for the address of yours"));
    }
    let body = html! {
        div.hills { @for served in site.contests.values() { (contest_in_short(served)) } }
    };
    let is_of_hills = site.contests.values().all(|served| served.is_hill);
    let title = if is_of_hills { "King of the hill" } else { "Contests" };
    Ok(document(&Page { title, ..Page::default() }, &body))
}

/// The section of the server's first page about a contest: its title, who leads, how far it is.
fn contest_in_short(served: &Served) -> Markup {
    let snapshot = served.followed.snapshot();
    let last = served.followed.index().find(&Filter::default(), 1).unwrap_or_default();
    html! {
        section {
            h2 { a href={ "/" (served.name) } { (apart(served.title_or_name())) } }
            p.small { @if served.title_or_name() != served.name { (served.name) ": " } (served.about) }
            @match &snapshot.contest.season {
                Some(season) => {
                    @match (&season.lead, season.sentences.first()) {
                        (Some(lead), _) => p { (parts::linked_sentence(served, &lead.sentence())) },
                        (None, Some(sentence)) => p { (apart(sentence)) },
                        (None, None) => {}
                    }
                    p.small { (season.so_far)
                        @if served.is_hill && snapshot.games as u64 > served.games_of(season.number) {
                            " of " (snapshot.games) " in all"
                        } ". "
                        @if !season.verdicts.is_empty() { "There is a verdict. " }
                        @if let Some((_, game)) = last.first() { "The last game: " (parts::time(&game.started)) "." } }
                },
                _ => p { "No game has been played yet. " (count(snapshot.contest.field.len() as u64, "bot")) " so far." },
            }
        }
    }
}

/// A table for people. Names of bots are links to their pages. Means have at most this number of digits behind the
/// point, if there is one.
pub(crate) fn table(served: &Served, caption: &str, sheet: &Sheet, digits_max: Option<usize>) -> Markup {
    parts::table(caption, sheet, Some(served), digits_max)
}

/// A verdict: its first line as a sentence, the others, which a program wrote, as they are. A long question is folded.
pub(crate) fn verdict(message: &str) -> Markup {
    const QUESTION_MAX: usize = 120;
    let (first, rest) = message.split_once('\n').unwrap_or((message, ""));
    let is_long_question =
        |line: &&str| line.trim_start().starts_with("question: ") && line.len() > QUESTION_MAX;
    let (questions, others): (Vec<&str>, Vec<&str>) = rest.lines().partition(is_long_question);
    html! {
        p.said { (first) }
        @for line in questions {
            (folded(line.trim_start().trim_start_matches("question: ")))
        }
        @if !others.is_empty() { pre tabindex="0" { (others.join("\n")) } }
    }
}

/// A question behind a click.
pub(crate) fn folded(question: &str) -> Markup {
    html! {
        details { summary { "The question, " (count(question.split_whitespace().count() as u64, "integer")) }
            pre.wrapped tabindex="0" { (question) } }
    }
}

impl Links for Served {
    fn bot(&self, name: &str) -> Option<String> {
        Some(format!("/{}/bots/{}", self.name, percent_encoded(name.as_bytes())))
    }
}

/// A bot's name as a link to its page.
pub(crate) fn linked(served: &Served, name: &str) -> Markup {
    parts::bot(served, name)
}

impl Served {
    /// What pages of it show. `last_places` returns the places of a bot in its last games.
    pub(crate) fn view<'a>(
        &'a self,
        contest: &'a ContestSummary,
        last_places: &'a LastPlaces<'a>,
    ) -> View<'a> {
        View { contest, links: self, is_hill: self.is_hill, is_latest: true, last_places }
    }

    /// A row of a list of games.
    fn row<'a>(&self, game: &'a GameSummary) -> GameRow<'a> {
        let games_where = |query: String| Some(format!("/{}/games?{query}", self.name));
        let page = format!("/{}/games/{}", self.name, game.id);
        GameRow {
            game,
            why: String::new(),
            called: None,
            replay: Some(format!("{page}/replay")),
            page: Some(page),
            log: None,
            of_round: games_where(format!("season={}&round={}", game.place.season, game.place.round)),
            of_end: games_where(format!("end={}", percent_encoded(game.end.as_bytes()))),
        }
    }
}

/// The content type of pages.
pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// Lists the games of a query, newest first.
pub(crate) async fn games(
    visit: Visit,
    StrictQuery(query): StrictQuery<GamesQuery>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let query = query.for_contest(&visit.served);
    let (filter, limit) = query.filter(2 * GAMES_ON_A_PAGE)?;
    if !query.format.is_empty() {
        let what = format!("this is a page: games as JSON or CSV are at /{}/api/v1/games", visit.served.name);
        return Err(Refusal::bad(what));
    }
    let address = format!("games {query:?}");
    let make = move |served: &Served, number| games_page(served, number, &query, &filter, limit);
    Ok(cached_page(&visit, address, make).await?.answer(&headers))
}

/// Returns a page of a contest that changes only with its results. `make` gets the number of the snapshot.
pub(crate) async fn cached_page(
    visit: &Visit,
    page: String,
    make: impl FnOnce(&Served, u64) -> Result<Whole, Refusal> + Send + 'static,
) -> Result<Arc<CachedAnswer>, Refusal> {
    cached(visit, page, HTML, |served, number| make(served, number).map(|page| page.0.into())).await
}

fn games_page(
    served: &Served,
    number: u64,
    query: &GamesQuery,
    filter: &Filter,
    limit: usize,
) -> Result<Whole, Refusal> {
    let (found, reasons) = {
        let index = served.followed.index();
        (index.find(filter, limit)?, index.reasons())
    };
    let older = match found.last() {
        Some((number, _)) if found.len() == limit && *number > 0 => {
            Some(query.clone().for_games_before(*number))
        }
        _ => None,
    };
    let bot = if query.bot.is_empty() { None } else { Some(&*query.bot) };
    let body = html! {
        section {
            h2 { "Games, newest first" }
            (faults(served, bot, &query.fault))
            details.find open[!query.is_unconditional()] {
                summary { "Find games" }
                (search_form(served, query, &reasons))
            }
            @if !found.is_empty() { (list(served, &found)) }
            @else if query.is_unconditional() { p { "No game has been played yet." } }
            @else { p { "No such game." } }
            @if let Some(older) = older {
                p { a href={ "/" (served.name) "/games?" (older) } rel="next" { "Older games" } }
            }
        }
    };
    // A list of old games is not renewed while somebody reads it.
    Ok(if query.is_for_older_games() {
        layout::page(served, "Games", "games", &body)
    } else {
        layout::live_page(served, number, "Games", "games", &body)
    })
}

/// The form for a search of games. `reasons` are those for which games have ended.
fn search_form(served: &Served, query: &GamesQuery, reasons: &[String]) -> Markup {
    let title = served.followed.snapshot().contest.title_of_season();
    let round_fields: &[_] = if served.has_seasons() {
        &[
            ("season", if served.is_hill { title } else { "Sub-tournament" }, &query.season),
            ("round", "Its round", &query.round),
        ]
    } else {
        &[("round", "Round", &query.round)]
    };
    let kinds = FaultKind::ALL.map(FaultKind::name).map(str::to_owned).to_vec();
    html! {
        form.filter method="get" {
            @for (name, label, value) in [
                ("bot", "Bot", &query.bot), ("version", "Its version", &query.version),
                ("opponent", "Opponent", &query.opponent),
            ] {
                p {
                    label for=(name) { (label) }
                    input id=(name) name=(name) value=(value) maxlength="32" autocomplete="off";
                }
            }
            @for (name, label, words, value) in [
                ("fault", "With the fault", &kinds[..], &query.fault), ("end", "Ended by", reasons, &query.end)
            ] { p { label for=(name) { (label) } select id=(name) name=(name) {
                option value="" { "any" }
                @for word in words { option value=(word) selected[value == word] { (harmless(word, NAME)) } }
            } } }
            @for (name, label, value) in round_fields {
                p {
                    label for=(name) { (label) }
                    input id=(name) name=(name) value=(value) maxlength="10" inputmode="numeric" autocomplete="off";
                }
            }
            @for (name, label, value) in [("since", "Since (UTC)", &query.since), ("until", "Before", &query.until)] {
                p {
                    label for=(name) { (label) }
                    input id=(name) name=(name) value=(value) maxlength="20" placeholder="2026-12-31" autocomplete="off";
                }
            }
            p { button type="submit" { "Show" } }
        }
    }
}

/// Links to the games with each fault that has occurred, of a bot or of all. `fault_shown` is the fault for which the
/// page lists games; empty if it lists others.
pub(crate) fn faults(served: &Served, bot: Option<&str>, fault_shown: &str) -> Markup {
    let found = served.followed.index().faults(bot);
    let of_bot = bot.map(|bot| format!("bot={}&", percent_encoded(bot.as_bytes()))).unwrap_or_default();
    html! {
        @if !found.is_empty() {
            p { "With a fault" @if let Some(bot) = bot { " of " (named(bot)) } ": "
                @for (number, (fault, games)) in found.iter().enumerate() {
                    @if number > 0 { ", " }
                    a href={ "/" (served.name) "/games?" (of_bot) "fault=" (fault.name()) }
                        aria-current=[(fault_shown == fault.name()).then_some("true")] {
                        (fault.name()) " in " (count(*games, "game"))
                    }
                } "." }
        }
    }
}

/// Lists games, each as a sentence.
pub(crate) fn list(served: &Served, games: &[(usize, GameSummary)]) -> Markup {
    let rows: Vec<GameRow<'_>> = games.iter().map(|(_, game)| served.row(game)).collect();
    let snapshot = served.followed.snapshot();
    games::list(served.view(&snapshot.contest, &|_, _, _| Vec::new()), "Games", &rows, served.has_seasons())
}

pub(crate) async fn game(visit: Visit, Path((_, game)): Path<(String, String)>) -> Result<Whole, Refusal> {
    let served = &visit.served;
    let (snapshot, game) = (known(served)?, &game_of(served, &game)?);
    let api = format!("/{}/api/v1/games/{}", served.name, game.id);
    let is_mine =
        |bot: &str| visit.account.is_some() && visit.account.as_ref() == snapshot.contest.authors.get(bot);
    let body = html! {
        section {
            p.lead { (sentence(served.view(&snapshot.contest, &|_, _, _| Vec::new()), game)) "." }
            dl {
                div { dt { "Game" } dd { (game.id) } }
                div { dt { "Played" } dd { (parts::time(&game.started)) ", " (served.place(game.place)) } }
                @let turns = count(game.turns.into(), "turn");
                div { dt { "End" } dd { (harmless(&served.end_of(game), 2 * NAME)) ", after " (turns) } }
            }
            @let replay = format!("/{}/games/{}/replay", served.name, game.id);
            p { a href=(replay) { "Watch it" } }
            a.shown href=(replay) { img src={ "/" (served.name) "/games/" (game.id) "/picture.png" } loading="lazy"
                width=(preview::SIZE.0) height=(preview::SIZE.1) alt="The last position: watch the game"; }
            (seats_table(served, game, is_mine))
            @let log = FilePath::new(&*game.log).file_name().unwrap_or_default().to_string_lossy();
            p.small { "To check this game: its " a href={ (api) "/log" } { "log" }
                ", and this command, which plays it again by the rules." }
            pre tabindex="0" { "referee audit " (log) }
        }
    };
    let page = Page {
        title: "Game",
        served: Some(served),
        here: "games",
        about: &result_in_short(game),
        game: &game.id,
        ..Page::default()
    };
    Ok(document(&page, &body))
}

/// The seats of a game by place. The standard error of a bot is for its author: `is_mine` tells whether a bot is the
/// visitor's.
fn seats_table(served: &Served, game: &GameSummary, is_mine: impl Fn(&str) -> bool) -> Markup {
    let has_mine = game.seats.iter().any(|seat| is_mine(&seat.bot));
    html! {
        div.scroll tabindex="0" role="group" aria-label="Seats" { table.seats {
            thead { tr {
                th scope="col" .n { "place" } th scope="col" { "bot" }
                @for head in ["score", "share", "faults", "longest ms", "seat", "version"] {
                    th scope="col" .n { (head) }
                }
                @if has_mine { th scope="col" { "for its author" } }
            } }
            tbody { @for number in game.by_place() { tr {
                @let seat = &game.seats[number];
                td.n { (seat.place) } th scope="row" { (linked(served, &seat.bot)) }
                td.n { (seat.score) } td.n { (format!("{:.4}", seat.share)) } td.n { (seat.faults) }
                td.n { (format!("{:.3}", seat.max_us as f64 / 1000.0)) } td.n { (number) }
                td.n { (seat.version) }
                @if has_mine { td { @if is_mine(&seat.bot) {
                    a href={ "/" (served.name) "/api/v1/games/" (game.id) "/stderr/" (number) } { "standard error" }
                } } }
            } } }
        } }
    }
}

/// Returns the result of a game in a line.
fn result_in_short(game: &GameSummary) -> String {
    const SEATS_SHOWN: usize = 4;
    let seats = game.by_place();
    let mut results = Vec::new();
    for seat in seats.iter().take(SEATS_SHOWN).map(|seat| &game.seats[*seat]) {
        results.push(format!("{}. {} {}", seat.place, plain(&seat.bot), seat.score));
    }
    if seats.len() > SEATS_SHOWN {
        results.push(format!("and {} more", seats.len() - SEATS_SHOWN));
    }
    results.join(", ")
}

/// Sends the picture of a game that chats show with a link to it.
pub(crate) async fn picture(
    visit: Visit,
    Path((_, game)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let served = Arc::clone(&visit.served);
    let found = visit.work(move || {
        let log = log_of(&served, &game)?;
        let (address, stamp) =
            (format!("/{}/games/{game}/picture", served.name), format!("{:?}", stamp(&log)));
        Ok::<_, Refusal>((served, log, address, stamp))
    });
    let (served, log, address, stamp) = found.await?;
    let make = move || preview::draw(log::open(&log)?, served.title_or_name());
    let cached = visit.long_answer(address, stamp, "image/png", make).await?;
    // Pages of chats and forums, which are other sites, show the picture.
    let heads = [
        (header::CACHE_CONTROL, "private, max-age=3600"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "cross-origin"),
    ];
    Ok((heads, cached.answer(&headers)).into_response())
}

/// Maximum number of bots to which a replay leads.
const BOTS_LINKED: usize = 8;

/// Says where the replay of a game is, and where it leads.
fn context_of(served: &Served, game: &GameSummary, next: Option<&str>) -> Context {
    let hill = format!("/{}", served.name);
    let link = |text: &str, address: String| Link { text: text.to_owned(), address };
    let mut links = vec![
        link(served.title_or_name(), hill.clone()),
        link("This game", format!("{hill}/games/{}", game.id)),
    ];
    links.extend(next.map(|next| link("Next game", format!("{hill}/games/{next}/replay"))));
    // The bots are in the order of their seats, which does not tell the result.
    let mut bots: Vec<&str> = game.seats.iter().map(|seat| &*seat.bot).collect();
    let mut known = BTreeSet::new();
    bots.retain(|bot| known.insert(*bot));
    let bot = |name: &&str| link(&plain(name), format!("{hill}/bots/{}", percent_encoded(name.as_bytes())));
    links.extend(bots.iter().take(BOTS_LINKED).map(bot));
    let (contest, picture) = (served.title_or_name().to_owned(), Some(served.picture_of(&game.id)));
    Context { contest, links, picture, ..Context::default() }
}

/// Shows a game turn by turn: the page of `referee replay --html`, without the standard error of the bots.
pub(crate) async fn replay(
    visit: Visit,
    Path((_, game)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let served = Arc::clone(&visit.served);
    let found = visit.work(move || {
        let (log, line) = (log_of(&served, &game)?, game_of(&served, &game)?);
        let next = served.followed.index().next(&game)?;
        Ok::<_, Refusal>((log, context_of(&served, &line, next.as_deref()), next.is_some()))
    });
    let (log, context, has_next) = found.await?;
    let answer = replay_page(&visit, log, context, &headers).await?;
    // A game that has ended does not change, but the last one gets a link to the next.
    let cache = (header::CACHE_CONTROL, if has_next { "private, max-age=3600" } else { "private, no-cache" });
    Ok(([cache], answer).into_response())
}

/// Returns the page that plays a log.
pub(crate) async fn replay_page(
    visit: &Visit,
    log: Spot,
    context: Context,
    headers: &HeaderMap,
) -> Result<Response, Refusal> {
    let (log, stamp) = visit
        .work(move || {
            let stamp = stamp(&log);
            Ok::<_, Refusal>((log, stamp))
        })
        .await?;
    let (address, stamp) = (log.path().to_string_lossy().into_owned(), format!("{stamp:?} {context:?}"));
    let make = move || public_page(log::open(&log)?, &context, &together).map(String::into_bytes);
    let answer = visit.long_answer(address, stamp, HTML, make).await?.answer(headers);
    Ok((HEADS_OF_REPLAYS, answer).into_response())
}

/// Shows the rules of the game and the protocol, from the book, with starters.
pub(crate) async fn rules(visit: Visit) -> Result<Whole, Refusal> {
    let Visit { site, served, .. } = &visit;
    // The page does not change while the server runs.
    let page = served.rules.get_or_try_init(|| async {
        let (program, served) = (site.referee.clone(), Arc::clone(served));
        site.reads.run(SERVER, move || rules_page(&program, &served)).await
    });
    page.await.cloned()
}

fn rules_page(program: &FilePath, served: &Served) -> Result<Whole, Refusal> {
    let page = |name: &str| -> Result<Option<Markup>, Refusal> {
        let text = match referee(program, &["docs", name], FilePath::new("/"))? {
            Some(output) => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
            // A judge, or a game of a crate, has no page in the book.
            None => catalog::find(name).ok().map(|entry| entry.described()),
        };
        Ok(text.map(|text| render_markdown(&text)))
    };
    let (game, protocol) = (page(served.game)?, page("protocol")?);
    let body = html! {
        @if let Some(game) = game { section.book { (game) } }
        section {
            h2 { "Starters" }
            p { "A small bot that plays, with its build script: "
                (starters::links(served)) "." }
        }
        @if let Some(protocol) = protocol {
            section.book { details { summary { "The protocol: how a bot and the referee talk, with all limits" } (protocol) } }
        }
    };
    Ok(layout::page(served, "Rules", "rules", &body))
}

/// Returns a page of the book without its links and pictures: they lead to files that are not here.
fn render_markdown(text: &str) -> Markup {
    let mut in_picture = false;
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).filter_map(|event| match event {
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {
            in_picture = matches!(event, Event::Start(_));
            None
        }
        Event::Start(Tag::Link { .. }) | Event::End(TagEnd::Link) => None,
        Event::Html(html) | Event::InlineHtml(html) => Some(Event::Text(html)),
        // The text of a picture, which replaces it for a reader who cannot see it.
        _ if in_picture => None,
        event => Some(event),
    });
    let mut page = String::new();
    pulldown_cmark::html::push_html(&mut page, events);
    // Wide blocks can be scrolled by keyboard, too.
    PreEscaped(page.replace("<pre>", "<pre tabindex=\"0\">"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_of_records_is_a_time_wherever_it_is_and_nothing_else_is() {
        for (text, is) in [
            ("2026-11-27T18:33:47Z", true),
            ("2026-11-27 18:33:47", false),
            ("2026-11-27T18:33:47+0", false),
            ("s001-r00001-t001-g1", false),
            ("", false),
        ] {
            assert_eq!(parts::cell(text).into_string().contains("<time "), is, "{text}");
        }
    }

    #[test]
    fn what_a_program_wrote_keeps_its_columns_and_a_long_question_is_folded() {
        let question = "7 ".repeat(82);
        let message =
            format!("fox is not admitted\n  question: {question}\n  x.c:1:3: error\n     <b>\n       ^");
        let page = verdict(&message).into_string();
        assert!(page.starts_with("<p class=\"said\">fox is not admitted</p>"), "{page}");
        assert!(page.contains("<summary>The question, 82 integers</summary>"), "{page}");
        assert!(page.ends_with("  x.c:1:3: error\n     &lt;b&gt;\n       ^</pre>"), "{page}");
        assert_eq!(verdict("admitted").into_string(), "<p class=\"said\">admitted</p>");
    }
}
