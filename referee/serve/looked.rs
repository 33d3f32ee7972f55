//! Games with viewers that are being played, as far as they have been read.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use referee_page::html::Live;
use tokio::sync::watch;

/// Maximum number of games of all hills that are followed at once.
const GAMES_MAX: usize = 16;

/// A game as far as it has been read.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) game: Live,
    pub(crate) is_over: bool,
}

impl Seen {
    /// Returns the lines of turns, and the two lines after them.
    pub(crate) fn turns(&self) -> (&[String], &[String]) {
        self.game.lines.split_at(self.game.lines.len().saturating_sub(2))
    }
}

/// The sending end of a followed game, and the receiving end of a viewer.
pub(crate) type Sender = watch::Sender<Arc<Seen>>;
pub(crate) type Followed = watch::Receiver<Arc<Seen>>;

/// A hill and a game.
type Key = (String, String);

/// The games with viewers.
#[derive(Debug, Default)]
pub(crate) struct Looked(Mutex<BTreeMap<Key, Arc<Sender>>>);

impl Looked {
    fn all(&self) -> MutexGuard<'_, BTreeMap<Key, Arc<Sender>>> {
        self.0.lock()
    }

    pub(crate) fn find(&self, key: &Key) -> Option<Followed> {
        self.all().get(key).map(|sender| sender.subscribe())
    }

    /// Adds a game, unless it is there. Returns its sender, too, if it is new; `None` if there are too many
    /// games.
    pub(crate) fn add(&self, key: &Key, seen: Seen) -> Option<(Followed, Option<Arc<Sender>>)> {
        let mut all = self.all();
        if let Some(sender) = all.get(key) {
            return Some((sender.subscribe(), None));
        }
        if all.len() >= GAMES_MAX {
            return None;
        }
        let (sender, followed) = watch::channel(Arc::new(seen));
        let sender = Arc::new(sender);
        all.insert(key.clone(), Arc::clone(&sender));
        Some((followed, Some(sender)))
    }

    /// Returns the number of games.
    pub(crate) fn held(&self) -> usize {
        self.all().len()
    }

    pub(crate) fn remove(&self, key: &Key) {
        self.all().remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_sixteen_games_are_followed_at_a_time() {
        let looked = Looked::default();
        let seen = || Seen { game: Live { html: String::new(), lines: Vec::new() }, is_over: false };
        let key = |number: usize| (format!("hill {}", number % 3), format!("game {number}"));
        for number in 0..16 {
            assert!(looked.add(&key(number), seen()).is_some());
        }
        assert!(looked.add(&key(16), seen()).is_none());
        assert!(looked.add(&key(3), seen()).is_some(), "one that is followed has room for more viewers");
        looked.remove(&key(3));
        assert!(looked.add(&key(16), seen()).is_some());
    }
}
