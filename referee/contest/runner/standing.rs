//! Standings of lost attempts: which seat was behind when an attempt was lost with its runner, as far as its incomplete
//! log tells.

use referee_files::beneath::Spot;
use referee_files::log;
use referee_record::error::Error;
use referee_record::play::replay::{Replay, advance};
use referee_rules::game::Game;
use referee_rules::{Events, Fact, Seat, Thing};

/// The standing after the last complete turn in the log of a lost attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LostStanding {
    /// The turn in which the attempt was lost, by its log; 0 if the log tells no standing.
    pub turn: u32,
    /// The seat that was behind: it alone had the lowest score.
    pub behind: Option<Seat>,
}

impl LostStanding {
    /// Reads the incomplete log of a lost attempt, up to its first damage. A log that is missing or empty tells
    /// nothing, and so does that of a game without scores, before its end.
    pub fn read(log: &Spot) -> LostStanding {
        let opened = log::open(log.clone()).and_then(Replay::open);
        opened.map(|(replay, _)| LostStanding::at_end(replay)).unwrap_or_default()
    }

    fn at_end(mut replay: Replay) -> LostStanding {
        let mut events = Events::default();
        // A row that is not whole is an error, and ends the log, too.
        while let Ok(true) = play_turn(&mut replay, &mut events) {}
        let game = replay.game();
        let behind = match game.outcome() {
            Some(outcome) => Some(alone_last(outcome.shares.iter().map(|(seat, share)| (seat, *share)))),
            None => scores(game).map(alone_last),
        };
        match behind {
            Some(behind) => LostStanding { turn: game.turn(), behind },
            None => LostStanding::default(),
        }
    }

    /// Tells whether the log told a standing.
    pub(crate) fn is_known(self) -> bool {
        self.turn > 0
    }
}

/// Plays the next turn of a log; `false` at its end.
fn play_turn(replay: &mut Replay, events: &mut Events) -> Result<bool, Error> {
    let Some((game, answers)) = replay.next_turn()? else { return Ok(false) };
    advance(game, answers, events, None, |_, _, _| {});
    Ok(true)
}

/// Returns the scores of all seats, if the game has scores before its end.
fn scores(game: &dyn Game) -> Option<Vec<(Seat, i64)>> {
    let mut scores = Vec::new();
    game.describe(&mut |fact| {
        if let Fact { thing: Thing::SCORE, seat: Some(seat), index: None, value } = fact {
            scores.push((seat, value));
        }
    });
    if scores.len() == game.info().seats { Some(scores) } else { None }
}

/// Returns the seat with the lowest value; `None` if several seats have it, or there is only one seat.
fn alone_last<T: PartialOrd + Copy>(values: impl IntoIterator<Item = (Seat, T)>) -> Option<Seat> {
    let values: Vec<(Seat, T)> = values.into_iter().collect();
    if values.len() < 2 {
        return None;
    }
    let is_last = |(seat, value): &&(Seat, T)| {
        values.iter().all(|(other, other_value)| other == seat || other_value > value)
    };
    values.iter().find(is_last).map(|(seat, _)| *seat)
}
