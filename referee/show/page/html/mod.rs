//! A recorded game as one HTML file that opens without a network.
//!
//! Its scripts are the files beside this one, without a build step. `tape` writes the data.

mod facts;
pub(crate) mod headline;
mod moments;
mod questions;
mod sentences;
mod tape;

use std::io::Read;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::DeflateDecoder;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use self::tape::{Common, Recorded, Tape};
use crate::drawing::mark;
use crate::page::decisive::{Decisive, Estimate};
use crate::page::{Together, picture};
use crate::view::story::Vocabulary;
use crate::view::written::Shown;
use referee_games::catalog::{self, Entry};
use referee_record::contents::Contents;
use referee_record::error::Error;
use referee_record::standard_error::Written;
use referee_record::text::{apart, count};
use referee_record::{Digest, Heading};
use referee_rules::picture::Picture;
use referee_rules::{BySeat, Outcome, Seat};

/// The template of the page.
const PAGE: &str = include_str!("page.html");

/// The style of the page. Until a script sets the theme, the page is dark if the system prefers that.
static STYLE: LazyLock<String> = LazyLock::new(|| {
    let style = include_str!("page.css");
    let dark = style.split_once(":root[data-theme=\"dark\"]").and_then(|(_, rest)| rest.split_once('}'));
    let dark = dark.expect("the rule of a dark page").0;
    format!("{style}@media (prefers-color-scheme: dark) {{ :root:not([data-theme]){dark}}} }}\n")
});

/// The corners of the seats' shapes, for the script.
static SHAPES: LazyLock<String> = LazyLock::new(|| {
    format!("const SHAPES = {};\n", serde_json::to_string(&mark::SHAPES).expect("plain values"))
});

/// The page's script: the parts before the game's board, and the parts after it.
const SCRIPTS: [&[&str]; 2] = [
    &[include_str!("tape.js"), include_str!("board.js")],
    &[
        include_str!("timeline.js"),
        include_str!("camera.js"),
        include_str!("pace.js"),
        include_str!("tell.js"),
        include_str!("app.js"),
    ],
];

/// The board of a game without its own: a scene if its facts describe one, else a table.
const NO_BOARD: &str = concat!(include_str!("table.js"), include_str!("scene.js"));

/// Finds the standard error of a seat, if it is kept.
pub type Errors<'a> = &'a (dyn Fn(Seat) -> Option<Written> + Sync);

/// A link from a page to another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its text.
    pub text: String,
    /// The address that it leads to.
    pub address: String,
}

/// The surroundings of a public page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The title of the contest; empty if it is not known.
    pub contest: String,
    /// The title of the game; if it is empty, the title is the game's name in the log.
    pub called: String,
    /// Links to other pages.
    pub links: Vec<Link>,
    /// The address of the game's picture, which a chat shows with a link to the page.
    pub picture: Option<String>,
}

/// Returns the page of a recorded game, with the standard error of its bots, and with its decisive turns.
///
/// # Errors
///
/// If it is not a log, or lacks the answer of a seat.
pub fn page(
    log: Contents,
    errors: Errors<'_>,
    why: Option<&Decisive>,
    together: Together<'_>,
) -> Result<String, Error> {
    Ok(GamePage::make(log, &Additions { errors, why, ..Additions::default() }, together)?.html)
}

/// Returns the public page of a recorded game: without the standard error of its bots, which is for their authors.
pub fn public_page(log: Contents, context: &Context, together: Together<'_>) -> Result<String, Error> {
    Ok(GamePage::make(log, &Additions { context, ..Additions::default() }, together)?.html)
}

/// A game that is still being played, up to the end of its log.
#[derive(Clone, Debug)]
pub struct Live {
    /// The public page.
    pub html: String,
    /// The lines of its tape: one for each turn, one for the position now, one with the common parts. The lines of
    /// turns do not change when the game goes on.
    pub lines: Vec<String>,
}

/// Returns the page of a game that is still played. `script` follows the game: it may connect to the page's server.
/// `noscript` is shown without JavaScript, as HTML.
///
/// # Errors
///
/// If it is not yet a log, or its last row is not yet complete.
pub fn live(log: Contents, script: &str, noscript: &str, together: Together<'_>) -> Result<Live, Error> {
    let additions = Additions { live: Some(LiveScript { script, noscript }), ..Additions::default() };
    let GamePage { tape, html, .. } = GamePage::make(log, &additions, together)?;
    let mut lines = String::new();
    DeflateDecoder::new(&*tape).read_to_string(&mut lines).expect("it was packed here");
    Ok(Live { html, lines: lines.lines().map(str::to_owned).collect() })
}

/// Returns a page with two recorded games side by side, each with the standard error of its bots.
///
/// # Errors
///
/// If one of them is not a log, or lacks the answer of a seat.
pub fn pair(logs: [(Contents, Errors<'_>); 2], together: Together<'_>) -> Result<String, Error> {
    let [one, other] = logs
        .map(|(log, errors)| GamePage::make(log, &Additions { errors, ..Additions::default() }, together));
    let (one, other) = (one?, other?);
    // A frame may do only what both its own policy and that of the page around it allow.
    let scripts = format!("'{}' '{}' '{}'", digest(PAIR_SCRIPT), one.script, other.script);
    let styles = format!("'{}' '{}'", digest(PAIR_STYLE), digest(&STYLE));
    let policy = policy(&scripts, &styles, "");
    Ok(filled(PAIR, |name| match name {
        "policy" => policy.clone(),
        "title" => format!("{} and {}", one.title, other.title),
        "style" => PAIR_STYLE.to_owned(),
        "one" => quoted(&one.title),
        "other" => quoted(&other.title),
        "page-one" => quoted(&one.html.replace('&', "&amp;")),
        "page-other" => quoted(&other.html.replace('&', "&amp;")),
        "script" => PAIR_SCRIPT.to_owned(),
        other => unreachable!("the page has no place {other}"),
    }))
}

/// The page with two games.
const PAIR: &str = include_str!("pair.html");
const PAIR_STYLE: &str = include_str!("pair.css");
const PAIR_SCRIPT: &str = include_str!("pair.js");

/// The longest picture for readers without JavaScript, in bytes: a board of a judge can have 40,000 cells.
const PICTURE_MAX: usize = 128 << 10;

/// Maximum number of seats whose scores the result names: on the page, and for readers without JavaScript.
const RESULT_SEATS: usize = 6;
const STILL_SEATS: usize = 32;

/// The end of the text for readers without scripts.
const NO_SCRIPT: &str = "With JavaScript, this page plays the game. It loads nothing from the network.";

/// The contents of a page that are not in the record.
#[derive(Clone, Copy)]
struct Additions<'a> {
    errors: Errors<'a>,
    /// The decisive turns.
    why: Option<&'a Decisive>,
    context: &'a Context,
    live: Option<LiveScript<'a>>,
}

/// The script of a page that follows a game.
#[derive(Clone, Copy)]
struct LiveScript<'a> {
    /// A script after the page's own, which may connect to the page's server.
    script: &'a str,
    /// The text without scripts, as HTML.
    noscript: &'a str,
}

impl Default for Additions<'_> {
    fn default() -> Self {
        const NO_CONTEXT: &Context =
            &Context { contest: String::new(), called: String::new(), links: Vec::new(), picture: None };
        Additions { errors: &|_| None, why: None, context: NO_CONTEXT, live: None }
    }
}

/// A page of a game.
struct GamePage {
    /// The game's name, escaped.
    title: String,
    /// The digest of its script.
    script: String,
    tape: Vec<u8>,
    html: String,
}

impl GamePage {
    fn make(log: Contents, additions: &Additions<'_>, together: Together<'_>) -> Result<GamePage, Error> {
        let (front, tape) = Tape::deflated(together, |tape| write_tape(log, additions, tape))?;
        let Front { heading, players, headline, result, still } = front;
        let entry = catalog::find(&heading.rules).ok();
        let board = entry.and_then(|entry| entry.page_board).unwrap_or(NO_BOARD);
        let [before_board, after_board] = SCRIPTS.map(<[&str]>::concat);
        let (live_script, noscript, server) = match additions.live {
            Some(LiveScript { script, noscript }) => (script, noscript.to_owned(), " connect-src 'self';"),
            None => {
                let picture = picture::svg::element(&still, heading.bots.len(), "The last position");
                let picture = if picture.len() <= PICTURE_MAX { &*picture } else { "" };
                let (result, key) = (escaped(&result), key(&heading, entry));
                ("", format!("<p>{result}</p>{picture}{key}<p>{NO_SCRIPT}</p>"), "")
            }
        };
        let (shapes, teams) = (&*SHAPES, teams(entry));
        let script = format!("'use strict';\n{shapes}{teams}{before_board}{board}{after_board}{live_script}");
        let digest_of_script = digest(&script);
        let title = escaped(&heading.game);
        let html = filled(PAGE, |name| match name {
            "policy" => policy(&format!("'{digest_of_script}'"), &format!("'{}'", digest(&STYLE)), server),
            "title" => format!("{} - {}", escaped(&players), contest(additions.context, &heading)),
            "preview" => preview(&heading.game, &headline, additions.context),
            "style" => STYLE.clone(),
            "players" => escaped(&players),
            "links" => nav(&additions.context.links),
            "noscript" => noscript.clone(),
            "tape" => STANDARD.encode(&tape),
            "script" => script.clone(),
            other => unreachable!("the page has no place {other}"),
        });
        Ok(GamePage { title, script: digest_of_script, tape, html })
    }
}

/// The parts of a page that do not need its script.
struct Front {
    heading: Heading,
    players: String,
    headline: String,
    /// A sentence about the end of the game.
    result: String,
    /// The last position.
    still: Picture,
}

/// Writes the tape of a game, with its last line.
fn write_tape(log: Contents, additions: &Additions<'_>, tape: &mut Tape) -> Result<Front, Error> {
    let recorded = tape::record(log, additions.why, tape)?;
    let Recorded { mut heading, outcome, common, lead, faults, still } = recorded;
    let vocabulary = Vocabulary::of(&heading);
    if !additions.context.called.is_empty() {
        heading.game.clone_from(&additions.context.called);
    }
    let labels = catalog::find(&heading.rules).map_or(&[][..], |entry| entry.labels);
    let shown = |seat| (additions.errors)(seat).as_ref().map(Shown::of);
    let headline = headline::headline(&heading, outcome.as_ref(), lead, additions.why);
    let result = |seats_max| {
        outcome.as_ref().map(|outcome| headline::result(outcome, common.turns, &vocabulary, seats_max))
    };
    let falls = additions.why.iter().flat_map(|why| &why.falls);
    let falls: Vec<_> = falls.map(|fall| (fall.seat, fall.turns.0)).collect();
    let lead = if outcome.is_some() { lead.since } else { None };
    let head = Head {
        labels,
        expected: expected(additions.why),
        moments: moments::moments(lead, &falls, &faults, &vocabulary),
        result: result(RESULT_SEATS).map(|result| format!("{headline}. {result}")),
        ..Head::of(&heading, &vocabulary, outcome.as_ref(), &common, shown)
    };
    tape.push(&head);
    let players = match &*additions.context.called {
        "" => apart(&vocabulary.players()).into_owned(),
        called => called.to_owned(),
    };
    let still_result = match result(STILL_SEATS) {
        Some(result) => result,
        None => format!("The record ends after {}.", count(common.turns.into(), "turn")),
    };
    Ok(Front { heading, players, headline, result: still_result, still })
}

/// Returns the number of the team of each seat, for the script; none where each seat plays for itself.
fn teams(entry: Option<&Entry>) -> String {
    let teams = entry.map(Entry::teams).unwrap_or_default();
    format!("const TEAMS = {teams:?};\n")
}

/// Returns the marks of the seats and their bots, for readers without JavaScript.
fn key(heading: &Heading, entry: Option<&Entry>) -> String {
    const SEATS_MAX: usize = 32;
    let seats = heading.bots.len();
    let line = |seat: Seat| {
        let name = escaped(&apart(&heading.bots[seat].name));
        let team = entry.map_or(seat.index(), |entry| entry.team(seat));
        format!("<li>{} {name}</li>", picture::svg::mark(seat, team, seats))
    };
    let lines: String = Seat::first(seats).take(SEATS_MAX).map(line).collect();
    format!("<ul>{lines}</ul>")
}

/// Returns the title of the contest, escaped; if it is not known, that of the game.
fn contest(context: &Context, heading: &Heading) -> String {
    escaped(if context.contest.is_empty() { title(&heading.rules) } else { &context.contest })
}

/// Returns the name of a game's rules for people.
fn title(rules: &str) -> &str {
    catalog::find(rules).map_or(rules, |entry| entry.title())
}

/// Returns what a chat shows with a link to the page: Open Graph.
fn preview(game: &str, headline: &str, context: &Context) -> String {
    let of_picture = context.picture.iter().flat_map(|address| {
        let size = crate::page::preview::SIZE;
        [
            ("property", "og:image", address.clone()),
            ("property", "og:image:width", size.0.to_string()),
            ("property", "og:image:height", size.1.to_string()),
            ("property", "og:image:alt", "The last position of the game".to_owned()),
            ("name", "twitter:card", "summary_large_image".to_owned()),
        ]
    });
    let title =
        if context.contest.is_empty() { game.to_owned() } else { format!("{game} - {}", context.contest) };
    let of_text = [
        ("property", "og:title", title),
        ("property", "og:description", headline.to_owned()),
        ("property", "og:type", "website".to_owned()),
        ("name", "description", headline.to_owned()),
    ];
    let tag = |(kind, name, text): (&str, &str, String)| {
        format!("<meta {kind}=\"{name}\" content=\"{}\">\n", quoted(&escaped(&text)))
    };
    of_text.into_iter().chain(of_picture).map(tag).collect()
}

/// Returns the links of a page as HTML.
fn nav(links: &[Link]) -> String {
    let link = |Link { text, address }: &Link| {
        format!("<a href=\"{}\">{}</a>", quoted(&escaped(address)), escaped(text))
    };
    let links: String = links.iter().map(link).collect();
    if links.is_empty() {
        links
    } else {
        format!("<nav class=\"links\" aria-label=\"Contest\">{links}</nav>")
    }
}

/// Returns the expected shares before some turns, and at the end, rounded to thousandths.
fn expected(why: Option<&Decisive>) -> Option<Vec<(u32, Vec<f64>)>> {
    let rounded = |share: f64| (share * 1000.0).round() / 1000.0;
    let point = |(turn, shares): &(u32, BySeat<Estimate>)| {
        (*turn, shares.iter().map(|(_, share)| rounded(share.mean)).collect())
    };
    let expected = &why?.expected;
    // A line needs two points.
    if expected.len() < 2 {
        return None;
    }
    Some(expected.iter().map(point).collect())
}

/// Returns the policy of a page: it can run these scripts, use these styles, connect to this server, and nothing else.
fn policy(scripts: &str, styles: &str, server: &str) -> String {
    format!(
        "default-src 'none'; script-src {scripts}; style-src {styles};{server} img-src data:; base-uri 'none'; \
         form-action 'none'"
    )
}

/// Puts texts into the places of a page.
fn filled(page: &str, fill: impl Fn(&str) -> String) -> String {
    let mut filled = String::new();
    for part in page.split("{{") {
        match part.split_once("}}") {
            Some((name, text)) => filled.extend([&*fill(name), text]),
            None => filled.push_str(part),
        }
    }
    filled
}

/// Escapes a text for use between quotation marks.
fn quoted(text: &str) -> String {
    text.replace('"', "&quot;")
}

/// The last line of the tape.
#[derive(Serialize)]
struct Head<'a> {
    game: &'a str,
    rules: &'a str,
    /// The name of the rules for people.
    title: &'a str,
    /// The parameters in words.
    settings: Vec<(String, String)>,
    version: u32,
    parameters: &'a [(String, String)],
    seed: String,
    end: Option<&'static str>,
    seats: Vec<Bot<'a>>,
    /// The texts that a scene shows at places.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    labels: &'a [&'static str],
    /// The turns that are worth a look, each with its words.
    moments: Vec<(u32, String)>,
    /// Who has won, why the game ended, and the scores; none if it was given up.
    result: Option<String>,
    /// The expected share of each seat before some turns, where it was computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<Vec<(u32, Vec<f64>)>>,
    #[serde(flatten)]
    common: &'a Common,
}

#[derive(Serialize)]
struct Bot<'a> {
    name: &'a str,
    /// Its name in sentences: with its seat, if another has the same name.
    called: String,
    version: u32,
    digest: &'a str,
    score: Option<i64>,
    share: Option<f64>,
    place: Option<usize>,
    errors: Option<String>,
    /// Whether nobody is in this seat, as the record of a check game says it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    empty: bool,
    /// The standard error by turn, if the turns are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    wrote: Vec<(u32, String)>,
}

impl<'a> Head<'a> {
    fn of(
        heading: &'a Heading,
        vocabulary: &Vocabulary,
        outcome: Option<&Outcome>,
        common: &'a Common,
        errors: impl Fn(Seat) -> Option<Shown>,
    ) -> Head<'a> {
        let bot = |seat: Seat| {
            let bot = &heading.bots[seat];
            let (errors, wrote) = errors(seat).map(|Shown { whole, turns }| (whole, turns)).unzip();
            Bot {
                name: &bot.name,
                called: apart(vocabulary.bot(seat)).into_owned(),
                version: bot.version,
                digest: bot.digest.as_str(),
                score: outcome.map(|outcome| outcome.scores[seat]),
                share: outcome.map(|outcome| outcome.shares[seat]),
                place: outcome.map(|outcome| outcome.place(seat)),
                errors,
                empty: bot.name == "nobody" && bot.digest == Digest::of(b""),
                wrote: wrote.unwrap_or_default(),
            }
        };
        Head {
            game: &heading.game,
            rules: &heading.rules,
            title: title(&heading.rules),
            settings: vocabulary.settings(),
            version: heading.version,
            parameters: &heading.parameters,
            seed: heading.seed.to_string(),
            end: outcome.map(|outcome| outcome.reason),
            seats: heading.bots.iter().map(|(seat, _)| bot(seat)).collect(),
            labels: &[],
            moments: Vec::new(),
            result: None,
            expected: None,
            common,
        }
    }
}

/// Returns the name by which a policy allows a script or a style.
fn digest(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
