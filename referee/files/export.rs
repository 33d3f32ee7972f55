//! Exports every position and every order of a recorded game, as CSV.

use std::fs::Permissions;
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::beneath::{self, Spot};
use crate::log;
use referee_record::Answer;
use referee_record::error::Error;
use referee_record::file;
use referee_record::play::position::{Change, Position};
use referee_record::play::replay::{Replay, advance};
use referee_rules::Events;

/// The files that were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// `turn,seat,index,order`: each integer of each answer.
    pub moves: PathBuf,
    /// `turn,thing,seat,index,value`: the position before each turn, and the final one.
    pub positions: PathBuf,
}

/// How positions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Positions {
    /// The first one whole, then the changes since the previous turn. An empty value means that a thing is gone.
    Changes,
    /// Each one whole. The file can be a thousand times as long.
    Whole,
}

/// Replays a log and writes its moves and positions into a folder.
pub fn export(log: impl Into<Spot>, folder: &Path, how: Positions) -> Result<Exported, Error> {
    beneath::create_folder(folder)?;
    let log = log.into();
    let name = file::stem(log.path());
    let mut moves = Table::create(folder.join(format!("{name}-moves.csv")), "turn,seat,index,order")?;
    let mut positions =
        Table::create(folder.join(format!("{name}-positions.csv")), "turn,thing,seat,index,value")?;
    let mut before = Position::default();
    let (mut replay, _) = Replay::open_whole(log::open(log)?)?;
    let mut events = Events::default();
    loop {
        let now = Position::of(replay.game());
        write_position(replay.game().turn(), &before, &now, &mut positions)?;
        if how == Positions::Changes {
            before = now;
        }
        let Some((game, answers)) = replay.next_turn()? else { break };
        write_moves(game.turn(), answers, &mut moves)?;
        advance(game, answers, &mut events, None, |_, _, _| {});
    }
    Ok(Exported { moves: moves.finish()?, positions: positions.finish()? })
}

fn write_position(turn: u32, before: &Position, now: &Position, table: &mut Table) -> Result<(), Error> {
    let changes = before.changes_to(now);
    let (gone, changed): (Vec<_>, Vec<_>) = changes.into_iter().partition(|change| change.after.is_none());
    for Change { thing, seat, index, after, .. } in gone.into_iter().chain(changed) {
        let seat = seat.map_or(String::new(), |seat| seat.to_string());
        let index = index.map_or(String::new(), |index| index.to_string());
        let value = after.map_or(String::new(), |value| value.to_string());
        table.row(format_args!("{turn},{thing},{seat},{index},{value}"))?;
    }
    Ok(())
}

fn write_moves(turn: u32, answers: &[Answer], moves: &mut Table) -> Result<(), Error> {
    for answer in answers {
        for (index, order) in answer.integers.iter().enumerate() {
            moves.row(format_args!("{turn},{},{index},{order}", answer.seat))?;
        }
    }
    Ok(())
}

/// A file that gets its name only when it is complete.
struct Table {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl Table {
    fn create(path: PathBuf, header: &str) -> Result<Table, Error> {
        let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        let file = tempfile::Builder::new().prefix(".referee-export-").tempfile_in(folder);
        let file = file.map_err(Error::system(&path, "create the file"))?;
        let mut table = Table { path, file: BufWriter::new(file) };
        table.row(format_args!("{header}"))?;
        Ok(table)
    }

    fn row(&mut self, row: std::fmt::Arguments<'_>) -> Result<(), Error> {
        writeln!(self.file, "{row}").map_err(Error::system(&self.path, "write the file"))
    }

    fn finish(self) -> Result<PathBuf, Error> {
        let file = self.file.into_inner().map_err(|error| error.into_error());
        let put = |file: NamedTempFile| {
            file.as_file().set_permissions(Permissions::from_mode(0o644))?;
            file.persist(&self.path).map_err(|error| error.error)
        };
        file.and_then(put).map_err(Error::system(&self.path, "write the file"))?;
        Ok(self.path)
    }
}
