//! The integers of comFoosball: 108 in a question, 26 in an answer, all in the team's own frame.

use std::array;

use super::{Action, Foosball, MEN, State, Team};
use referee_rules::{Codec, Malformed, Seat};

/// A question: everything that a team is told, in its own frame. Its own goals come first, and it attacks
/// towards positive rows. The game hides nothing but the other team's roster of the same round.
///
/// | index | integers | field | meaning | range |
/// | --- | --- | --- | --- | --- |
/// | 0 | 1 | `score` | own goals | 0 to 800 |
/// | 1 | 1 | `other_score` | the other's goals | 0 to 800 |
/// | 2 | 1 | `round` | rounds played | 0 to 799 |
/// | 3 | 1 | `ball` | the ball's row | -4 to 4 |
/// | 4 | 26 | `rows` | own men: rows -4 to 4, else the bench, as sent; 100 before the first roster | |
/// | 30 | 26 | `fatigues` | own men's fatigue | 0 to 800 |
/// | 56 | 26 | `other_rows` | the other's men, negated: a man benched by 100 is on -100 | |
/// | 82 | 26 | `other_fatigues` | the other's men's fatigue | 0 to 800 |
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the table above describes each")]
pub struct View {
    pub score: u32,
    pub other_score: u32,
    pub round: u32,
    pub ball: i64,
    pub rows: [i64; MEN],
    pub fatigues: [u32; MEN],
    pub other_rows: [i64; MEN],
    pub other_fatigues: [u32; MEN],
}

impl State {
    /// Makes a position from a view, to look ahead with [`Foosball::play_round`].
    ///
    /// A view does not contain the side: the field looks the same from both. The position is in the team's
    /// own frame, so this team has seat 0 and the other seat 1.
    pub fn from_view(view: &View) -> State {
        let team = |goals, roster, fatigues| Team { goals, roster, fatigues, silence: None };
        let own = team(view.score, view.rows, view.fatigues);
        let other = team(view.other_score, view.other_rows.map(i64::saturating_neg), view.other_fatigues);
        State { round: view.round, ball: view.ball, teams: [own, other] }
    }
}

/// Turns a row as HOME sees it into one in a team's own frame, or back.
pub(super) fn in_frame(row: i64, team: usize) -> i64 {
    if team == 0 { row } else { -row }
}

/// The length of a question.
const QUESTION: usize = 4 + 4 * MEN;

impl Codec for Foosball {
    type View = View;

    fn write_own(&self, state: &State, seat: Seat, integers: &mut Vec<i64>) {
        let (own, other) = (&state.teams[seat.index()], &state.teams[1 - seat.index()]);
        let ball = in_frame(state.ball, seat.index());
        integers.extend([own.goals, other.goals, state.round].map(i64::from));
        integers.push(ball);
        integers.extend(own.roster);
        integers.extend(own.fatigues.map(i64::from));
        // A bench may be any number; the smallest integer has no opposite.
        integers.extend(other.roster.map(i64::saturating_neg));
        integers.extend(other.fatigues.map(i64::from));
    }

    /// Each team has a frame of its own: nothing is shared.
    fn write_shared(&self, _state: &State, _integers: &mut Vec<i64>) {}

    fn read_view(integers: &[i64]) -> Result<View, Malformed> {
        if integers.len() != QUESTION {
            return Err(Malformed::count(QUESTION, integers.len()));
        }
        let count = |index: usize| {
            u32::try_from(integers[index]).map_err(|_| Malformed::new(format!("v{index} is below 0")))
        };
        let fatigues = |first: usize| {
            let mut fatigues = [0; MEN];
            for (man, fatigue) in fatigues.iter_mut().enumerate() {
                *fatigue = count(first + man)?;
            }
            Ok(fatigues)
        };
        let rows = |first: usize| array::from_fn(|man| integers[first + man]);
        Ok(View {
            score: count(0)?,
            other_score: count(1)?,
            round: count(2)?,
            ball: integers[3],
            rows: rows(4),
            fatigues: fatigues(4 + MEN)?,
            other_rows: rows(4 + 2 * MEN),
            other_fatigues: fatigues(4 + 3 * MEN)?,
        })
    }

    fn read_action(&self, _state: &State, integers: &[i64], action: &mut Action) -> Result<(), Malformed> {
        let roster = integers.try_into().map_err(|_| Malformed::count(MEN, integers.len()))?;
        *action = Action::Roster(roster);
        Ok(())
    }

    fn write_action(action: &Action, integers: &mut Vec<i64>) {
        if let Action::Roster(roster) = action {
            integers.extend(roster);
        }
    }
}
