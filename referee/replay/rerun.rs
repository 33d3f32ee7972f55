//! Puts the questions of a recorded game to a program again, exactly as they were, and compares what it answers with
//! what was recorded. The game goes on as it did, whatever the program answers.

use std::time::Duration;

use super::audit::{self, Replayed};
use crate::error::Error;
use crate::game::Game;
use crate::play::SeatClock;
use crate::record::Heading;
use crate::record::beneath::Spot;
use crate::record::read::LogReader;
use crate::rules::{Events, Fault, Info, Seat};
use crate::table::{Answer, Question, Table};

/// A recorded game, of which one seat is asked again.
#[derive(Debug)]
pub struct Rerun {
    game: Box<dyn Game>,
    heading: Heading,
    recorded: Replayed,
    seat: Seat,
}

/// How far, and with what time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The last turn; none: to the end.
    pub last_turn: Option<u32>,
    /// Nobody is ever late: for a debugger.
    pub no_timeout: bool,
}

/// Follows it turn by turn.
pub trait Watch {
    /// The question of this turn comes next.
    fn before(&mut self, _turn: u32) {}

    /// A question was answered.
    fn after(&mut self, compared: &Compared<'_>);
}

/// What became of one question, then and now.
#[derive(Debug)]
pub struct Compared<'a> {
    /// The position in which it was asked.
    pub game: &'a dyn Game,
    /// The line, with its newline.
    pub question: &'a [u8],
    /// What was recorded.
    pub then: (&'a Answer, Option<Fault>),
    /// What the program answers.
    pub now: (&'a Answer, Option<Fault>),
}

impl Compared<'_> {
    /// Tells whether both are the same: the integers, or the kind of fault.
    pub fn is_same(&self) -> bool {
        match (self.then.0.given(), self.now.0.given()) {
            (Ok(then), Ok(now)) => then == now,
            (Err(then), Err(now)) => then.kind() == now.kind(),
            _ => false,
        }
    }
}

/// A limit that nobody reaches.
pub const NO_LIMIT: Duration = Duration::from_secs(365 * 24 * 3600);

impl Rerun {
    /// Opens the log of a game.
    ///
    /// # Errors
    ///
    /// If it is none, or the game has no such seat.
    pub fn open(log: impl Into<Spot>, seat: usize) -> Result<Rerun, Error> {
        let spot = log.into();
        let log = spot.path();
        let (reader, heading) = LogReader::open(&spot)?;
        let game = audit::game_of(log, &heading)?;
        if seat >= game.info().seats {
            let what = format!("there is no seat {seat}: seats are 0 to {}", game.info().seats - 1);
            return Err(Error::file(log, what));
        }
        Ok(Rerun { game, heading, recorded: Replayed::new(reader), seat: Seat::new(seat) })
    }

    /// Returns what the log begins with.
    pub fn heading(&self) -> &Heading {
        &self.heading
    }

    /// Describes the game.
    pub fn info(&self) -> &Info {
        self.game.info()
    }

    /// Puts the questions to whoever sits on the seat at `table`, where nobody else needs to sit.
    ///
    /// # Errors
    ///
    /// If the log does not say what was answered, or the table is in trouble.
    pub fn run(mut self, table: &mut dyn Table, terms: Terms, watch: &mut dyn Watch) -> Result<(), Error> {
        let (seat, time) = (self.seat, self.game.info().time);
        let game = &mut *self.game;
        let (mut clock, mut events) = (SeatClock::default(), Events::default());
        let (mut answers, mut own) = (Vec::new(), Vec::new());
        while !game.asked().is_empty() && terms.last_turn.is_none_or(|last| game.turn() <= last) {
            self.recorded.answers(game.turn(), game.asked(), &mut answers)?;
            let is_asked = game.asked().contains(&seat);
            let mut question = Question { seat, line: Vec::new(), limit: NO_LIMIT };
            if is_asked {
                watch.before(game.turn());
                game.question(seat, &mut question.line);
                let limit = clock.next_limit(&time);
                question.limit = if terms.no_timeout { NO_LIMIT } else { limit };
            }
            // Who is not asked is told so: it may have to be frozen.
            table.put(if is_asked { std::slice::from_ref(&question) } else { &[] })?;
            table.collect(&mut own)?;
            let now = own.first().map(|own| (own, game.answer(seat, own.given())));
            let mut then = None;
            for answer in &answers {
                // The last one that a seat gives is the one that counts.
                let verdict = game.answer(answer.seat, answer.given());
                then = if answer.seat == seat { Some((answer, verdict)) } else { then };
            }
            if let Some((then, now)) = then.zip(now) {
                clock.charge(now.0.thinking);
                watch.after(&Compared { game, question: &question.line, then, now });
            }
            game.resolve(&mut events);
            events.clear();
        }
        Ok(())
    }
}
