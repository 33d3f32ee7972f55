//! The scene of a game, recorded or live: the game at one moment.

use crate::view::story::{HappeningKind, Story, Turn};
use referee_record::Heading;
use referee_record::error::Error;
use referee_record::play::position::Position;
use referee_rules::{Outcome, Seat, Thing};

/// A game after some turns.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The heading of the log: the game, its parameters and bots.
    pub heading: Heading,
    /// Number of turns that have been played.
    pub turns: u32,
    /// Number of turns in the whole game; none while it goes on.
    pub total: Option<u32>,
    /// The position.
    pub position: Position,
    /// The turn that led to it.
    pub turn: Option<Turn>,
    /// The outcome, if the game has ended.
    pub outcome: Option<Outcome>,
    /// Whether information is shown that bots do not get.
    pub hidden: bool,
}

impl Scene {
    /// Returns a recorded game after this number of turns.
    pub fn of(story: &mut Story, turns: u32) -> Result<Scene, Error> {
        let turns = turns.min(story.turns());
        let (position, turn) = story.after(turns)?;
        Ok(Scene {
            heading: story.heading().clone(),
            turns,
            total: Some(story.turns()),
            position,
            turn,
            outcome: story.outcome().filter(|_| turns == story.turns()).cloned(),
            hidden: false,
        })
    }

    /// Returns a seat's score, if it has one yet.
    pub fn score(&self, seat: Seat) -> Option<i64> {
        let at_the_end = self.outcome.as_ref().map(|outcome| outcome.scores[seat]);
        at_the_end.or_else(|| self.position.get(Thing::SCORE, Some(seat), None))
    }

    /// Lists the happenings of the last turn in words; actions come last.
    pub fn words(&self) -> Vec<(HappeningKind, Option<Seat>, &str)> {
        let all = self.turn.iter().flat_map(|turn| &turn.happenings);
        let shown = all.filter(|happening| self.hidden || !happening.occurrence.secret);
        let mut words: Vec<_> =
            shown.map(|happening| (happening.kind, happening.occurrence.seat, &*happening.words)).collect();
        words.sort_by_key(|(kind, ..)| *kind == HappeningKind::Action);
        words
    }
}
