//! The results of many games: `results.csv`, one row for each seat and game. Rows are only appended, all rows of a
//! game at once. Each row has a digest of itself and the row before.

mod file;
pub mod game;
mod games;
mod row;

pub use self::file::{ResultsFile, SetAside};
pub use self::game::{Circumstances, GameResult, rows_of_game};
pub use self::games::{Games, NumberedRow, chain_behind, games, last_game, last_name, read};
pub use self::row::{Faults, Header, ResultRow, Scheduled, chained, header};
