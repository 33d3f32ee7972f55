//! The signed list of a hill, for witnesses: keys, the last checkpoint, and tiles (C2SP `tlog-tiles`).

use std::sync::{Arc, PoisonError};

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use referee::notary::{self, Tiles};

use crate::access::Asked;
use crate::refusal::Refusal;
use crate::site::Site;

/// Returns the first key, the rotations after it, or the last checkpoint.
pub(crate) async fn file(
    State(site): State<Arc<Site>>,
    asked: Asked,
    Path((_, name)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let root = asked.served.root.clone();
    let read = site.work(move || notary::public(&root, &name)).await.ok_or_else(Refusal::busy)?;
    let text = read.map_err(|error| Refusal::internal(&error))?;
    let text = text.ok_or_else(|| {
        Refusal::missing("this hill has no such file: without a key, nothing is signed here")
    })?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

/// Returns a tile.
pub(crate) async fn tile(
    State(site): State<Arc<Site>>,
    asked: Asked,
    Path((_, path)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let served = Arc::clone(&asked.served);
    let read = site.work(move || {
        let mut tiles = served.tiles.lock().unwrap_or_else(PoisonError::into_inner);
        let read = tiles.tile(&format!("tile/{path}"));
        if read.is_err() {
            *tiles = Tiles::of(&served.root);
        }
        read
    });
    let tile = read.await.ok_or_else(Refusal::busy)?.map_err(|error| Refusal::internal(&error))?;
    let tile = tile.ok_or_else(|| Refusal::missing("the list has no such tile"))?;
    Ok(([(header::CONTENT_TYPE, "application/octet-stream")], tile).into_response())
}
