//! The games with viewers that are being played, as far as they have been read.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use referee_show::page::html::Live;
use tokio::sync::watch;

/// Maximum number of games of all hills that are followed at once.
const GAMES_MAX: usize = 16;

/// Maximum number of those that one visitor was the first to watch.
const GAMES_OF_ONE: usize = GAMES_MAX / 4;

/// A game as far as it has been read.
#[derive(Debug)]
pub(crate) struct GameSoFar {
    pub(crate) game: Live,
    pub(crate) is_over: bool,
}

impl GameSoFar {
    /// Returns the lines of turns, and the two lines after them.
    pub(crate) fn turns(&self) -> (&[String], &[String]) {
        self.game.lines.split_at(self.game.lines.len().saturating_sub(2))
    }
}

/// The sending end of a followed game, and the receiving end of a viewer.
pub(crate) type Sender = watch::Sender<Arc<GameSoFar>>;
pub(crate) type Followed = watch::Receiver<Arc<GameSoFar>>;

/// The names of a hill and of a game on it.
type Key = (String, String);

/// The games with viewers, each with the visitor who was the first to watch it.
#[derive(Debug, Default)]
pub(crate) struct WatchedGames(Mutex<BTreeMap<Key, (Arc<Sender>, String)>>);

impl WatchedGames {
    fn all(&self) -> MutexGuard<'_, BTreeMap<Key, (Arc<Sender>, String)>> {
        self.0.lock()
    }

    /// Returns the receiving end for a viewer, if the game is followed.
    pub(crate) fn find(&self, key: &Key) -> Option<Followed> {
        self.all().get(key).map(|(sender, _)| sender.subscribe())
    }

    /// Adds a game for a visitor, unless it is there. Returns the receiving end, and for a new game the sender, too.
    /// `None` if too many games are followed, or too many of this visitor.
    pub(crate) fn add(
        &self,
        key: &Key,
        game: GameSoFar,
        who: &str,
    ) -> Option<(Followed, Option<Arc<Sender>>)> {
        let mut all = self.all();
        if let Some((sender, _)) = all.get(key) {
            return Some((sender.subscribe(), None));
        }
        if all.len() >= GAMES_MAX || all.values().filter(|(_, first)| first == who).count() >= GAMES_OF_ONE {
            return None;
        }
        let (sender, followed) = watch::channel(Arc::new(game));
        let sender = Arc::new(sender);
        all.insert(key.clone(), (Arc::clone(&sender), who.to_owned()));
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
    fn at_most_sixteen_games_are_followed_at_a_time_and_four_for_one_visitor() {
        let watched = WatchedGames::default();
        let game = || GameSoFar { game: Live { html: String::new(), lines: Vec::new() }, is_over: false };
        let key = |number: usize| (format!("hill {}", number % 3), format!("game {number}"));
        let add = |number: usize, who: &str| watched.add(&key(number), game(), who).is_some();
        for number in 0..16 {
            let who = format!("visitor {}", number / 4);
            assert!(add(number, &who));
            if number % 4 == 3 {
                assert!(!add(100, &who), "a fifth for {who}");
            }
        }
        assert!(!add(16, "another"), "no place is left");
        assert!(add(3, "another") && add(3, "visitor 0"), "one that is followed has room for more viewers");
        watched.remove(&key(3));
        assert!(!add(16, "visitor 1") && add(16, "another"));
    }
}
