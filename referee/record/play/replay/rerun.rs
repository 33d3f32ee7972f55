//! Reruns: sends the questions of a recorded game to a program unchanged, and compares its answers with the recorded
//! ones. The game follows the record, not the program's answers.

use std::time::Duration;

use crate::Answer;
use crate::Heading;
use crate::contents::Contents;
use crate::error::Error;
use crate::play::alone::{Alone, Exchange};
use crate::play::replay::{Replay, advance};
use crate::play::table::Table;
use referee_rules::game::Game;
use referee_rules::{Events, Fault, Info, Seat};

/// A recorded game. One of its seats is asked again.
#[derive(Debug)]
pub struct Rerun {
    replay: Replay,
    heading: Heading,
    info: Info,
    seat: Seat,
}

/// The last turn of a rerun, and its time limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The last turn; `None`: to the end.
    pub last_turn: Option<u32>,
    /// The program is never late: for a debugger.
    pub no_timeout: bool,
}

/// Follows a rerun turn by turn.
pub trait RerunObserver {
    /// The question of this turn comes next.
    fn before(&mut self, _turn: u32) {}

    /// A question was answered.
    fn after(&mut self, compared: &Comparison<'_>);
}

/// An answer, and the verdict of the game on it.
#[derive(Debug)]
pub struct Judged<'a> {
    /// The answer.
    pub answer: &'a Answer,
    /// The fault that the game finds in the answer, if there is one.
    pub fault: Option<Fault>,
}

/// The answers to one question: in the record, and in the rerun.
#[derive(Debug)]
pub struct Comparison<'a> {
    /// The position in which it was asked.
    pub game: &'a dyn Game,
    /// The line, with its newline.
    pub question: &'a [u8],
    /// The recorded answer.
    pub recorded: Judged<'a>,
    /// The program's answer.
    pub rerun: Judged<'a>,
}

impl Comparison<'_> {
    /// Tells whether both are the same: the integers, or the kind of fault.
    pub fn is_same(&self) -> bool {
        match (self.recorded.answer.given(), self.rerun.answer.given()) {
            (Ok(recorded), Ok(rerun)) => recorded == rerun,
            (Err(recorded), Err(rerun)) => recorded.kind() == rerun.kind(),
            _ => false,
        }
    }
}

/// A limit that is never reached.
pub const NO_LIMIT: Duration = Duration::from_secs(365 * 24 * 3600);

impl Rerun {
    /// Opens the log of a game.
    ///
    /// # Errors
    ///
    /// If the file is no log of a game, or the game has no such seat.
    pub fn open(log: Contents, seat: usize) -> Result<Rerun, Error> {
        let path = log.name().to_owned();
        let (mut replay, heading) = Replay::open_whole(log)?;
        let info = replay.game().info().clone();
        if seat >= info.seats {
            let what = format!("there is no seat {seat}: seats are 0 to {}", info.seats - 1);
            return Err(Error::file(&path, what));
        }
        Ok(Rerun { replay, heading, info, seat: Seat::new(seat) })
    }

    /// Returns the heading of the log.
    pub fn heading(&self) -> &Heading {
        &self.heading
    }

    /// Describes the game.
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// Sends the questions to the program in the seat at `table`. Other seats need no program.
    ///
    /// # Errors
    ///
    /// If the log lacks an answer, or the table is in trouble.
    pub fn run(
        mut self,
        table: &mut dyn Table,
        terms: Terms,
        observer: &mut dyn RerunObserver,
    ) -> Result<(), Error> {
        let minimum_limit = if terms.no_timeout { NO_LIMIT } else { Duration::ZERO };
        let mut alone = Alone::new(table, self.seat, &self.info);
        let mut events = Events::default();
        while terms.last_turn.is_none_or(|last| self.replay.game().turn() <= last) {
            let Some((game, answers)) = self.replay.next_turn()? else { break };
            let mut asked = None;
            if game.asked().contains(&self.seat) {
                observer.before(game.turn());
                asked = Some(alone.ask(game, minimum_limit)?);
            } else {
                alone.pass()?;
            }
            // The game was already given the program's answer, to judge it. Now it is given the recorded answers, which
            // replace that: of several answers of a seat to a game, the last one counts.
            advance(game, answers, &mut events, None, |game, answer, fault| {
                if let Some(exchange) = asked.take_if(|_| answer.seat == self.seat) {
                    let Exchange { question, answer: own, verdict: own_fault } = exchange;
                    let recorded = Judged { answer, fault };
                    let rerun = Judged { answer: own, fault: own_fault };
                    observer.after(&Comparison { game, question, recorded, rerun });
                }
            });
        }
        Ok(())
    }
}
