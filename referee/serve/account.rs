//! The page of an author: a form to sign in with a token; after that, the bots and submissions of the account.

use std::sync::Arc;

use axum::Form;
use axum::extract::{FromRequest, Request};
use axum::http::header::{HeaderMap, HeaderName, SET_COOKIE};
use axum::response::{AppendHeaders, Redirect};
use maud::{Markup, html};
use referee_contest::class::roll::Roll;
use referee_report::pages::parts::time;
use serde::Deserialize;

use crate::access::Visit;
use crate::api::known;
use crate::class::{self, Met};
use crate::layout::{self, Whole};
use crate::pages::linked;
use crate::refusal::Refusal;
use crate::submit::token_field;
use referee_report::pages::parts::named;

/// Maximum number of submissions in the list.
const SUBMISSIONS_MAX: usize = 30;

/// A redirect that sets or removes the cookie.
type CookieRedirect = (AppendHeaders<[(HeaderName, String); 1]>, Redirect);

/// The form to sign in.
#[derive(Debug, Deserialize)]
struct SignIn {
    token: String,
}

pub(crate) async fn page(visit: Visit) -> Result<Whole, Refusal> {
    let served = &visit.served;
    let body = match &visit.account {
        Some(account) => {
            let (of_class, own) = (Arc::clone(served), account.clone());
            let class = move || {
                let Some(roll) = class::roll_of(&of_class)? else { return Ok(None) };
                let met = class::met_by(&of_class, &roll, &own)?;
                Ok::<_, Refusal>(Some((roll, met)))
            };
            let class = visit.work(class).await?;
            account_sections(&visit, class.as_ref(), account)?
        }
        None => html! { section {
            h2 { "Sign in" }
            p { "With your token you see the standard error of your bots and the result of each check." }
            form method="post" action={ "/" (served.name) "/account" } {
                (token_field())
                p { button type="submit" { "Sign in" } }
            }
            p.small { "The server sets one cookie for this hill. It lasts until you sign out, at most 12 hours." }
        } },
    };
    Ok(layout::page(served, "Your bots", "account", &body))
}

/// The bots and the submissions of an account.
fn account_sections(visit: &Visit, class: Option<&(Roll, Met)>, account: &str) -> Result<Markup, Refusal> {
    let served = &visit.served;
    let snapshot = known(served)?;
    let address = |part: &str| format!("/{}/{part}", served.name);
    Ok(html! {
        section {
            h2 { (named(&visit.name)) }
            @let bots: Vec<_> = snapshot.contest.field.iter().filter(|event| event.bot.author == account).collect();
            @if bots.is_empty() { p { "No bot of yours plays here. " a href=(address("submit")) { "Submit one" } "." } }
            ul { @for event in bots { li {
                (linked(served, &event.bot.name)) " version " (event.bot.version) @if let Some(date) = &event.date { ", since " (time(date)) }
            } } }
            @if visit.is_host { p { "You are a host: " a href=(address("host")) { "the host's page" } "." } }
            @if visit.is_signed_in {
                form method="post" action=(address("account/leave")) { p { button type="submit" { "Sign out" } } }
            }
        }
        (class::on_own_page(class, account))
        section {
            h2 { "Submissions, newest first" }
            ul { @for submission in served.inbox.by_account(account).into_iter().take(SUBMISSIONS_MAX) { li {
                a href=(address(&format!("submissions/{}", submission.request.receipt))) {
                    (named(&submission.request.name)) ", " (time(&submission.request.date)) }
                ": " (submission.state.name())
            } } }
        }
    })
}

/// Takes a token, and sets the cookie that replaces it.
pub(crate) async fn sign_in(visit: Visit, request: Request) -> Result<CookieRedirect, Refusal> {
    let (site, served, is_secure) = (&visit.site, &visit.served, visit.is_secure(request.headers()));
    let Ok(Form(SignIn { token })) = Form::<SignIn>::from_request(request, site).await else {
        return Err(Refusal::bad("this is not the form of the page: open the page, and sign in again"));
    };
    let token = visit.check_token(&token).await?;
    let line = site.sessions.begin(&served.name, &token.digest, is_secure)?;
    Ok((AppendHeaders([(SET_COOKIE, line)]), Redirect::to(&format!("/{}/account", served.name))))
}

/// Ends the session.
pub(crate) async fn leave(visit: Visit, headers: HeaderMap) -> CookieRedirect {
    let line = visit.site.sessions.end(&visit.served.name, &headers);
    (AppendHeaders([(SET_COOKIE, line)]), Redirect::to(&format!("/{}/account", visit.served.name)))
}
