//! Hills and tournaments on the web: standings, games and submissions, from their folders.
//!
//! Everything about a contest is in its folder. This server reads it with the functions of the command line, and writes
//! `inbox`, `tokens.csv` and `events.csv` in it. Checks are played by `referee hill submit`, in a process of its own.
//!
//! Connections and requests:
//!
//! - `main` and `program` are the program `referee-serve`, `options` what can be set.
//! - `accept` takes connections, with a limit on all that a stranger can make it wait for. `connections` counts those
//!   of each address, `clock` is their time.
//! - `routes` lists the addresses, `describe` writes `openapi.json` from them and from the `rows`, `query` reads what
//!   follows the `?` of an address, `frame` is the layer around all of them.
//! - `access` checks tokens, `throttle` counts the wrong ones of each address, `session` knows browsers that have shown
//!   one, `tokens` knows whose each is. `refusal` says why a request is refused.
//! - `pool` has places for work that takes time: nobody can hold all of them. `making` has each answer that takes long
//!   made once, `answer_cache` keeps answers.
//!
//! What is shown of a contest:
//!
//! - `site` has the contests of the server. `follow` reads the results of each into the `index` and a `snapshot` as
//!   they grow, and `store` keeps both for the next start.
//! - `pages` and `api` show them, to people and to programs, with the parts of pages that a report has, too. `layout`
//!   is the frame of all pages.
//! - `standings` is the first page of a contest, `bot` the page of a bot, `account` that of an author, `host` that of
//!   the host, `wall` that for a projector, `class` what a class adds to them. `lost` says why a bot lost a game.
//! - `live` shows games while they are played, `watched` keeps what was read of each for all its viewers.
//! - `archive` sends all records, `reader` knows who takes them slowly. `proof` serves the files that witnesses need.
//!
//! What changes a contest:
//!
//! - `submit` receives programs, `inbox` keeps them, `queue` says which is next, `checks` has them checked. `starters`
//!   makes small bots to begin with.
//! - `steer` does what a host asks for on the page, `host_control` keeps what hosts have decided.
//! - `rounds` starts `referee hill run` for rounds; `hook` sends messages to another server.

#![forbid(unsafe_code)]

mod accept;
mod access;
mod account;
mod answer_cache;
mod api;
mod archive;
mod bot;
mod checks;
mod class;
mod clock;
mod connections;
mod deadlines;
mod describe;
mod follow;
mod frame;
mod hook;
mod host;
mod host_control;
mod inbox;
mod index;
mod layout;
mod live;
mod lost;
mod making;
mod options;
mod pages;
mod pool;
mod program;
mod proof;
mod query;
mod queue;
mod reader;
mod refusal;
mod rounds;
mod routes;
mod rows;
mod session;
mod site;
mod snapshot;
mod standings;
mod starters;
mod steer;
mod store;
mod submit;
mod throttle;
mod tokens;
mod wall;
mod watched;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio::net::TcpListener;

use self::follow::Follower;
use self::inbox::Lane;
pub use self::options::Options;
pub use self::program::{main, run};
use self::site::Site;

/// Time limit for the follower of a hill when the server stops.
const FAREWELL: Duration = Duration::from_secs(10);

/// Serves hills and tournaments until `stop` is done, then ends connections. `say` receives the address, then messages
/// for the host.
///
/// # Errors
///
/// If a folder is neither a hill nor a tournament, two folders have the same name, or the server cannot listen on the
/// address.
pub async fn serve(options: Options, say: fn(&str), stop: impl Future<Output = ()>) -> anyhow::Result<()> {
    let address = options.listen;
    let site = Site::open(options, say)?;
    let router = routes::router(&site)?;
    let listener = TcpListener::bind(address).await.with_context(|| format!("{address}: cannot listen"))?;
    // The first line is the address: a follower may have something to say at once.
    say(&format!("http://{}/ (Ctrl-C stops it)", listener.local_addr()?));
    if !listener.local_addr()?.ip().is_loopback() && site.options.proxy.is_none() {
        say(
            "Other machines can connect, and nothing is encrypted: their tokens can be read on the way. For TLS, put a \
             proxy in front, and name it with --proxy.",
        );
    }
    let mut followers = Vec::new();
    for served in site.contests.values() {
        followers.push(Follower::begin(Arc::clone(&site), Arc::clone(served)));
        for lane in [Lane::Ready, Lane::Compiled] {
            tokio::spawn(checks::check_all(Arc::clone(&site), Arc::clone(served), lane));
        }
        let (shared, stop) = (Arc::clone(served), site.stop.subscribe());
        tokio::spawn(async move { shared.hook.send_queued(&shared.name, say, stop).await });
    }
    let runners_end = rounds::play_all(&site);
    accept::accept(&site, listener, router, stop).await;
    runners_end.await;
    for follower in followers {
        let _ = tokio::time::timeout(FAREWELL, follower).await;
    }
    Ok(())
}
