//! The pages of single games in a report.

use std::collections::BTreeSet;

use super::Replays;
use super::folder::Folder;
use super::games::{GameLine, notable};
use crate::error::Error;
use crate::view::page;

/// Writes the pages of some games, and notes in their lines where they are. A game whose log is not there has none.
pub(super) fn write(games: &mut [GameLine], replays: Replays, folder: &mut Folder) -> Result<(), Error> {
    for index in chosen(games, replays) {
        let Some(log) = games[index].log.as_ref() else { continue };
        let page = page::page(&log.spot)?;
        let name = format!("games/{}.html", name_of(&games[index].game, index));
        folder.write(&name, page)?;
        games[index].replay = Some(name);
    }
    Ok(())
}

fn chosen(games: &[GameLine], replays: Replays) -> BTreeSet<usize> {
    match replays {
        Replays::None => BTreeSet::new(),
        Replays::All => (0..games.len()).collect(),
        Replays::Last(count) => {
            let last = games.len().saturating_sub(count)..games.len();
            last.chain(notable(games).into_iter().map(|(_, index)| index)).collect()
        }
    }
}

/// The name of a game's page: that of the game, where it is one for a file.
fn name_of(game: &str, index: usize) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let fits = (1..=100).contains(&game.len()) && game.bytes().all(plain);
    if fits { game.to_owned() } else { format!("{}", index + 1) }
}
