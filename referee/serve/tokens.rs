//! The tokens of a hill, by their digests. The list is read again when its file has changed. The server looks at the
//! file for each token that is not known, and at most once in a millisecond for those that are.

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

/// How long a known token counts without another look at the file.
const PAUSE: Duration = Duration::from_millis(1);

/// The valid tokens, and the state of their file when they were read.
#[derive(Debug, Default)]
struct Known {
    look: Option<Look>,
    /// The keys are bytes of digests, not their text: a search among many touches little memory.
    by_digest: BTreeMap<[u8; 32], Arc<Token>>,
}

/// The tokens of a hill.
#[derive(Debug)]
pub(crate) struct Tokens {
    spot: Spot,
    known: RwLock<Arc<Known>>,
    clock: Clock,
    pause: Duration,
    /// When a look last found the file unchanged, in nanoseconds of the clock.
    last_look: AtomicU64,
    /// Locked while the list is read. All requests that come meanwhile wait for this one reading.
    reading: tokio::sync::Mutex<()>,
}

impl Tokens {
    pub(crate) fn new(root: &Path) -> Tokens {
        Tokens {
            spot: accounts::tokens_of(root),
            known: RwLock::default(),
            clock: Clock::start(),
            pause: PAUSE,
            last_look: AtomicU64::new(0),
            reading: tokio::sync::Mutex::default(),
        }
    }

    /// Looks at the file, and returns the known tokens if it has not changed.
    fn known_if_unchanged(&self) -> Option<Arc<Known>> {
        let now = self.now();
        let look = self.spot.look().ok()?;
        let known = Arc::clone(&self.known.read());
        if known.look != look {
            return None;
        }
        self.last_look.fetch_max(now, Ordering::Relaxed);
        Some(known)
    }

    /// Returns a known token without a look at the file, if the last look was just now.
    fn find_without_look(&self, digest: &[u8; 32]) -> Option<Arc<Token>> {
        let since = self.now().saturating_sub(self.last_look.load(Ordering::Relaxed));
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
    /// The search does not take a constant time. Its time can tell how many digits of a digest are right, which helps
    /// nobody: nobody can make a token with a given digest.
    pub(crate) async fn find(&self, digest: &Digest) -> Result<Option<Arc<Token>>, Error> {
        let digest = digest.bytes();
        if let Some(token) = self.find_without_look(&digest) {
            return Ok(Some(token));
        }
        let mut known = self.known_if_unchanged();
        if known.is_none() {
            let _reading = self.reading.lock().await;
            known = self.known_if_unchanged();
            if known.is_none() {
                known = Some(self.read_again().await?);
            }
        }
        Ok(known.and_then(|known| known.by_digest.get(&digest).cloned()))
    }

    async fn read_again(&self) -> Result<Arc<Known>, Error> {
        let spot = self.spot.clone();
        let reading = tokio::task::spawn_blocking(move || {
            // The look comes first: a row that is added meanwhile changes the next look.
            let look = spot.look().map_err(Error::system(spot.path(), "look at the tokens"))?;
            let tokens = accounts::tokens(spot.root().unwrap_or(Path::new(".")))?;
            let by_digest = tokens.into_iter().map(|token| (token.digest.bytes(), Arc::new(token))).collect();
            Ok::<_, Error>(Arc::new(Known { look, by_digest }))
        });
        let known = reading.await.map_err(|_| Error::file(self.spot.path(), "the list cannot be read"))??;
        *self.known.write() = Arc::clone(&known);
        Ok(known)
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
