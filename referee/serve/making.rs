//! Answers that take long to make. One visitor makes each, and all others who ask for it wait until it is made.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use crate::access::Visit;
use crate::answer_cache::{CachedAnswer, Making};
use crate::pool::Place;
use crate::refusal::Refusal;

/// How long a request waits for an answer that another visitor makes, or for a place to make it.
const MAKING_MAX: Duration = Duration::from_secs(30);

/// An answer that takes long to make, for the visitor who asks for it.
enum LongAnswer {
    /// The answer is in the cache.
    Cached(Arc<CachedAnswer>),
    /// This visitor makes the answer, and has a place for the work.
    ToMake(Place, Making),
}

impl Visit {
    /// Returns an answer that is made from the whole log of a game. When many visitors open the same game, one of them
    /// makes the answer, and the others wait for that without places of their own.
    pub(crate) async fn long_answer<E>(
        &self,
        address: String,
        stamp: String,
        kind: &'static str,
        make: impl FnOnce() -> Result<Vec<u8>, E> + Send + 'static,
    ) -> Result<Arc<CachedAnswer>, Refusal>
    where
        E: Into<Refusal> + Send + 'static,
    {
        let shelf = &self.site.shelf;
        let long_answer = async {
            loop {
                if let Some(cached) = shelf.find(&address, &stamp) {
                    return Ok(LongAnswer::Cached(cached));
                }
                if let Some(mut end) = shelf.making.find(&address) {
                    // Another visitor makes the answer. The channel closes at the end, which is reported as an error.
                    let _ = end.changed().await;
                    continue;
                }
                let Some(place) = self.place_unless_made(&address).await? else { continue };
                if let Some(making) = shelf.making.begin(&address) {
                    return Ok::<_, Refusal>(LongAnswer::ToMake(place, making));
                }
            }
        };
        let (place, making) = match timeout(MAKING_MAX, long_answer).await.map_err(|_| Refusal::busy())?? {
            LongAnswer::ToMake(place, making) => (place, making),
            LongAnswer::Cached(cached) => return Ok(cached),
        };
        let site = Arc::clone(&self.site);
        let job = move || {
            // Held until the answer is made, whether or not the visitor is still there.
            let _making = making;
            site.shelf.get(&address, &stamp, kind, make)
        };
        place.run(job).await
    }

    /// Waits for a place for a long job. `None` if another visitor begins to make the answer of this address meanwhile.
    async fn place_unless_made(&self, address: &str) -> Result<Option<Place>, Refusal> {
        let making = &self.site.shelf.making;
        let who = self.address();
        let mut place = pin!(self.site.replays.place(&who));
        loop {
            // Subscribed before the look, so that an answer that is begun in between is not missed.
            let begun = making.begun.notified();
            if making.find(address).is_some() {
                return Ok(None);
            }
            tokio::select! {
                place = &mut place => return place.map(Some),
                () = begun => {}
            }
        }
    }
}
