//! Hills on the web: standings, games and submissions, from their folders.
//!
//! The folder of a hill stays the whole truth. This server reads it with the functions of the command line, and writes
//! `inbox`, `tokens.csv` and `events.csv` in it. Checks are played by `referee hill submit`, in a process of its own.
//!
//! - `accept` takes connections, with a limit on all that a stranger can make it wait for.
//! - `routes` lists the addresses, `frame` stands around all of them, `access` knows tokens.
//! - `follow` reads results into the `index` as they grow; `pages` and `api` show them.
//! - `export` writes them as files.
//! - `submit` receives programs, `inbox` keeps them, `checks` has them checked.

#![forbid(unsafe_code)]

mod accept;
mod access;
mod api;
mod checks;
mod export;
mod follow;
mod frame;
mod inbox;
mod index;
mod layout;
mod options;
mod pages;
mod query;
mod refusal;
mod routes;
mod site;
mod submit;
mod throttle;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use tokio::net::TcpListener;

pub use self::export::{Exported, export};
use self::follow::Follower;
pub use self::options::Options;
pub use self::routes::addresses;
use self::site::Site;

/// Serves hills until `stop` is done, then ends connections. `ready` is told the address that it listens on.
///
/// # Errors
///
/// If a folder is no hill, two have one name, or the address cannot be listened on.
pub async fn serve(
    options: Options,
    ready: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let address = options.listen;
    let site = Site::open(options)?;
    let listener = TcpListener::bind(address).await.with_context(|| format!("{address}: cannot listen"))?;
    for served in site.hills.values() {
        Follower::begin(Arc::clone(&site), Arc::clone(served));
        tokio::spawn(checks::check_all(Arc::clone(&site), Arc::clone(served)));
    }
    ready(listener.local_addr()?);
    accept::accept(&site, listener, routes::router(&site), stop).await;
    Ok(())
}
