//! The results of many games: `results.csv`, one row for each seat and game. Rows are only appended, all rows of a
//! game at once. Each row has a digest of itself and the row before.

pub mod game;
mod games;
mod row;

pub use self::game::{Circumstances, GameResult, rows_of_game};
pub use self::games::{Games, NumberedRow, RESULT_MAX, ResultsPlace};
pub use self::row::{Faults, Header, ResultRow, Scheduled, chained, header, not_results, saved_otherwise};
