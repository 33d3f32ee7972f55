//! Finds a played game by its name, in a folder of games, a hill or a tournament.

use std::path::{Path, PathBuf};

use crate::fixture::game_id;
use crate::folder;
use crate::plan;
use referee_files::beneath::Spot;
use referee_files::{log, results, voids};
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::voids::VoidReason;

/// A game that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The folder that was searched: the game's log is below it.
    pub root: PathBuf,
    /// The folder from which its log is named.
    pub folder: PathBuf,
    /// Its rows, in the order of the seats.
    pub rows: GameResult,
}

impl Found {
    /// Returns the path of its log, compressed or not.
    pub fn log(&self) -> Spot {
        log::resolve_form(Spot::within(&self.root, self.folder.join(self.rows.log())))
    }
}

/// Finds a game of a folder. A game of a tournament has a number, too: its place in the schedules of all rounds, from
/// 0.
///
/// # Errors
///
/// If there is no such game. Without a name, the error names the last game (of a tournament, the first).
pub fn find(root: &Path, name: Option<&str>) -> Result<Found, Error> {
    if root.join("plan.toml").exists() {
        return in_tournament(root, name);
    }
    let results = folder::results_of(root);
    let not_found = |what: String| Err(Error::input(what));
    if !results.exists() {
        return not_found(format!("{}: no game has been played: there is no results.csv", root.display()));
    }
    let Some(name) = name else {
        let Some(last) = results::last_name(&results)? else {
            // Without a whole game, there can still be damage, which is the error then.
            for game in results::games(&results)? {
                game?;
            }
            return not_found(format!("{}: no game in it", results.path().display()));
        };
        return not_found(format!("{}: which game? The last one is {last}", root.display()));
    };
    let Some(rows) = results::game_named(&results, name)? else {
        return not_found(format!("{}: no game named {name}", results.path().display()));
    };
    let rows = GameResult::of(rows);
    Ok(Found { root: root.to_owned(), folder: root.to_owned(), rows })
}

fn in_tournament(root: &Path, name: Option<&str>) -> Result<Found, Error> {
    let (mut games, mut first) = (0..u64::MAX, None);
    for plan in plan::open(root)?.rounds()? {
        for (batch, in_batch) in plan.batches().enumerate() {
            for (game, number) in in_batch.iter().zip(&mut games) {
                let id = game_id(game.scheduled);
                let is_game = |name: &str| name == id || name.parse() == Ok(number);
                if name.is_some_and(is_game) {
                    return of_tournament(root, &id, batch);
                }
                first.get_or_insert(id);
            }
        }
    }
    let first = first.unwrap_or_default();
    Err(Error::input(match name {
        None => format!("{}: which game? The first one is {first}", root.display()),
        Some(name) => format!("{}: no game named {name}; the first one is {first}", root.display()),
    }))
}

fn of_tournament(root: &Path, id: &str, batch: usize) -> Result<Found, Error> {
    let results = folder::results_of(root);
    let rows = if results.exists() { results::game_named(&results, id)? } else { None };
    if let Some(rows) = rows {
        let rows = GameResult::of(rows);
        return Ok(Found { root: root.to_owned(), folder: root.to_owned(), rows });
    }
    let mut why = None;
    voids::each(folder::voids_of(root), |row| {
        if row.game == id && row.reason == VoidReason::GivenUp && why.is_none() {
            why = Some(row.detail);
        }
        Ok(())
    })?;
    let state = match why {
        Some(why) => format!("is void: {why}"),
        None => format!("is not listed yet: it, or a game before it, has not ended (it is in batch {batch})"),
    };
    Err(Error::input(format!("{}: {id} {state}", root.display())))
}
