//! The table of all addresses, with the layers around them.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::handler::Handler;
use axum::http::header;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use referee_record::error::Error;
use referee_report::tables::standing::StandingRow;
use serde_json::json;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};
use tower_http::csrf::CsrfLayer;
use tower_http::timeout::RequestBodyDeadlineLayer;

use crate::describe::{self, About, Who};
use crate::query::{GamesQuery, TableQuery};
use crate::rows::{BotRow, RunningRow, SeatRow};
use crate::site::Site;
use crate::{
    account, api, archive, bot, frame, host, layout, live, pages, proof, standings, starters, steer, submit,
    wall,
};

/// An address: its method, its path, and its handler.
type Route = (&'static str, &'static str, MethodRouter<Arc<Site>>);

/// Lists the addresses for programs, each with its description in `openapi.json`. `upload_max` is the maximum length of
/// a program that is submitted, in bytes.
fn programs(upload_max: usize) -> Vec<(Route, About)> {
    let body_max = upload_max + submit::FORM_MAX;
    let file = json!({ "type": "string", "format": "binary" });
    let hill = json!({ "type": "string" });
    vec![
        (
            ("get", "/openapi.json", get(description)),
            About::new("This description", "This description", &["application/json"]).who(Who::Anybody),
        ),
        (
            ("get", "/{hill}/api/v1/standings", get(api::standings)),
            About::standings::<StandingRow>(
                "The standings of the last season",
                "One row for each bot, best first",
                json!({
                    "hill": hill, "game": { "type": "string" }, "season": { "type": "integer" },
                    "round": { "type": "integer" }, "games_before": { "type": "integer" },
                    "told": { "type": "array", "items": { "type": "string" } }, "verdict": { "type": ["object", "null"] },
                }),
            )
            .query::<TableQuery>(),
        ),
        (
            ("get", "/{hill}/api/v1/games", get(api::games)),
            About::table::<SeatRow>(
                "Games, newest first",
                "One row for each seat. `next` continues the list, and is null at its end",
                json!({ "hill": hill, "next": { "type": ["integer", "null"] } }),
            )
            .query::<GamesQuery>(),
        ),
        (
            ("get", "/{hill}/api/v1/games/{game}", get(api::game)),
            About::table::<SeatRow>("A game", "One row for each seat", json!({ "hill": hill }))
                .query::<TableQuery>(),
        ),
        (
            ("get", "/{hill}/api/v1/games/{game}/log", get(api::log)),
            About::new("The log of a game, which referee audit replays", "The log; ranges are supported", FILES),
        ),
        (
            ("get", "/{hill}/api/v1/games/{game}/stderr/{seat}", get(api::standard_error)),
            About::new("The standard error of a bot, for its author", "The text", FILES).who(Who::Accounts),
        ),
        (
            ("get", "/{hill}/api/v1/games/{game}/turns", get(live::turns)),
            About::new(
                "The turns of a game while it is played, a turn late",
                "Server-sent events `turns`: JSON with from, lines (a line of the replay page's tape for each new turn) \
                 and behind; `anew`: the game was void and begins again; `over`: the game is over",
                EVENTS,
            )
            .query::<live::TurnsQuery>(),
        ),
        (
            ("get", "/{hill}/api/v1/running", get(live::running_games)),
            About::table::<RunningRow>(
                "The games that are played now",
                "One row for each game. `runners` is the number of runners at work",
                json!({ "hill": hill, "runners": { "type": "integer" } }),
            )
            .query::<TableQuery>(),
        ),
        (
            ("get", "/{hill}/api/v1/bots", get(api::bots)),
            About::table::<BotRow>("The bots that play now", "One row for each bot", json!({ "hill": hill }))
                .query::<TableQuery>(),
        ),
        (
            ("post", "/{hill}/api/v1/bots", post(submit::program.layer(DefaultBodyLimit::max(body_max)))),
            About::json::<submit::Submitted>("Submit a program", "Taken; `Location` is the address of its state")
                .status(202)
                .who(Who::Accounts)
                .query::<submit::SubmitQuery>()
                .body(
                    "The program itself, or a source: one file, or an archive (.tar.gz, .zip)",
                    "application/octet-stream",
                    file.clone(),
                ),
        ),
        (
            ("get", "/{hill}/api/v1/submissions/{receipt}", get(submit::state)),
            About::json::<submit::Submitted>("The state of a submission", "The state"),
        ),
        (
            ("get", "/{hill}/api/v1/results.csv", get(api::results)),
            About::new("The results of the hill", "results.csv; ranges are supported", FILES),
        ),
        (
            ("get", "/{hill}/api/v1/records.tar", get(archive::records)),
            About::new(
                "Results and all logs, which referee audit replays",
                "The archive",
                &["application/x-tar"],
            ),
        ),
        (
            ("get", "/{hill}/api/v1/events", get(api::events)),
            About::new(
                "New results as they appear",
                "Server-sent events `results`: JSON with number, games, season and rounds",
                EVENTS,
            ),
        ),
        (
            ("get", "/{hill}/proof/{file}", get(proof::file)),
            About::new(
                "The key, or the last checkpoint",
                "The file (C2SP signed-note, tlog-checkpoint)",
                &["text/plain"],
            ),
        ),
        (
            ("get", "/{hill}/proof/{before}/{size}", get(proof::continued)),
            About::new(
                "The proof that the signed list begins with an earlier one",
                "The hashes of RFC 6962, section 2.1.2, each in base64 on a line",
                &["text/plain"],
            ),
        ),
        (
            ("post", "/{hill}/submit", post(submit::form.layer(DefaultBodyLimit::max(body_max)))),
            About::new(
                "Submit by the form of the page",
                "Taken; `Location` is the page with its state",
                &[],
            )
            .status(303)
            .who(Who::Anybody)
            .body(
                "The fields of the form, the program last",
                "multipart/form-data",
                json!({
                    "type": "object", "required": ["token", "name", "program"], "properties": {
                        "token": { "type": "string" }, "name": { "type": "string" }, "program": file,
                    },
                }),
            ),
        ),
    ]
}

/// The content types of records, and of events.
const FILES: &[&str] = &["text/plain", "application/gzip"];
const EVENTS: &[&str] = &["text/event-stream"];

/// Lists the addresses of pages.
fn people() -> Vec<Route> {
    vec![
        ("get", "/", get(pages::index)),
        ("get", "/assets/{name}", get(layout::asset)),
        ("get", "/{hill}", get(standings::page)),
        ("get", "/{hill}/games", get(pages::games)),
        ("get", "/{hill}/games/{game}", get(pages::game)),
        ("get", "/{hill}/games/{game}/picture.png", get(pages::picture)),
        ("get", "/{hill}/games/{game}/replay", get(pages::replay)),
        ("get", "/{hill}/games/{game}/live", get(live::game)),
        ("get", "/{hill}/live", get(live::list)),
        ("get", "/{hill}/bots/{bot}", get(bot::page)),
        ("post", "/{hill}/bots/{bot}/withdraw", post(bot::withdraw)),
        ("get", "/{hill}/account", get(account::page)),
        ("post", "/{hill}/account", post(account::sign_in)),
        ("post", "/{hill}/account/leave", post(account::leave)),
        ("get", "/{hill}/host", get(host::page)),
        ("post", "/{hill}/host", post(steer::act)),
        ("get", "/{hill}/rules", get(pages::rules)),
        ("get", "/{hill}/wall", get(wall::page)),
        ("get", "/{hill}/starters/{language}", get(starters::starter)),
        ("get", "/{hill}/submit", get(submit::page)),
        ("get", "/{hill}/submissions/{receipt}", get(submit::state_page)),
        ("get", "/{hill}/submissions/{receipt}/replay", get(submit::replay)),
    ]
}

/// Lists all addresses.
fn all(upload_max: usize) -> impl Iterator<Item = Route> {
    programs(upload_max).into_iter().map(|(route, _)| route).chain(people())
}

/// Answers with `openapi.json`, the description of the addresses for programs.
async fn description() -> Response {
    // No description names the limit of uploads, which is 0 here.
    static DESCRIPTION: LazyLock<String> = LazyLock::new(|| {
        let all = programs(0);
        describe::description(all.iter().map(|((method, path, _), about)| (*method, *path, about)))
    });
    ([(header::CONTENT_TYPE, "application/json")], DESCRIPTION.as_str()).into_response()
}

/// Tells whether an address of the server itself begins with this name, so that no contest can have it.
fn is_reserved(name: &str) -> bool {
    let paths = all(0).map(|(_, path, _)| path);
    let mut firsts = paths.filter_map(|path| path.split('/').nth(1)).filter(|first| !first.starts_with('{'));
    firsts.any(|first| first.eq_ignore_ascii_case(name))
}

/// Tells whether an address is for authors, who submit bots, or for the host of a hill. A tournament has none of these.
fn is_for_authors(method: &str, path: &str) -> bool {
    let parts = ["/submit", "/submissions/", "/account", "/host", "/stderr/"];
    method == "post" || parts.iter().any(|part| path.contains(part))
}

/// Returns the router of all addresses.
///
/// # Errors
///
/// If the name of a folder is an address of the server itself.
pub(crate) fn router(site: &Arc<Site>) -> Result<Router, Error> {
    if let Some(served) = site.contests.values().find(|served| is_reserved(&served.name)) {
        let what = format!("/{} is an address of the server itself: rename the folder", served.name);
        return Err(Error::file(&served.root, what));
    }
    let mut router = Router::new();
    let upload_max = site.contests.values().map(|served| served.upload_max).max().unwrap_or(0);
    for (method, path, answer) in all(upload_max) {
        let answer = if is_for_authors(method, path) {
            answer.route_layer(middleware::from_fn_with_state(Arc::clone(site), frame::refuse_tournaments))
        } else {
            answer
        };
        router = router.route(path, answer);
    }
    // An archive of all records is long, and its logs may be compressed already.
    let is_compressed = DefaultPredicate::new().and(NotForContentType::const_new("application/x-tar"));
    // A slow sender cannot extend the deadline of a body piece by piece.
    let body_deadline = RequestBodyDeadlineLayer::new(Duration::from_secs(site.options.body_seconds));
    let router = router
        .fallback(frame::redirect_trailing_slash)
        .layer(CompressionLayer::new().compress_when(is_compressed))
        .layer(body_deadline)
        .layer(CsrfLayer::new().with_rejection_response(frame::refuse_other_site))
        .layer(middleware::from_fn_with_state(Arc::clone(site), frame::frame));
    Ok(router.with_state(Arc::clone(site)))
}
