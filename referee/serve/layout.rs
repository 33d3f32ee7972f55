//! The frame of all pages: head, style, script, navigation.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};
use referee_record::Digest;
use referee_record::text::apart;
use referee_report::pages::show::head::{self, Frame, STYLE};
use referee_show::page::preview;

use crate::refusal::Refusal;
use crate::site::Served;

/// The style of all pages, and the additions for the server's.
static ALL_STYLE: LazyLock<String> = LazyLock::new(|| [&STYLE, include_str!("style.css")].concat());

const SCRIPT: &str = include_str!("live.js");

/// Shows times as the visitor's clock has them.
const TIMES: &str = include_str!("times.js");

/// Packs several files of a submission as one.
const PACK: &str = include_str!("pack.js");

/// The names of style and scripts. They contain digests, so a browser can keep the files forever.
static STYLE_NAME: LazyLock<String> = LazyLock::new(|| asset_name(&ALL_STYLE, "css"));
static SCRIPT_NAME: LazyLock<String> = LazyLock::new(|| asset_name(SCRIPT, "js"));
static TIMES_NAME: LazyLock<String> = LazyLock::new(|| asset_name(TIMES, "js"));
static PACK_NAME: LazyLock<String> = LazyLock::new(|| asset_name(PACK, "js"));

/// The script of a form with the fields `program` and `folder`, and an element `packed` for its messages.
pub(crate) fn pack_script() -> Markup {
    html! { script src={ "/assets/" (*PACK_NAME) } defer {} }
}

fn asset_name(text: &str, ending: &str) -> String {
    format!("{}.{ending}", Digest::of(text.as_bytes()).short())
}

/// Seconds after which a page that shows what is played now is renewed.
const RENEWAL: u32 = 10;

/// The properties of a page.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Page<'a> {
    pub(crate) title: &'a str,
    pub(crate) served: Option<&'a Served>,
    /// The part of the hill's address that leads to this page, for the navigation.
    pub(crate) here: &'a str,
    /// The number of the snapshot that the page shows, if the page is renewed when there are new results.
    pub(crate) snapshot_number: Option<u64>,
    /// Whether the page is also renewed as games begin and end.
    pub(crate) follows_games: bool,
    /// Whether it is the first page of the hill, whose heading is the title of the contest.
    pub(crate) is_first: bool,
    /// What a chat says about a link to the page; if it is empty, a chat says what the hill is.
    pub(crate) about: &'a str,
    /// The game whose picture a chat shows; empty if there is none.
    pub(crate) game: &'a str,
}

/// The address of the style.
fn style() -> String {
    format!("/assets/{}", *STYLE_NAME)
}

/// What a chat shows with a link to a page: Open Graph.
fn preview(served: &Served, page: &Page<'_>) -> Markup {
    let about_contest = about(served);
    let about = if page.about.is_empty() { &about_contest } else { page.about };
    html! {
        meta property="og:title" content={ (page.title) " - " (served.title_or_name()) };
        meta property="og:description" content=(about);
        meta property="og:type" content="website";
        meta name="description" content=(about);
        @if !page.game.is_empty() {
            meta property="og:image" content=(served.picture_of(page.game));
            meta property="og:image:width" content=(preview::SIZE.0);
            meta property="og:image:height" content=(preview::SIZE.1);
            meta property="og:image:alt" content="The last position of a game";
            meta name="twitter:card" content="summary_large_image";
        }
    }
}

/// The script of a page that is renewed when the snapshot is no longer the one with this number, and after each
/// `seconds`, if there are some.
fn renewal_script(name: &str, snapshot_number: u64, seconds: Option<u32>) -> Markup {
    html! {
        script src={ "/assets/" (*SCRIPT_NAME) } data-events={ "/" (name) "/api/v1/events" }
            data-number=(snapshot_number) data-every=[seconds] defer {}
    }
}

/// A whole page, as it is sent.
pub(crate) type Whole = Html<String>;

/// Returns a whole page.
pub(crate) fn document(page: &Page<'_>, body: &Markup) -> Whole {
    let Page { title, served, here, snapshot_number, is_first, .. } = *page;
    let name = served.map_or("", |served| &served.name);
    let parts = [
        ("", "Standings"),
        ("games", "Games"),
        ("live", "Live"),
        ("wall", "Wall"),
        ("rules", "Rules and starters"),
        ("submit", "Submit"),
        ("account", "Your bots"),
    ];
    let seconds = if page.follows_games { Some(RENEWAL) } else { None };
    let more = html! {
        @if let Some(served) = served { (preview(served, page)) }
        @if let Some(number) = snapshot_number { (renewal_script(name, number, seconds)) }
        // It runs before the page is drawn: times that change their length afterwards would move the text.
        script src={ "/assets/" (*TIMES_NAME) } defer blocking="render" {}
    };
    let header = match served {
        Some(served) if is_first => head::heading(served.title_or_name(), &served.text, &served.about),
        Some(served) => {
            html! { h1 { (title) } p.small { (apart(served.title_or_name())) ": " (served.about) } }
        }
        None => html! { h1 { (title) } },
    };
    let items = |served: &Served| {
        html! {
            @for (part, label) in parts.into_iter().filter(|(part, _)| served.has_link_to(part)) {
                @let address = if part.is_empty() { format!("/{name}") } else { format!("/{name}/{part}") };
                li { a href=(address) aria-current=[(part == here).then_some("page")] { (label) } }
            }
        }
    };
    let title = served.map_or(title.to_owned(), |served| format!("{title} - {}", served.title_or_name()));
    let frame = Frame {
        title: &title,
        style: &style(),
        more,
        header,
        nav: served.map(|served| (if served.is_hill { "Hill" } else { "Tournament" }, items(served))),
        class: if is_first {
            "first"
        } else if here == "host" {
            "two"
        } else {
            ""
        },
        footer: html! { a href="/openapi.json" { "For programs" } },
    };
    Html(head::document(&frame, body).into_string())
}

/// Returns a page of a hill.
pub(crate) fn page(served: &Served, title: &str, here: &str, body: &Markup) -> Whole {
    document(&Page { title, served: Some(served), here, ..Page::default() }, body)
}

/// Returns a page of a hill that shows the snapshot of this number, and is renewed when there is a new one.
pub(crate) fn live_page(served: &Served, number: u64, title: &str, here: &str, body: &Markup) -> Whole {
    document(
        &Page { title, served: Some(served), here, snapshot_number: Some(number), ..Page::default() },
        body,
    )
}

/// Returns the first page of a hill, which is renewed in the same way. `about` and `game` are for previews of a link,
/// as in [`Page`].
pub(crate) fn first_page(served: &Served, number: u64, about: &str, game: &str, body: &Markup) -> Whole {
    let (title, served, snapshot_number) = ("Standings", Some(served), Some(number));
    document(&Page { title, served, snapshot_number, is_first: true, about, game, ..Page::default() }, body)
}

/// Returns the page of a hill for a projector: without navigation, in large type. It is renewed when there are new
/// results or another game is played.
pub(crate) fn wall_page(served: &Served, number: u64, has_game: bool, body: &Markup) -> Whole {
    let title = format!("Wall - {}", served.title_or_name());
    let seconds = if served.is_live { Some(RENEWAL) } else { None };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head::head(&title, &style(), &renewal_script(&served.name, number, seconds)))
            body.on-wall { main id="main" .beside[has_game] {
                h1 { a href={ "/" (served.name) } { (apart(served.title_or_name())) } }
                (body)
            } }
        }
    };
    Html(page.into_string())
}

/// Returns a page with nothing but this body, for a frame in another page.
pub(crate) fn bare(title: &str, body: &Markup) -> Whole {
    let page = html! {
        (DOCTYPE)
        html lang="en" { (head::head(title, &style(), &html! {})) body { main { (body) } } }
    };
    Html(page.into_string())
}

/// Says what a hill is, for previews of a link.
fn about(served: &Served) -> String {
    let first = served.text.split("\n\n").next().unwrap_or_default().trim();
    if first.is_empty() { format!("{}: {}", served.name, served.about) } else { first.to_owned() }
}

/// Returns the page of a refusal. If the address was one of a hill, the page is one of that hill, and leads on.
pub(crate) fn refused(status: StatusCode, what: &str, hill: Option<&Served>) -> Whole {
    let title = match status {
        StatusCode::UNAUTHORIZED => "Sign in first",
        StatusCode::FORBIDDEN => "Not for this account",
        StatusCode::NOT_FOUND => "Nothing is here",
        StatusCode::TOO_MANY_REQUESTS => "Too many attempts",
        StatusCode::BAD_REQUEST => "That cannot be done",
        StatusCode::PAYLOAD_TOO_LARGE => "Too large",
        StatusCode::SERVICE_UNAVAILABLE => "Busy",
        StatusCode::INSUFFICIENT_STORAGE => "No room",
        _ => "That did not work",
    };
    let is_about_tokens =
        matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS);
    let body = html! { section {
        p.said { (sentence(what)) }
        @if let Some(served) = hill {
            @if is_about_tokens { p { a href={ "/" (served.name) "/account" } { "Sign in with a token" } } }
            p { a href={ "/" (served.name) } { "The standings" } }
        }
        p { a href="/" { "All that this server shows" } }
    } };
    document(&Page { title, served: hill, here: "refused", ..Page::default() }, &body)
}

/// Writes a refusal as a sentence. It begins with a capital letter if its first word is one of those known here, and so
/// is no name and no code.
fn sentence(what: &str) -> String {
    let first = what.split(' ').next().unwrap_or_default();
    let words =
        ["this", "there", "too", "no", "the", "only", "unknown", "submissions", "a", "an", "say", "your"];
    let end = if what.ends_with(['.', '!', '?']) { "" } else { "." };
    if words.contains(&first) { what[..1].to_uppercase() + &what[1..] + end } else { format!("{what}{end}") }
}

/// Sends the style or a script.
pub(crate) async fn asset(Path(name): Path<String>) -> Result<Response, Refusal> {
    let (kind, text) = match &name {
        name if *name == *STYLE_NAME => ("text/css; charset=utf-8", ALL_STYLE.as_str()),
        name if *name == *SCRIPT_NAME => ("text/javascript; charset=utf-8", SCRIPT),
        name if *name == *TIMES_NAME => ("text/javascript; charset=utf-8", TIMES),
        name if *name == *PACK_NAME => ("text/javascript; charset=utf-8", PACK),
        _ => return Err(Refusal::missing("there is nothing at this address")),
    };
    Ok(([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "public, max-age=31536000, immutable")], text)
        .into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_a_sentence_and_a_name_at_its_start_keeps_its_letters() {
        for (what, expected) in [
            ("this page is for hosts", "This page is for hosts."),
            ("unknown token: ask the host", "Unknown token: ask the host."),
            ("fox is taken", "fox is taken."),
            ("`since` must be a date.", "`since` must be a date."),
            ("", "."),
        ] {
            assert_eq!(sentence(what), expected);
        }
    }
}
