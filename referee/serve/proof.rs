//! The signed list of a contest, for witnesses: the key, the last checkpoint, and proofs that the list goes on.

use std::sync::Arc;

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use referee_notary as notary;
use referee_notary::ServedTree;

use crate::access::Visit;
use crate::refusal::Refusal;

/// Returns the key, or the last checkpoint.
pub(crate) async fn file(visit: Visit, Path((_, name)): Path<(String, String)>) -> Result<Response, Refusal> {
    let root = visit.served.root.clone();
    let text = visit.work(move || notary::public(&root, &name)).await?;
    let text =
        text.ok_or_else(|| Refusal::missing("there is no such file: without a key, nothing is signed here"))?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

/// Returns the proof that the list of some entries begins with that of fewer.
pub(crate) async fn continued(
    visit: Visit,
    Path((_, before, size)): Path<(String, usize, usize)>,
) -> Result<Response, Refusal> {
    let served = Arc::clone(&visit.served);
    let _place = visit.site.proofs.place(&visit.address()).await?;
    let reading = visit.work(move || {
        let mut tree = served.tree.lock();
        let proof = tree.continued(before, size);
        // After an error, the next request reads the list again from its beginning.
        if proof.is_err() {
            *tree = ServedTree::new(&served.root);
        }
        proof
    });
    let proof = reading.await?.ok_or_else(|| Refusal::missing("the list has no such entries"))?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], proof).into_response())
}
