//! The addresses, and the layers around all of them.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::handler::Handler;
use axum::middleware;
use axum::routing::{MethodRouter, get, post};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};
use tower_http::csrf::CsrfLayer;
use tower_http::timeout::RequestBodyDeadlineLayer;

use crate::site::Site;
use crate::{account, api, bot, frame, host, layout, live, pages, proof, starters, submit};

/// An address: its method, its path, and its handler.
type Route = (&'static str, &'static str, MethodRouter<Arc<Site>>);

/// Lists the addresses for programs: `openapi.json` describes each.
fn programs(upload_max: usize) -> Vec<Route> {
    let most = upload_max + submit::FORM_MAX;
    vec![
        ("get", "/openapi.json", get(api::description)),
        ("get", "/{hill}/api/v1/standings", get(api::standings)),
        ("get", "/{hill}/api/v1/games", get(api::games)),
        ("get", "/{hill}/api/v1/games/{game}", get(api::game)),
        ("get", "/{hill}/api/v1/games/{game}/log", get(api::log)),
        ("get", "/{hill}/api/v1/games/{game}/stderr/{seat}", get(api::standard_error)),
        ("get", "/{hill}/api/v1/games/{game}/turns", get(live::turns)),
        ("get", "/{hill}/api/v1/running", get(live::running_games)),
        ("get", "/{hill}/api/v1/bots", get(api::bots)),
        ("post", "/{hill}/api/v1/bots", post(submit::program.layer(DefaultBodyLimit::max(most)))),
        ("get", "/{hill}/api/v1/submissions/{receipt}", get(submit::state)),
        ("get", "/{hill}/api/v1/results.csv", get(api::results)),
        ("get", "/{hill}/api/v1/records.tar", get(api::records)),
        ("get", "/{hill}/api/v1/events", get(api::events)),
        ("get", "/{hill}/proof/{file}", get(proof::file)),
        ("get", "/{hill}/proof/tile/{*tile}", get(proof::tile)),
        ("post", "/{hill}/submit", post(submit::form.layer(DefaultBodyLimit::max(most)))),
    ]
}

/// Lists the addresses of pages.
fn people() -> Vec<Route> {
    vec![
        ("get", "/", get(pages::index)),
        ("get", "/assets/{name}", get(layout::asset)),
        ("get", "/{hill}", get(pages::standings)),
        ("get", "/{hill}/games", get(pages::games)),
        ("get", "/{hill}/games/{game}", get(pages::game)),
        ("get", "/{hill}/games/{game}/replay", get(pages::replay)),
        ("get", "/{hill}/games/{game}/live", get(live::game)),
        ("get", "/{hill}/live", get(live::list)),
        ("get", "/{hill}/bots/{bot}", get(bot::page)),
        ("post", "/{hill}/bots/{bot}/withdraw", post(bot::withdraw)),
        ("get", "/{hill}/account", get(account::page)),
        ("post", "/{hill}/account", post(account::sign_in)),
        ("post", "/{hill}/account/leave", post(account::leave)),
        ("get", "/{hill}/host", get(host::page)),
        ("get", "/{hill}/rules", get(pages::rules)),
        ("get", "/{hill}/starters/{language}", get(starters::starter)),
        ("get", "/{hill}/submit", get(submit::page)),
        ("get", "/{hill}/submissions/{receipt}", get(submit::state_page)),
    ]
}

/// Lists the addresses for programs, each as its method and its path.
pub fn addresses() -> Vec<(&'static str, &'static str)> {
    programs(0).into_iter().map(|(method, path, _)| (method, path)).collect()
}

/// Tells whether a name is the beginning of an address that is no hill's, or of a file beside the hills in an export.
pub(crate) fn is_taken(name: &str) -> bool {
    let paths = programs(0).into_iter().chain(people()).map(|(_, path, _)| path);
    let mut firsts = paths.filter_map(|path| path.split('/').nth(1)).filter(|first| !first.starts_with('{'));
    name.eq_ignore_ascii_case("index.html") || firsts.any(|first| first.eq_ignore_ascii_case(name))
}

/// Returns the router of all addresses.
pub(crate) fn router(site: &Arc<Site>) -> Router {
    let mut router = Router::new();
    let most = site.hills.values().map(|served| served.upload_max).max().unwrap_or(0);
    for (_, path, answer) in programs(most).into_iter().chain(people()) {
        router = router.route(path, answer);
    }
    // An archive of all records is long, and its logs may be packed already.
    let worth = DefaultPredicate::new().and(NotForContentType::const_new("application/x-tar"));
    let router = router.fallback(frame::elsewhere).layer(CompressionLayer::new().compress_when(worth));
    // A slow sender cannot extend the deadline of a body piece by piece.
    let body = RequestBodyDeadlineLayer::new(Duration::from_secs(site.options.body_seconds));
    let router = router.layer(body).layer(CsrfLayer::new().with_rejection_response(frame::of_another_site));
    router.layer(middleware::from_fn_with_state(Arc::clone(site), frame::frame)).with_state(Arc::clone(site))
}
