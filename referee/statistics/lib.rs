//! Statistics of many games, and schedules. Means, likely places, intervals and verdicts are functions of the
//! results alone; the games to be played are functions of the field, the results so far and a seed.
//!
//! [`rounds`] puts results in order. The modules [`standings`], [`confidence`], [`contenders`], [`stop_rule`],
//! [`likely`], [`proofs`], [`matches`](mod@matches), [`rating`], [`pairs`], [`fairness`] and [`trends`] use them, and
//! [`season`] collects all these; [`past`] is what is left of one that is over. [`schedule`] contains deals and
//! formats, which read the standings. No module uses a folder, process or clock.
//!
//! Start reading with [`rounds`], then [`standings`].
//!
//! Three bots play rounds until it is clear which is the best. You can look after every round:
//!
//! ```
//! use referee_statistics::stop_rule::{Race, StopRule, Verdict};
//!
//! let mut race = Race::new(StopRule::default(), 3, 0.05);
//! while race.verdict().is_none() {
//!     // The mean share of each bot in the games of the round. Luck goes round.
//!     let luck = [0.0, 0.1, 0.2][race.rounds() as usize % 3];
//!     race.add_round(&[0.4 + luck, 0.4, 0.1 + luck]);
//! }
//! assert_eq!(race.verdict(), Some(Verdict::ClearKing(0)));
//! assert!(race.rounds() > 10, "one round proves nothing");
//! // The range of the difference between two.
//! assert!(race.difference(0, 1).lower <= 0.1 && 0.1 <= race.difference(0, 1).upper);
//! ```

#![forbid(unsafe_code)]

pub mod affinity;
mod case;
mod companions;
pub mod confidence;
pub mod contenders;
pub mod elo;
pub mod exam;
pub mod fairness;
mod halves;
pub mod likely;
pub mod matches;
pub mod opponent_effects;
mod order;
pub mod outlook;
pub mod pairs;
pub mod past;
pub mod proofs;
mod question;
pub mod rank_by;
pub mod rating;
pub mod rounds;
pub mod schedule;
pub mod season;
pub mod standings;
pub mod stop_rule;
pub mod teams;
pub mod trends;
pub mod verdict;
