//! The accounts of a hill, by the digests of their tokens. The list is read again when its file has changed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::RwLock;
use referee_contest::accounts::{self, Token};
use referee_files::beneath::{Look, Spot};
use referee_record::Digest;
use referee_record::error::Error;

/// The tokens that count, and how their file looked when they were read.
#[derive(Debug, Default)]
struct Known {
    look: Option<Look>,
    by_digest: BTreeMap<Digest, Arc<Token>>,
}

/// The accounts of a hill.
#[derive(Debug)]
pub(crate) struct Tokens {
    spot: Spot,
    known: RwLock<Arc<Known>>,
    /// Locked while the list is read: once for all requests that came meanwhile.
    reading: tokio::sync::Mutex<()>,
}

impl Tokens {
    pub(crate) fn of(root: &Path) -> Tokens {
        Tokens {
            spot: accounts::tokens_of(root),
            known: RwLock::default(),
            reading: tokio::sync::Mutex::default(),
        }
    }

    /// Returns the known tokens, if the file has not changed since.
    fn current(&self) -> Option<Arc<Known>> {
        let look = self.spot.look().ok()?;
        let known = Arc::clone(&self.known.read());
        (known.look == look).then_some(known)
    }

    /// Returns the token with a digest, if it counts.
    ///
    /// A digest is looked up, and not compared in constant time: the time tells how many digits of a digest are right,
    /// and nobody can make a token with a given digest.
    ///
    /// # Errors
    ///
    /// If the list is damaged.
    pub(crate) async fn find(&self, digest: &Digest) -> Result<Option<Arc<Token>>, Error> {
        let mut known = self.current();
        if known.is_none() {
            let _reading = self.reading.lock().await;
            known = self.current();
            if known.is_none() {
                known = Some(self.read_again().await?);
            }
        }
        Ok(known.and_then(|known| known.by_digest.get(digest).cloned()))
    }

    async fn read_again(&self) -> Result<Arc<Known>, Error> {
        let spot = self.spot.clone();
        let read = tokio::task::spawn_blocking(move || {
            // The look comes first: a row that is added meanwhile makes another one.
            let look = spot.look().map_err(Error::system(spot.path(), "look at the tokens"))?;
            let tokens = accounts::tokens(spot.root().unwrap_or(Path::new(".")))?;
            let by_digest = tokens.into_iter().map(|token| (token.digest.clone(), Arc::new(token))).collect();
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
        let tokens = Tokens::of(folder.path());
        let digest = |token: &str| Digest::of(token.as_bytes());
        assert!(tokens.find(&digest("")).await.unwrap().is_none(), "no list, no token");
        let first = accounts::invite(folder.path(), "alice", Role::Author).unwrap();
        assert_eq!(tokens.find(&digest(&first)).await.unwrap().unwrap().account, "alice");
        let known = Arc::clone(&tokens.known.read());
        assert!(tokens.find(&digest("guess")).await.unwrap().is_none());
        assert!(Arc::ptr_eq(&known, &tokens.known.read()), "not read again for a guess");
        let host = accounts::invite(folder.path(), "carol", Role::Host).unwrap();
        assert!(tokens.find(&digest(&host)).await.unwrap().unwrap().is_host);
        accounts::revoke(folder.path(), "alice").unwrap();
        assert!(tokens.find(&digest(&first)).await.unwrap().is_none(), "revoked");
        assert!(tokens.find(&digest(&host)).await.unwrap().is_some());
        std::fs::write(tokens.spot.path(), "date,event,account,digest\nx,invited,eve,y\n").unwrap();
        assert!(tokens.find(&digest(&host)).await.is_err(), "a damaged list opens nothing");
    }
}
