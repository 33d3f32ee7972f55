//! The signed list of a hill, for witnesses: keys, the last checkpoint, and tiles (C2SP `tlog-tiles`).

use std::sync::Arc;

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use referee_notary as notary;
use referee_notary::Tiles;

use crate::access::Asked;
use crate::refusal::Refusal;

/// Returns the first key, the rotations after it, or the last checkpoint.
pub(crate) async fn file(asked: Asked, Path((_, name)): Path<(String, String)>) -> Result<Response, Refusal> {
    let root = asked.served.root.clone();
    let text = asked.work(move || notary::public(&root, &name)).await?;
    let text = text.ok_or_else(|| {
        Refusal::missing("this hill has no such file: without a key, nothing is signed here")
    })?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

/// Returns a tile.
pub(crate) async fn tile(asked: Asked, Path((_, path)): Path<(String, String)>) -> Result<Response, Refusal> {
    let served = Arc::clone(&asked.served);
    let _place = asked.site.tiles.place(&asked.address()).await?;
    let read = asked.work(move || {
        let mut tiles = served.tiles.lock();
        let read = tiles.tile(&format!("tile/{path}"));
        if read.is_err() {
            *tiles = Tiles::of(&served.root);
        }
        read
    });
    let tile = read.await?.ok_or_else(|| Refusal::missing("the list has no such tile"))?;
    Ok(([(header::CONTENT_TYPE, "application/octet-stream")], tile).into_response())
}
