//! Many games: hills and tournaments, from the admission of a bot to the audit of the results.
//!
//! [`admission`] makes a bot of a submitted program. [`runner`] plays many games at a time, each until it counts;
//! [`hill`] and [`batch`] say which. [`played`] reads the games of a tournament. [`stages`] applies the stop rule.
//! [`node`] describes the machine. The folder of a contest is complete: it can be copied, audited and served elsewhere.
//!
//! Start reading with [`hill::Hill`] and [`plan::Plan`].
//!
//! A hill is a folder. Its settings and its seed determine the schedule for any number of bots:
//!
//! ```
//! use referee_contest::hill::{Hill, HillSettings};
//! use referee_games::catalog;
//! use referee_rules::{Parameters, Seed};
//! use referee_statistics::schedule::deal;
//!
//! let folder = tempfile::tempdir()?;
//! let entry = catalog::find("football")?;
//! let parameters = Parameters::defaults(entry.parameters);
//! Hill::create(folder.path(), entry, parameters, Seed(7), HillSettings::default())?;
//!
//! let hill = Hill::open(folder.path())?;
//! assert_eq!((hill.entry().name, hill.seed()), ("football", Seed(7)));
//! assert!(hill.entrants()?.field().is_empty() && hill.results()?.is_empty());
//!
//! // In a round of eight bots, each plays one block: all seats of a table in turn.
//! let round = deal::round(hill.seed(), (1, 1), hill.entry(), hill.parameters(), 8);
//! assert_eq!(round.len(), hill.round_games(8));
//! for bot in 0..8 {
//!     let seats = round.iter().flat_map(|game| game.entrants.iter()).filter(|(_, entrant)| **entrant == bot);
//!     assert_eq!(seats.count(), 4);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod accounts;
pub mod admission;
pub mod audit;
pub mod batch;
pub mod bot;
pub mod cache;
pub mod class;
pub mod contest_settings;
pub mod editions;
pub mod exam;
pub mod file;
pub mod fixture;
pub mod folder;
pub mod hill;
mod listing;
pub mod lock;
pub mod lookup;
pub mod node;
pub mod opened;
pub mod overall;
pub mod plan;
pub mod played;
pub mod publish;
mod recorder;
mod records;
pub mod repair;
pub mod rulings;
pub mod runner;
pub mod running;
pub mod schema;
pub mod settings;
pub mod stages;
pub mod verdicts;
