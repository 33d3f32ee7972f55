//! The frame around all requests and answers: the address of the visitor, headers that tell browsers what is
//! allowed, and refusals as pages or JSON.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Method, StatusCode, Uri, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::json;
use tower_http::csrf::ProtectionError;

use crate::layout;
use crate::refusal::Refusal;
use crate::site::{Served, Site};
use crate::throttle::{Peer, Visitor};

/// The policy of pages: nothing but this server's own style, script and frames. The word says who has them in a frame.
macro_rules! policy {
    ($ancestors:literal) => {
        concat!(
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-src 'self'; ",
            "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors ",
            $ancestors
        )
    };
}

/// The headers of a page that stands in a frame until its game can be read.
pub(crate) const HEADS_OF_WAITING: [(HeaderName, &str); 3] = [
    (header::CONTENT_SECURITY_POLICY, policy!("'self'")),
    (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
    (header::REFRESH, "2"),
];

/// The rest of the policy of a replay. Its page contains a policy with the digests of its own style and script. The page
/// for a projector has it within.
pub(crate) const HEADS_OF_REPLAYS: [(HeaderName, &str); 2] = [
    (header::CONTENT_SECURITY_POLICY, "frame-ancestors 'self'; form-action 'none'; base-uri 'none'"),
    (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
];

/// Maximum length of the address of a request, in bytes.
const ADDRESS_MAX: usize = 2048;

/// Handles a request: checks it, and completes the answer.
pub(crate) async fn frame(State(site): State<Arc<Site>>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0);
    let from = from(&site, peer, request.headers());
    request.extensions_mut().insert(Visitor { from, peer });
    let is_api = request.uri().path().contains("/api/");
    // The page of a private hill's refusal says nothing of the hill.
    let hill = hill_of(&site, request.uri()).filter(|_| !site.options.private);
    let hill = hill.and_then(|name| site.contests.get(name)).cloned();
    let challenge = challenge(&site, request.headers());
    // A page for a projector has these in a frame, and what is said instead of them.
    let in_frame = ["/replay", "/live"].iter().any(|end| request.uri().path().ends_with(end));
    let response = match check(&request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    let mut response = worded(response, is_api, hill.as_deref(), challenge);
    // What is refused; an answer of the page itself has its own.
    if in_frame && (response.status().is_client_error() || response.status().is_server_error()) {
        for (name, value) in &HEADS_OF_WAITING[..2] {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
    }
    dressed(response)
}

/// Refuses an address that is for those who submit bots, if it is a tournament's.
pub(crate) async fn of_hills(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let contest = hill_of(&site, request.uri()).and_then(|name| site.contests.get(name));
    if contest.is_some_and(|contest| !contest.is_hill) {
        let what = "this is a tournament: its bots are those of its plan, and nothing can be submitted";
        return Refusal::missing(what).into_response();
    }
    next.run(request).await
}

/// Returns the name of the hill or tournament to which an address belongs.
fn hill_of<'a>(site: &Site, address: &'a Uri) -> Option<&'a str> {
    address.path().split('/').nth(1).filter(|name| site.contests.contains_key(*name))
}

/// Returns the address of a visitor: the peer, or the last address that the named proxy has forwarded.
fn from(site: &Site, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    if !site.is_proxy(peer) {
        return peer;
    }
    let forwarded = headers.get_all("x-forwarded-for").iter().next_back();
    let last = forwarded.and_then(|header| header.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
    last.unwrap_or(peer)
}

/// Refuses requests with an address that is too long, and those that do not name one host: programs on the way could each
/// take another of two.
fn check(request: &Request) -> Result<(), Refusal> {
    let hosts = request.headers().get_all(header::HOST).iter().count();
    if hosts > 1 || hosts == 0 && request.version() == Version::HTTP_11 {
        return Err(Refusal::bad("a request has one header Host"));
    }
    if request.uri().to_string().len() > ADDRESS_MAX {
        Err(Refusal::new(StatusCode::URI_TOO_LONG, "the address is too long"))
    } else {
        Ok(())
    }
}

/// Returns the answer to a change that a page of another site has sent.
pub(crate) fn of_another_site(_: ProtectionError) -> Response {
    let what = "this request came from another site: open the page of the hill, and submit there";
    Refusal::new(StatusCode::FORBIDDEN, what).into_response()
}

/// Leads from an address of a hill with a slash at its end to the one without. Nothing else is at any other address:
/// one that begins like that of another server, to a browser, is never led to.
pub(crate) async fn elsewhere(State(site): State<Arc<Site>>, method: Method, uri: Uri) -> Response {
    let trimmed = uri.path().trim_end_matches('/');
    let is_read = matches!(method, Method::GET | Method::HEAD);
    if !is_read || hill_of(&site, &uri).is_none() || trimmed.len() == uri.path().len() {
        return Refusal::missing("there is nothing at this address").into_response();
    }
    let query = uri.query().map_or(String::new(), |query| format!("?{query}"));
    Redirect::permanent(&format!("{trimmed}{query}")).into_response()
}

/// Returns the challenge of an answer that a token is missing or wrong. To `Basic`, a browser asks for the password
/// itself: it would cover the form of the page, unless the hill is private or the browser has asked before.
fn challenge(site: &Site, headers: &HeaderMap) -> HeaderValue {
    let given = headers.get(header::AUTHORIZATION).map(|given| given.as_bytes().to_ascii_lowercase());
    let is_basic = given.is_some_and(|given| given.starts_with(b"basic "));
    HeaderValue::from_static(if site.options.private || is_basic {
        "Basic realm=\"referee\", charset=\"UTF-8\""
    } else {
        "Bearer realm=\"referee\""
    })
}

/// Writes a refusal as a page that leads to the hill, or as JSON.
fn worded(response: Response, is_api: bool, hill: Option<&Served>, challenge: HeaderValue) -> Response {
    let status = response.status();
    let refusal = response.extensions().get::<Refusal>().cloned();
    let refusal = refusal.or_else(|| match status {
        StatusCode::NOT_FOUND => Some(Refusal::missing("there is nothing at this address")),
        StatusCode::METHOD_NOT_ALLOWED => {
            Some(Refusal::new(status, "this address does not support this method"))
        }
        _ if status.is_client_error() => {
            Some(Refusal::new(status, "the server does not accept this request"))
        }
        _ => None,
    });
    let Some(refusal) = refusal else { return response };
    let what = &refusal.what;
    let headers = [header::ALLOW, header::CONTENT_RANGE]
        .map(|name| Some((name.clone(), response.headers().get(name)?.clone())));
    let mut worded = if is_api {
        (status, Json(json!({ "error": what }))).into_response()
    } else {
        (status, layout::refused(status, what, hill)).into_response()
    };
    if status == StatusCode::UNAUTHORIZED {
        worded.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    if matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
        worded.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
    }
    worded.headers_mut().extend(headers.into_iter().flatten());
    worded
}

/// Adds the headers that tell browsers what is allowed.
fn dressed(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, policy!("'none'")),
        (header::CACHE_CONTROL, "no-cache"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        // With `no-referrer` a browser would hide the origin of this server's own form.
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}
