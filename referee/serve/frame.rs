//! The layer around all requests and answers: it finds the address of the visitor, adds headers that tell browsers what
//! is allowed, and renders refusals as pages or JSON.

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

/// The content security policy of pages: nothing but this server's own style, script and frames. The argument says
/// which sites may show the page in a frame.
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

/// The headers of a replay. Its page contains the rest of the policy, with the digests of its own style and script. The
/// page for a projector shows a replay in a frame.
pub(crate) const HEADS_OF_REPLAYS: [(HeaderName, &str); 2] = [
    (header::CONTENT_SECURITY_POLICY, "frame-ancestors 'self'; form-action 'none'; base-uri 'none'"),
    (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
];

/// Maximum length of the address of a request, in bytes.
const ADDRESS_MAX: usize = 2048;

/// Handles a request: checks it, and completes the answer.
pub(crate) async fn frame(State(site): State<Arc<Site>>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0);
    let from = visitor_address(&site, peer, request.headers());
    request.extensions_mut().insert(Visitor { from, peer });
    let is_api = request.uri().path().contains("/api/");
    // The refusal of a private server says nothing of the hill.
    let hill = if site.options.private { None } else { contest_of(&site, request.uri()).cloned() };
    let challenge = challenge(&site, request.headers());
    // A page for a projector shows these in a frame, or the refusal that comes in their place.
    let is_framed = ["/replay", "/live"].iter().any(|end| request.uri().path().ends_with(end));
    let response = match check(&request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    if let Some(cause) = response.extensions().get::<Refusal>().and_then(|refusal| refusal.cause.as_deref()) {
        site.say_trouble(cause);
    }
    let mut response = render_refusal(response, is_api, hill.as_deref(), challenge);
    // Only a refusal needs them here: replays and waiting pages have their own.
    if is_framed && (response.status().is_client_error() || response.status().is_server_error()) {
        for (name, value) in &HEADS_OF_WAITING[..2] {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
    }
    add_security_headers(response)
}

/// Refuses an address that is for those who submit bots, if it is a tournament's.
pub(crate) async fn refuse_tournaments(
    State(site): State<Arc<Site>>,
    request: Request,
    next: Next,
) -> Response {
    if contest_of(&site, request.uri()).is_some_and(|contest| !contest.is_hill) {
        let what = "this is a tournament: its bots are those of its plan, and nothing can be submitted";
        return Refusal::missing(what).into_response();
    }
    next.run(request).await
}

/// Returns the hill or tournament to which an address belongs.
fn contest_of<'a>(site: &'a Site, address: &Uri) -> Option<&'a Arc<Served>> {
    site.contests.get(address.path().split('/').nth(1)?)
}

/// Returns the address of a visitor: the peer, or the last address that the named proxy has forwarded.
fn visitor_address(site: &Site, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    if !site.is_proxy(peer) {
        return peer;
    }
    let forwarded = headers.get_all("x-forwarded-for").iter().next_back();
    let last = forwarded.and_then(|header| header.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
    last.unwrap_or(peer)
}

/// Refuses requests with an address that is too long, and those that do not name exactly one host: of two, a proxy
/// could take one and this server the other.
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
pub(crate) fn refuse_other_site(_: ProtectionError) -> Response {
    let what = "this request came from another site: open the page of the hill, and submit there";
    Refusal::new(StatusCode::FORBIDDEN, what).into_response()
}

/// Redirects an address that ends with a slash to the one without, and refuses all others, at which there is nothing.
/// Only addresses of a contest are redirected: a browser takes one that begins with two slashes for another server.
pub(crate) async fn redirect_trailing_slash(
    State(site): State<Arc<Site>>,
    method: Method,
    uri: Uri,
) -> Response {
    let trimmed = uri.path().trim_end_matches('/');
    let is_read = matches!(method, Method::GET | Method::HEAD);
    if !is_read || contest_of(&site, &uri).is_none() || trimmed.len() == uri.path().len() {
        return Refusal::missing("there is nothing at this address").into_response();
    }
    let query = uri.query().map_or(String::new(), |query| format!("?{query}"));
    Redirect::permanent(&format!("{trimmed}{query}")).into_response()
}

/// Returns the challenge that goes with the refusal of a missing or wrong token. At `Basic`, a browser opens a window
/// that asks for a password. That window would cover the page's own form, so `Basic` is sent only if there is no such
/// form, on a private server, or if the browser has opened the window before.
fn challenge(site: &Site, headers: &HeaderMap) -> HeaderValue {
    let authorization = headers.get(header::AUTHORIZATION).map(|value| value.as_bytes().to_ascii_lowercase());
    let is_basic = authorization.is_some_and(|value| value.starts_with(b"basic "));
    HeaderValue::from_static(if site.options.private || is_basic {
        "Basic realm=\"referee\", charset=\"UTF-8\""
    } else {
        "Bearer realm=\"referee\""
    })
}

/// Renders a refusal as a page that leads to the hill, or as JSON. Returns any other response as it is.
fn render_refusal(
    response: Response,
    is_api: bool,
    hill: Option<&Served>,
    challenge: HeaderValue,
) -> Response {
    let status = response.status();
    let what = match response.extensions().get::<Refusal>() {
        Some(refusal) => refusal.what.clone(),
        // The router and the layers of libraries refuse with a status alone.
        None if status == StatusCode::NOT_FOUND => "there is nothing at this address".to_owned(),
        None if status == StatusCode::METHOD_NOT_ALLOWED => {
            "this address does not support this method".to_owned()
        }
        None if status.is_client_error() => "the server does not accept this request".to_owned(),
        None => return response,
    };
    let mut rendered = if is_api {
        (status, Json(json!({ "error": what }))).into_response()
    } else {
        (status, layout::refused(status, &what, hill)).into_response()
    };
    let headers = rendered.headers_mut();
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, challenge);
    }
    if matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
    }
    for name in [header::ALLOW, header::CONTENT_RANGE] {
        if let Some(value) = response.headers().get(&name) {
            headers.insert(name, value.clone());
        }
    }
    rendered
}

/// Adds the headers that tell browsers what is allowed.
fn add_security_headers(mut response: Response) -> Response {
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
