//! The accounts of a hill, by the digests of their tokens. The list is read again when its file has changed. That is
//! looked at for each token that is not known, and once in a millisecond for those that are.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::RwLock;
use referee_contest::accounts::{self, Token};
use referee_files::beneath::{Look, Spot};
use referee_record::Digest;
use referee_record::error::Error;
use referee_table::clock::Clock;

/// How long a known token counts without another look at the list.
const PAUSE: Duration = Duration::from_millis(1);

/// The tokens that count, and how their file looked when they were read.
#[derive(Debug, Default)]
struct Known {
    look: Option<Look>,
    /// By the bytes of their digests: a search among many touches little memory.
    by_digest: BTreeMap<[u8; 32], Arc<Token>>,
}

/// The accounts of a hill.
#[derive(Debug)]
pub(crate) struct Tokens {
    spot: Spot,
    known: RwLock<Arc<Known>>,
    clock: Clock,
    pause: Duration,
    /// When the list was last seen to be the known one, in nanoseconds of the clock.
    looked_at: AtomicU64,
    /// Locked while the list is read: once for all requests that came meanwhile.
    reading: tokio::sync::Mutex<()>,
}

impl Tokens {
    pub(crate) fn new(root: &Path) -> Tokens {
        Tokens {
            spot: accounts::tokens_of(root),
            known: RwLock::default(),
            clock: Clock::start(),
            pause: PAUSE,
            looked_at: AtomicU64::new(0),
            reading: tokio::sync::Mutex::default(),
        }
    }

    /// Returns the known tokens, if the file has not changed since.
    fn current(&self) -> Option<Arc<Known>> {
        let now = self.now();
        let look = self.spot.look().ok()?;
        let known = Arc::clone(&self.known.read());
        (known.look == look).then(|| {
            self.looked_at.fetch_max(now, Ordering::Relaxed);
            known
        })
    }

    /// Returns a known token, if the file was looked at just now.
    fn just_seen(&self, digest: &[u8; 32]) -> Option<Arc<Token>> {
        let since = self.now().saturating_sub(self.looked_at.load(Ordering::Relaxed));
        if Duration::from_nanos(since) >= self.pause {
            return None;
        }
        self.known.read().by_digest.get(digest).cloned()
    }

    fn now(&self) -> u64 {
        u64::try_from(self.clock.now().0.as_nanos()).unwrap_or(u64::MAX)
    }

    /// Returns the token with a digest, if it counts.
    ///
    /// A digest is looked up, and not compared in constant time: the time tells how many digits of a digest are right,
    /// and nobody can make a token with a given digest.
    pub(crate) async fn find(&self, digest: &Digest) -> Result<Option<Arc<Token>>, Error> {
        let digest = digest.bytes();
        if let Some(token) = self.just_seen(&digest) {
            return Ok(Some(token));
        }
        let mut known = self.current();
        if known.is_none() {
            let _reading = self.reading.lock().await;
            known = self.current();
            if known.is_none() {
                known = Some(self.read_again().await?);
            }
        }
        Ok(known.and_then(|known| known.by_digest.get(&digest).cloned()))
    }

    async fn read_again(&self) -> Result<Arc<Known>, Error> {
        let spot = self.spot.clone();
        let read = tokio::task::spawn_blocking(move || {
            // The look comes first: a row that is added meanwhile makes another one.
            let look = spot.look().map_err(Error::system(spot.path(), "look at the tokens"))?;
            let tokens = accounts::tokens(spot.root().unwrap_or(Path::new(".")))?;
            let by_digest = tokens.into_iter().map(|token| (token.digest.bytes(), Arc::new(token))).collect();
            Ok::<_, Error>(Arc::new(Known { look, by_digest }))
        });
        let read = read.await.map_err(|_| Error::file(self.spot.path(), "the list cannot be read"))??;
        *self.known.write() = Arc::clone(&read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_contest::accounts::Role;

    #[tokio::test]
    async fn a_token_counts_from_its_invitation_to_its_end_and_the_list_is_read_when_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens { pause: Duration::ZERO, ..Tokens::new(folder.path()) };
        let digest = |token: &str| Digest::of(token.as_bytes());
        assert!(tokens.find(&digest("")).await.unwrap().is_none(), "no list, no token");
        let first = accounts::invite(folder.path(), "alice", None, Role::Author).unwrap().token;
        assert_eq!(tokens.find(&digest(&first)).await.unwrap().unwrap().account, "alice");
        let known = Arc::clone(&tokens.known.read());
        assert!(tokens.find(&digest("guess")).await.unwrap().is_none());
        assert!(Arc::ptr_eq(&known, &tokens.known.read()), "not read again for a guess");
        let host = accounts::invite(folder.path(), "carol", None, Role::Host).unwrap().token;
        assert!(tokens.find(&digest(&host)).await.unwrap().unwrap().is_host);
        accounts::revoke(folder.path(), "alice").unwrap();
        assert!(tokens.find(&digest(&first)).await.unwrap().is_none(), "revoked");
        assert!(tokens.find(&digest(&host)).await.unwrap().is_some());
        std::fs::write(tokens.spot.path(), "date,event,account,digest\nx,invited,eve,y\n").unwrap();
        assert!(tokens.find(&digest(&host)).await.is_err(), "a damaged list opens nothing");
    }

    #[tokio::test]
    async fn a_known_token_counts_for_a_moment_without_a_look_and_a_new_one_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens { pause: Duration::MAX, ..Tokens::new(folder.path()) };
        let digest = |token: &str| Digest::of(token.as_bytes());
        let first = accounts::invite(folder.path(), "alice", None, Role::Author).unwrap().token;
        assert!(tokens.find(&digest(&first)).await.unwrap().is_some());
        accounts::revoke(folder.path(), "alice").unwrap();
        assert!(tokens.find(&digest(&first)).await.unwrap().is_some(), "no look");
        let next = accounts::invite(folder.path(), "bob", None, Role::Author).unwrap().token;
        assert!(tokens.find(&digest(&next)).await.unwrap().is_some(), "a look, for it is not known");
        assert!(tokens.find(&digest(&first)).await.unwrap().is_none(), "known no more");
    }
}
