//! The actions of a host on the page of a hill. Each action is a row of `events.csv`.

use axum::Form;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use referee_contest::accounts::{self, Invited, Role};
use referee_contest::admission::by::By;
use referee_contest::hill::Hill;
use referee_record::error::Error;
use referee_record::forms::Moment;
use referee_record::text::{one_line, visible};
use referee_report::pages::parts::{self, named};
use referee_table::clock;
use serde::Deserialize;

use crate::access::Visit;
use crate::class;
use crate::host_control::{CONTINUED, EXTENDED, MESSAGE, PAUSED};
use crate::layout;
use crate::refusal::Refusal;
use crate::site::Served;

/// The longest message, in characters.
const MESSAGE_MAX: usize = 200;

/// The fields of all forms of the page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Action {
    /// What is done: the name of the button.
    act: String,
    /// The account or the bot.
    name: String,
    /// There if the token of an invitation is to be a host's: a checkbox.
    host: Option<String>,
    /// The end of submissions.
    until: String,
    text: String,
}

/// Does what a host asks for, and leads back to the page. A new token is shown once.
pub(crate) async fn act(visit: Visit, request: Request) -> Result<Response, Refusal> {
    let host = check_host(&visit)?.to_owned();
    visit.served.inbox.check_mine()?;
    let Ok(Form(action)) = Form::<Action>::from_request(request, &visit.site).await else {
        return Err(Refusal::bad("this is not the form of the page: open the page, and try again"));
    };
    let who = visit.who();
    let Visit { site, served, .. } = visit;
    let shared = served.clone();
    let new_token = site.takes.run(&who, move || do_and_note(&shared, &host, action)).await?;
    Ok(match new_token {
        Some(token) => layout::page(&served, "Host", "host", &show_token(&served, &token)).into_response(),
        None => Redirect::to(&format!("/{}/host", served.name)).into_response(),
    })
}

/// Makes sure that a host asks, and returns the account.
pub(crate) fn check_host(visit: &Visit) -> Result<&str, Refusal> {
    let what = "this page is for hosts: sign in with a token from `referee hill invite --host`";
    let account = visit.account(what)?;
    if visit.is_host { Ok(account) } else { Err(Refusal::new(StatusCode::FORBIDDEN, what)) }
}

/// Does what a host asks for, and notes it among the events. Returns the account and the token of an invitation.
fn do_and_note(served: &Served, host: &str, action: Action) -> Result<Option<Invited>, Refusal> {
    let root = &served.root;
    let Action { act, name, host: for_host, until, text } = action;
    let name = name.trim();
    let refused = |error: Error| Refusal::from_error(error, |text| served.without_path(text));
    let hill = || Hill::open(root).map_err(refused);
    let mut new_token = None;
    let (event, detail) = match &*act {
        "invite" => {
            let role = if for_host.is_some() { Role::Host } else { Role::Author };
            let invited = accounts::invite(root, name, None, role).map_err(refused)?;
            let account = invited.account.clone();
            new_token = Some(invited);
            ("gave a token", account)
        }
        "revoke" => {
            let account = accounts::account_of(root, name).map_err(refused)?;
            if account == host {
                return Err(Refusal::bad(
                    "this is your own account: another host, or `referee hill invite --revoke`, ends it",
                ));
            }
            accounts::revoke(root, &account).map_err(refused)?;
            ("ended tokens", account)
        }
        "ban" | "ban-author" => hill()?.ban(name, act == "ban-author").map_err(refused)?.noted(),
        "ban-account" => ("ended tokens", ban_account(&hill()?, host, name, refused)?),
        "lift" => match hill()?.lift_ban(name).map_err(refused)?.1 {
            Some(other) => ("lifted", format!("{name}; the ban of {} still applies", other.bot.name)),
            None => ("lifted", name.to_owned()),
        },
        "retire" => {
            hill()?.retire(name, By::Host).map_err(refused)?;
            ("retired", name.to_owned())
        }
        "pause" => (PAUSED, String::new()),
        "continue" => (CONTINUED, String::new()),
        "extend" => (EXTENDED, parse_later_end(served, &until)?),
        "extend-student" => class::extend(served, host, name, &until)?,
        "message" => (MESSAGE, parse_message(&text)?),
        _ => return Err(Refusal::bad("this is not the form of the page: open the page, and try again")),
    };
    accounts::note(root, host, event, &detail).map_err(refused)?;
    served.host_control.decisions.send_modify(|decisions| decisions.apply(event, &detail));
    Ok(new_token)
}

/// Bans the author of a bot, and ends the author's tokens. Returns the author's account.
fn ban_account(
    hill: &Hill,
    host: &str,
    bot: &str,
    refused: impl Fn(Error) -> Refusal,
) -> Result<String, Refusal> {
    let entrants = hill.entrants().map_err(&refused)?;
    let author = entrants.last_submission(bot).map_or(String::new(), |event| event.bot.author.clone());
    if author == host {
        return Err(Refusal::bad("this bot is your own: nobody could sign in to lift the ban"));
    }
    let (event, detail) = hill.ban(bot, true).map_err(&refused)?.noted();
    accounts::note(hill.root(), host, event, &detail).map_err(&refused)?;
    accounts::end_tokens(hill.root(), &author).map_err(&refused)?;
    Ok(author)
}

/// Reads a message for all pages.
fn parse_message(text: &str) -> Result<String, Refusal> {
    let text = visible(&one_line(text.trim())).into_owned();
    if text.chars().count() > MESSAGE_MAX {
        return Err(Refusal::bad(format!("a message has at most {MESSAGE_MAX} characters")));
    }
    Ok(text)
}

/// Reads an end of submissions, as records or as forms of browsers write it. It must be later than now, and later than
/// the present end.
fn parse_later_end(served: &Served, text: &str) -> Result<String, Refusal> {
    let text = text.trim();
    let moment = [text.to_owned(), format!("{text}Z"), format!("{text}:00Z")]
        .into_iter()
        .find(|text| Moment::is_one(text));
    let Some(moment) = moment else {
        return Err(Refusal::bad("write the time as in 2026-12-31T23:59:59Z (UTC)"));
    };
    match served.host_control.end_shown() {
        None => Err(Refusal::bad("submissions do not end: start the server with --until first")),
        Some(end) if moment <= end => Err(Refusal::bad(format!(
            "submissions end at {end}: give a later time, as nobody who counts on the present one should be too late"
        ))),
        Some(_) if moment <= clock::date() => {
            Err(Refusal::bad("this time is over: the new one must be later"))
        }
        Some(_) => Ok(moment),
    }
}

fn show_token(served: &Served, invited: &Invited) -> Markup {
    html! { section {
        h2 { "The token of " (named(&accounts::describe(&invited.account, &invited.name))) }
        p { "It is shown this once. Give it to " (named(&invited.name)) " in private." }
        pre tabindex="0" { (invited.token) }
        p { a href={ "/" (served.name) "/host" } { "Back to the host's page" } }
    } }
}

/// The forms of the page.
pub(crate) fn forms(served: &Served, starts_rounds: bool) -> Markup {
    let decisions = served.host_control.decisions.borrow().clone();
    let address = format!("/{}/host", served.name);
    let form = |inner: Markup| html! { form method="post" action=(address) { (inner) } };
    let button = |act: &str, label: &str| html! { button type="submit" name="act" value=(act) { (label) } };
    html! {
        @if starts_rounds {
            (form(html! { p {
                @if decisions.is_paused { (button("continue", "Continue the rounds")) }
                @else { (button("pause", "Pause the rounds")) }
                span.small { "Games in flight are given up, and played again later. Submissions are still checked." }
            } }))
        }
        (form(html! { p {
            label for="text" { "Message above the standings; empty for none" }
            input id="text" name="text" maxlength=(MESSAGE_MAX) value=(decisions.message);
            (button("message", "Show it"))
        } }))
        @if let Some(until) = served.host_control.end_shown().filter(|_| !served.host_control.is_of_class()) {
            (form(html! { p {
                label for="until" { "Submissions end: " (parts::time(&until)) ". Later, in UTC:" }
                input id="until" name="until" required placeholder=(until);
                (button("extend", "Extend"))
            } }))
        }
        (form(html! { p {
            label for="account" { "Name of a person, or an account" }
            input id="account" name="name" required maxlength="64" autocomplete="off" spellcheck="false";
            label { input type="checkbox" name="host"; " as a host" }
            span.acts { (button("invite", "Make a token")) (button("revoke", "End its tokens")) }
        } }))
        (form(html! { p {
            label for="bot" { "Bot" }
            input id="bot" name="name" required maxlength="32" autocomplete="off" spellcheck="false";
            span.acts { (button("retire", "Retire it")) (button("ban", "Ban it"))
                (button("ban-author", "Ban its author's bots")) (button("ban-account", "And end its author's tokens"))
                (button("lift", "Lift the ban")) }
        } }))
    }
}
