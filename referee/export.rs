//! Writes out what a log leaves to be derived: every position and every order of a game, as CSV.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::audit;
use crate::game::Game;
use crate::record::RecordError;
use crate::table::Answer;

/// The files that were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// `turn,seat,index,order`: each integer of each answer that came.
    pub moves: PathBuf,
    /// `turn,thing,seat,index,value`: the position before each turn, and the final one.
    pub positions: PathBuf,
}

/// Replays a log and writes its moves and positions into a folder.
///
/// # Errors
///
/// If the log cannot be replayed or a file cannot be written.
pub fn export(log: &Path, folder: &Path) -> Result<Exported, RecordError> {
    std::fs::create_dir_all(folder).map_err(RecordError::system(folder, "create the folder"))?;
    let name = log.file_stem().unwrap_or_default().to_string_lossy();
    let mut moves = Table::create(folder.join(format!("{name}-moves.csv")), "turn,seat,index,order")?;
    let mut positions =
        Table::create(folder.join(format!("{name}-positions.csv")), "turn,thing,seat,index,value")?;
    audit::replay(log, |game, answers| {
        write_position(game, &mut positions)?;
        write_moves(game.turn(), answers, &mut moves)
    })?;
    Ok(Exported { moves: moves.finish()?, positions: positions.finish()? })
}

fn write_position(game: &dyn Game, positions: &mut Table) -> Result<(), RecordError> {
    let turn = game.turn();
    let mut result = Ok(());
    game.describe(&mut |fact| {
        if result.is_ok() {
            let seat = fact.seat.map_or(String::new(), |seat| seat.to_string());
            let index = fact.index.map_or(String::new(), |index| index.to_string());
            result = positions.row(format_args!("{turn},{},{seat},{index},{}", fact.thing, fact.value));
        }
    });
    result
}

fn write_moves(turn: u32, answers: &[Answer], moves: &mut Table) -> Result<(), RecordError> {
    for answer in answers {
        for (index, order) in answer.integers.iter().enumerate() {
            moves.row(format_args!("{turn},{},{index},{order}", answer.seat))?;
        }
    }
    Ok(())
}

struct Table {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Table {
    fn create(path: PathBuf, header: &str) -> Result<Table, RecordError> {
        let file = File::create(&path).map_err(RecordError::system(&path, "create the file"))?;
        let mut table = Table { path, file: BufWriter::new(file) };
        table.row(format_args!("{header}"))?;
        Ok(table)
    }

    fn row(&mut self, row: std::fmt::Arguments<'_>) -> Result<(), RecordError> {
        writeln!(self.file, "{row}").map_err(RecordError::system(&self.path, "write the file"))
    }

    fn finish(mut self) -> Result<PathBuf, RecordError> {
        self.file.flush().map_err(RecordError::system(&self.path, "write the file"))?;
        Ok(self.path)
    }
}
