//! The addresses of submissions: the form, the receipt of programs, and the state of each submission.

use std::error::Error;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::multipart::{Field, MultipartRejection};
use axum::extract::{Multipart, Path};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use futures_util::{Stream, StreamExt};
use maud::{Markup, html};
use referee_contest::accounts;
use referee_contest::admission::entrants::Entrants;
use referee_contest::admission::sources;
use referee_record::names;
use referee_record::text::percent_encoded;
use referee_report::pages::parts;
use referee_show::page::html::{Context, Link};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tower_http::timeout::TimeoutError;

use crate::access::Visit;
use crate::inbox::{Arriving, ONLY_SHOWN, Submission, SubmissionState, Upload, source_name};
use crate::layout::{self, Whole};
use crate::pages::{replay_page, verdict};
use crate::query::StrictQuery;
use crate::refusal::Refusal;
use crate::site::Served;
use crate::starters;
use referee_report::pages::parts::plain;

/// Bytes of a form besides the program in it.
pub(crate) const FORM_MAX: usize = 64 << 10;

/// Maximum length of a field that is not the program, in bytes.
const FIELD_MAX: usize = 256;

/// Minimum number of bytes of a program that must arrive in a second, on average, after a time of grace.
const RATE_MIN: u64 = 16 << 10;

/// The time of grace is the time limit of a body divided by this.
const GRACE_DIVISOR: u32 = 6;

/// The query of a submission.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Named")]
pub(crate) struct SubmitQuery {
    /// Name of the bot
    #[serde(default)]
    #[schemars(required)]
    name: String,
    /// Name of the file, by whose ending the language of a source is known
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    file: String,
}

/// Takes a program that is the body of a request.
pub(crate) async fn program(
    visit: Visit,
    StrictQuery(SubmitQuery { name, file }): StrictQuery<SubmitQuery>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let what = "submitting needs a token: send it as `Authorization: Bearer TOKEN`";
    let account = visit.account(what)?;
    visit.served.inbox.check_open()?;
    if headers.contains_key(header::CONTENT_ENCODING) {
        let what = "send the program itself, not compressed";
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, what));
    }
    check_length(&visit.served, &headers)?;
    let pieces = body.into_data_stream().map(|bytes| bytes.map_err(|error| cut_off(&error)));
    let arrived = receive(&visit, account, &name, &file, pieces).await?;
    let submission = take(&visit, arrived).await?;
    let state = Json(submitted(&submission, &visit.served));
    let address = format!("/{}/api/v1/submissions/{}", visit.served.name, submission.request.receipt);
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, address)], state).into_response())
}

/// Takes the form of the page: a token, a name, and the program as the last field. A browser sends several files as
/// several fields.
pub(crate) async fn form(
    visit: Visit,
    headers: HeaderMap,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Response, Refusal> {
    visit.served.inbox.check_open()?;
    check_length(&visit.served, &headers)?;
    let broken = || Refusal::bad("this is not the form of the page: open the page, and submit again");
    let mut form = form.map_err(|_| broken())?;
    let (mut token, mut name) = (String::new(), String::new());
    loop {
        let next = form.next_field().await;
        let next = next.map_err(|error| if is_late(&error) { late() } else { broken() })?;
        let Some(field) = next else {
            return Err(Refusal::bad("choose a file: the program, ready to run"));
        };
        match field.name() {
            Some("token") => token = read_field(field).await?,
            Some("name") => name = read_field(field).await?,
            Some("program") => {
                let account = match &visit.account {
                    Some(account) if token.is_empty() => account.clone(),
                    _ => visit.check_token(&token).await?.account.clone(),
                };
                let file = field.file_name().unwrap_or_default().to_owned();
                let pieces = field.map(|bytes| bytes.map_err(|error| cut_off(&error)));
                let arrived = receive(&visit, &account, name.trim(), &file, pieces).await?;
                let next = form.next_field().await;
                if let Some(next) = next.map_err(|error| cut_off(&error))? {
                    return Err(Refusal::bad(if next.name() == Some("program") {
                        "several files: pack them into one zip, and submit that"
                    } else {
                        "the program is the last field of the form"
                    }));
                }
                let submission = take(&visit, arrived).await?;
                let address = format!("/{}/submissions/{}", visit.served.name, submission.request.receipt);
                return Ok(Redirect::to(&address).into_response());
            }
            _ => return Err(broken()),
        }
    }
}

/// Refuses a body whose declared length is too large, before any of it is received.
fn check_length(served: &Served, headers: &HeaderMap) -> Result<(), Refusal> {
    let length =
        headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > served.upload_max + FORM_MAX) {
        Err(too_large(served))
    } else {
        Ok(())
    }
}

fn too_large(served: &Served) -> Refusal {
    let what = format!("the program is over {} MiB: strip it, or ask the host", served.upload_max >> 20);
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, what)
}

/// Tells whether the time for a body is over: one of the causes of the error is its deadline.
fn is_late(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.is::<TimeoutError>() {
            return true;
        }
        cause = error.source();
    }
    false
}

/// The refusal for a body that has ended with an error.
fn cut_off(error: &(dyn Error + 'static)) -> Refusal {
    if is_late(error) {
        late()
    } else {
        Refusal::bad("the program arrived incomplete, or is too large: nothing was stored")
    }
}

/// The refusal for a body that has not arrived in the time for the whole.
fn late() -> Refusal {
    Refusal::new(StatusCode::REQUEST_TIMEOUT, "the program arrived too slowly: nothing was stored")
}

/// The refusal for a program that arrives at less than the minimum rate.
fn too_slow() -> Refusal {
    let what = format!(
        "the program arrived too slowly, with less than {} KiB a second: nothing was stored",
        RATE_MIN >> 10
    );
    Refusal::new(StatusCode::REQUEST_TIMEOUT, what)
}

/// Reads a field that is not the program.
async fn read_field(mut field: Field<'_>) -> Result<String, Refusal> {
    let mut text = Vec::new();
    while let Some(bytes) = field.chunk().await.map_err(|error| cut_off(&error))? {
        text.extend_from_slice(&bytes);
        if text.len() > FIELD_MAX {
            return Err(Refusal::bad("a field of the form is too long"));
        }
    }
    String::from_utf8(text).map_err(|_| Refusal::bad("a field of the form is not text"))
}

/// Makes sure that no other author has submitted a bot of this name.
async fn check_owner(visit: &Visit, account: &str, name: &str) -> Result<(), Refusal> {
    let root = visit.served.root.clone();
    let entrants = visit.site.takes.run(&visit.who_is(account), move || Entrants::read(&root)).await?;
    if entrants.last_submission(name).is_some_and(|before| before.bot.author != account) {
        let what = format!("{name} is another author's bot: choose another name");
        return Err(Refusal::new(StatusCode::CONFLICT, what));
    }
    Ok(())
}

/// A program that has arrived, and still counts as one that arrives.
struct Arrived {
    upload: Upload,
    arriving: Arriving,
    account: String,
    /// The bot's name.
    name: String,
    /// The name of the file, if it is a source; else empty.
    source_name: String,
    /// Number of bytes.
    length: usize,
}

/// Returns the name of a bot that is submitted, in the form in which it is stored. A known bot keeps its name: it can
/// be older than the rule for new names.
fn check_name(served: &Served, name: &str) -> Result<String, Refusal> {
    if names::check(name).is_ok() && served.followed.snapshot().contest.authors.contains_key(name) {
        return Ok(name.to_owned());
    }
    names::check_new(name).map_err(Refusal::bad)
}

/// Receives a program piece by piece. `file` is the name that its author gave to the file, or empty.
async fn receive(
    visit: &Visit,
    account: &str,
    name: &str,
    file: &str,
    pieces: impl Stream<Item = Result<Bytes, Refusal>> + Send,
) -> Result<Arrived, Refusal> {
    let Visit { site, served, .. } = visit;
    let who = visit.who_is(account);
    let name = check_name(served, name)?;
    let arriving = served.inbox.announce(&site.options, account, &name)?;
    check_owner(visit, account, &name).await?;
    let _place = site.uploads.place(&who).await?;
    let source_name = source_name(file, &name);
    let file = if source_name.is_empty() { name.clone() } else { source_name.clone() };
    let shared = Arc::clone(served);
    let mut upload: Upload = site.takes.run(&who, move || shared.inbox.begin(&file)).await?;
    let (mut length, start) = (0, site.clock.now());
    let grace = Duration::from_secs(site.options.body_seconds) / GRACE_DIVISOR;
    let mut pieces = pin!(pieces);
    loop {
        // The layer around all bodies has a deadline for the whole. This deadline moves on with what has arrived.
        let deadline = grace + Duration::from_millis(length as u64 * 1000 / RATE_MIN);
        let left = deadline.saturating_sub(site.clock.now() - start);
        let next = tokio::time::timeout(left, pieces.next()).await.map_err(|_| too_slow())?;
        let Some(bytes) = next.transpose()? else { break };
        length += bytes.len();
        if length > served.upload_max {
            return Err(too_large(served));
        }
        upload = site.takes.run(&who, move || upload.write(&bytes).map(|()| upload)).await?;
    }
    if length == 0 {
        return Err(Refusal::bad("an empty file: choose the program, ready to run"));
    }
    Ok(Arrived { upload, arriving, account: account.to_owned(), name, source_name, length })
}

/// Takes a program that has arrived completely.
async fn take(visit: &Visit, arrived: Arrived) -> Result<Submission, Refusal> {
    let (site, served) = (Arc::clone(&visit.site), Arc::clone(&visit.served));
    let Arrived { upload, arriving, account, name, source_name, length } = arrived;
    let who = visit.who_is(&account);
    let taking = visit.site.takes.run(&who, move || {
        // Checked once more: other submissions may have been taken meanwhile.
        served.inbox.check(&site.options, &account, &name)?;
        let submission = served.inbox.take(upload, &account, &name, &source_name)?;
        // It counts as one that waits now.
        drop(arriving);
        let note = format!("{} {name}, {length} bytes", submission.number);
        // The program is stored and is not refused any more, even if the disk has no room for this line: the inbox
        // contains the same.
        let _ = accounts::note(&served.root, &account, "uploaded", &note);
        Ok::<_, Refusal>(submission)
    });
    taking.await
}

/// Returns a sentence about the state of a submission.
fn state_sentence(submission: &Submission, place: usize, served: &Served) -> String {
    match submission.state {
        SubmissionState::Waiting if submission.message.is_empty() && place > 1 => {
            format!("number {place} in the queue: the bots before it are built and checked")
        }
        SubmissionState::Waiting if submission.message.is_empty() => {
            "next in the queue for its check game".to_owned()
        }
        SubmissionState::Checking if submission.message.is_empty() => {
            "its check game is played now".to_owned()
        }
        _ => served.inbox.message(submission),
    }
}

/// The state of a submission.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct Submitted {
    schema: u32,
    number: u32,
    /// Who knows it can see the state
    receipt: String,
    bot: String,
    /// Date and time (UTC) of its arrival
    date: String,
    state: SubmissionState,
    /// Why it waits, or the verdict and how to fix the bot
    #[serde(rename = "told")]
    message: String,
    /// Place in the queue, from 1
    place: Option<usize>,
}

fn submitted(submission: &Submission, served: &Served) -> Submitted {
    let place = served.inbox.find(&submission.request.receipt).map_or(1, |(_, place)| place);
    let request = &submission.request;
    Submitted {
        schema: 1,
        number: submission.number,
        receipt: request.receipt.clone(),
        bot: request.name.clone(),
        date: request.date.clone(),
        state: submission.state,
        message: state_sentence(submission, place, served),
        place: (!submission.state.is_over()).then_some(place),
    }
}

/// Returns the state of a submission as JSON.
pub(crate) async fn state(
    visit: Visit,
    Path((_, receipt)): Path<(String, String)>,
) -> Result<Json<Submitted>, Refusal> {
    let (found, _) = visit.served.inbox.find(&receipt).ok_or_else(no_receipt)?;
    Ok(Json(submitted(&found, &visit.served)))
}

fn no_receipt() -> Refusal {
    Refusal::missing("no submission has this receipt: give the number and the 24 digits or letters after it")
}

/// Shows the state of a submission. Until there is a verdict, the page reloads itself.
pub(crate) async fn state_page(
    visit: Visit,
    Path((_, receipt)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let served = &visit.served;
    let (found, place) = served.inbox.find(&receipt).ok_or_else(no_receipt)?;
    let body = html! {
        section {
            h2 { "Submission " (found.number) ": " (found.request.name) }
            p { "State: " strong { (found.state.name()) } }
            (verdict(&state_sentence(&found, place, served)))
            (check_game_link(served, &found))
            @if found.state == SubmissionState::Admitted {
                p { "It plays from the next round on: "
                    a href={ "/" (served.name) "/bots/" (percent_encoded(found.request.name.as_bytes())) } {
                    (found.request.name) } "." }
            } @else if found.state == SubmissionState::Plays {
                p { "Nothing has changed: "
                    a href={ "/" (served.name) "/bots/" (percent_encoded(found.request.name.as_bytes())) } {
                    (found.request.name) } "." }
            } @else if found.state.is_over() {
                p { "Fix the bot, and "
                    a href={ "/" (served.name) "/submit" } { "submit again" } "." }
            } @else {
                p.small { "This page is renewed every three seconds. Keep its address: it is your receipt." }
            }
        }
    };
    let page = layout::page(served, "Submission", "submit", &body);
    let again = [(header::REFRESH, "3")];
    Ok(if found.state.is_over() { page.into_response() } else { (again, page).into_response() })
}

/// A link to the replay of a check game, if its record is kept.
pub(crate) fn check_game_link(served: &Served, submission: &Submission) -> Markup {
    html! {
        @if served.inbox.record(submission).is_some() {
            p { a href={ "/" (served.name) "/submissions/" (submission.request.receipt) "/replay" } { "Watch the check game" } }
        }
    }
}

/// Shows the check game of a submission turn by turn.
pub(crate) async fn replay(
    visit: Visit,
    Path((_, receipt)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let served = &visit.served;
    let (found, _) = served.inbox.find(&receipt).ok_or_else(no_receipt)?;
    let log = served.inbox.record(&found);
    let log = log.ok_or_else(|| Refusal::missing("only the record of a bot's last check is kept"))?;
    let contest = served.title_or_name().to_owned();
    let verdict_address = format!("/{}/submissions/{}", served.name, found.request.receipt);
    let links = vec![
        Link { text: contest.clone(), address: format!("/{}", served.name) },
        Link { text: "The verdict".to_owned(), address: verdict_address },
    ];
    let called = format!("Check game of {}", plain(&found.request.name));
    replay_page(&visit, log, Context { contest, called, links, picture: None }, &headers).await
}

/// The field for a token in a form.
pub(crate) fn token_field() -> Markup {
    html! {
        p { label for="token" { "Token, from the host" }
            input id="token" name="token" type="password" autocomplete="current-password" required maxlength="100"; }
    }
}

/// The form that sends a program.
fn program_form(served: &Served, needs_token: bool, takes_sources: bool, files_max: u64) -> Markup {
    html! {
        form method="post" enctype="multipart/form-data" action={ "/" (served.name) "/submit" } {
            @if needs_token { (token_field()) }
            p { label for="name" { "Name of the bot: letters of one script, digits, _ and -" }
                input id="name" name="name" required maxlength="32" pattern="[\\p{L}\\p{M}\\p{N}_\\-]+"
                    autocomplete="off" spellcheck="false"; }
            p { label for="program" { @if takes_sources { "Program or source" } @else { "Program" }
                    ", at most " (served.upload_max >> 20) " MiB" }
                input id="program" name="program" type="file" required data-most=(served.upload_max) data-files=(files_max); }
            @if takes_sources {
                p hidden { label for="folder" { "Or a folder: it is packed here" }
                    input id="folder" type="file" webkitdirectory; }
                p #packed role="status" {}
            }
            p { button type="submit" { "Submit" } }
        }
    }
}

/// Shows the form, until submissions end.
pub(crate) async fn page(visit: Visit, headers: HeaderMap) -> Result<Whole, Refusal> {
    let origin = visit.origin(&headers);
    let (served, options) = (&visit.served, &visit.site.options);
    if let Some(until) = served.host_control.end_if_past() {
        let body = html! { section {
            h2 { "Submissions have ended" }
            p { "They ended: " (parts::time(&until)) ". The bots play on: " a href={ "/" (served.name) } { "the standings" } "." }
        } };
        return Ok(layout::page(served, "Submit", "submit", &body));
    }
    if !served.inbox.is_mine() {
        let body = html! { section { h2 { "No submissions here" } p.said { (ONLY_SHOWN) } } };
        return Ok(layout::page(served, "Submit", "submit", &body));
    }
    let shared = Arc::clone(served);
    let (languages, files_max) = visit.work(move || Ok::<_, Refusal>(sources::offered(&shared.root))).await?;
    let takes_sources = !languages.is_empty();
    let file = if takes_sources { "MyBot.java" } else { "mybot" };
    let body = html! {
        section {
            h2 { "Submit a bot" }
            p { "A bot is a program for this machine (Linux, " (std::env::consts::ARCH) "), a script that begins with #!"
                @if takes_sources { ", or a source" }
                ". It plays a check game at once, and the verdict says what to fix." }
            p { "Starters, small bots that play and come with a page that says more: " (starters::links(served)) ". "
                a href={ "/" (served.name) "/rules" } { "The rules" } " say what a bot reads and answers." }
            @if takes_sources {
                p { "A source is one file with its usual name, several files, or a zip or tar archive of their folder. "
                    "Languages, if this host has their compiler: " (languages.join("; ")) "." }
            }
            (program_form(served, visit.account.is_none(), takes_sources, files_max))
            p.small { "A later program with the same name replaces the bot. Limits of an account: "
                (options.hourly) " submissions an hour, "
                (options.daily) " a day, " (options.waiting) " waiting, "
                (options.check_minutes) " minutes of checks and builds an hour."
                @if let Some(until) = served.host_control.end_shown() { " Submissions end: " (parts::time(&until)) "." } }
        }
        section {
            h2 { "From the command line" }
            pre tabindex="0" { "REFEREE_TOKEN=... referee hill submit " (origin) "/" (served.name) " ./mybot\n"
                "curl -H \"Authorization: Bearer $REFEREE_TOKEN\" --data-binary @" (file) " \\\n"
                "    '" (origin) "/" (served.name) "/api/v1/bots?name=mybot" @if takes_sources { "&file=" (file) } "'" }
        }
        @if takes_sources { (layout::pack_script()) }
    };
    Ok(layout::page(served, "Submit", "submit", &body))
}
