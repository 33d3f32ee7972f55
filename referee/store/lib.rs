//! Results of games that several runners play into one folder: each game counts once, whatever is killed and whenever
//! the power fails.
//!
//! | file | written by | what it says |
//! | --- | --- | --- |
//! | `runs/RUNNER` | one runner, which only appends | games that it has begun and ended, with their results |
//! | `claims/UNIT.TRY` | the runner that links it first | the runner that plays the open games of a unit |
//! | `sealing/RUNNER`, `sealed/RUNNER` | the runner that takes over | the number of records of its log that count |
//!
//! A unit is some games that one runner plays: a table of a round, a batch of a tournament. A try at a unit is a claim
//! of it by a runner: the next runner that claims it makes the next try. A game counts by the first try at its unit
//! whose runner has recorded its end, unless that record lies behind a seal. [`ContestState`] reads this from the
//! files; [`Runner`] writes them.
//!
//! The crate is not a database and not a queue. It knows no rules and no schedule: units, games and results are lines
//! of text.
//!
//! ```
//! use referee_store::{Claim, RealDisk, Runner, ContestState};
//!
//! let folder = tempfile::tempdir()?;
//! let disk = RealDisk::new(folder.path());
//! let mut runner = Runner::start(disk.clone(), "one")?;
//! assert_eq!(runner.claim("round-1", &["game-1", "game-2"])?, Claim::Mine);
//! let game = runner.begin("round-1", "game-1", &[])?;
//! runner.over(game, &["fox,3".to_owned(), "owl,1".to_owned()])?;
//! drop(runner); // it is killed
//!
//! let mut next = Runner::start(disk.clone(), "two")?;
//! assert_eq!(next.claim("round-1", &["game-1", "game-2"])?, Claim::Mine);
//! assert_eq!(next.open(&["game-1", "game-2"]), ["game-2"]);
//! let state = ContestState::read(&disk)?;
//! assert_eq!(state.result(&disk, "game-1")?.unwrap(), ["fox,3", "owl,1"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod disk;
mod event;
mod real;
mod record;
mod runner;
mod state;
mod trouble;

pub use disk::Disk;
pub use event::Kind;
pub use real::RealDisk;
pub use record::{Record, each_record, runners};
pub use runner::{Begun, Claim, Runner};
pub use state::{Attempt, ContestState, GameEnding, OpenAttempt};
pub use trouble::Trouble;
