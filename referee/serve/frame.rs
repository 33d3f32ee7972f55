//! The frame around all requests and answers: the address of the visitor, headers that tell browsers what is
//! allowed, and refusals as pages or JSON.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::layout;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::throttle::{Peer, Visitor};

/// The policy of pages: nothing but this server's own style and script.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The rest of the policy of a replay. Its page contains a policy with the digests of its own style and
/// script.
pub(crate) const POLICY_OF_REPLAYS: &str = "frame-ancestors 'none'; form-action 'none'; base-uri 'none'";

/// Maximum length of the address of a request, in bytes.
const ADDRESS_MAX: usize = 2048;

/// Handles a request: checks it, and completes the answer.
pub(crate) async fn frame(State(site): State<Arc<Site>>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0);
    let from = from(&site, peer, request.headers());
    request.extensions_mut().insert(Visitor { from, peer });
    let is_api = request.uri().path().contains("/api/");
    let response = match check(&request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    dressed(told(response, is_api))
}

/// Returns the address of a visitor: the peer, or the last address that the named proxy has forwarded.
fn from(site: &Site, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    if site.options.proxy != Some(peer) {
        return peer;
    }
    let forwarded = headers.get_all("x-forwarded-for").iter().next_back();
    let last = forwarded.and_then(|header| header.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
    last.unwrap_or(peer)
}

/// Refuses requests with an address that is too long, and changes that a page of another site has sent.
fn check(request: &Request) -> Result<(), Refusal> {
    let uri = request.uri();
    if uri.to_string().len() > ADDRESS_MAX {
        return Err(Refusal::new(StatusCode::URI_TOO_LONG, "the address is too long"));
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) && is_of_another_site(request.headers()) {
        let what = "this request came from another site: open the page of the hill, and submit there";
        return Err(Refusal::new(StatusCode::FORBIDDEN, what));
    }
    Ok(())
}

/// Tells whether a browser says that a page of another site sent the request.
fn is_of_another_site(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let fetch_site = text(HeaderName::from_static("sec-fetch-site"));
    let is_elsewhere = fetch_site.is_some_and(|site| !matches!(site, "same-origin" | "none"));
    let origin = text(header::ORIGIN).map(|origin| origin.split_once("://").map_or("", |(_, host)| host));
    is_elsewhere || origin.is_some_and(|origin| Some(origin) != text(header::HOST))
}

/// Writes a refusal as a page, or as JSON.
fn told(response: Response, is_api: bool) -> Response {
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
    let Some(Refusal { what, .. }) = refusal else { return response };
    let allow = response.headers().get(header::ALLOW).cloned();
    let mut told = match is_api {
        true => (status, Json(json!({ "error": what }))).into_response(),
        false => (status, layout::refused(status, &what)).into_response(),
    };
    if status == StatusCode::UNAUTHORIZED {
        let challenge = HeaderValue::from_static("Basic realm=\"referee\", charset=\"UTF-8\"");
        told.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    if matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
        told.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
    }
    allow.map(|allow| told.headers_mut().insert(header::ALLOW, allow));
    told
}

/// Adds the headers that tell browsers what is allowed.
fn dressed(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [(header::CONTENT_SECURITY_POLICY, POLICY), (header::CACHE_CONTROL, "no-cache")] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        // With `no-referrer` a browser would hide the origin of this server's own form.
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}
