//! comFoosball 2013: two teams of 26 men on nine rows, one ball, four quarters of 200 rounds. Push it into the other
//! goal.
//!
//! Quotations are from the game's text, with comments on what it leaves open. Rows are counted as HOME sees
//! them, from its own goal at -5 to AWAY's at 5. Each team is told everything in its *own frame*, in which it
//! attacks upward: for AWAY the ball and all rows are negated.

mod board;
mod codec;
mod entry;
mod picture;
mod telling;

use std::fmt;
use std::time::Duration;

use referee_rules::{
    Dice, Events, Fact, Fault, Illegal, Info, Narrator, Outcome, Parameters, Rules, Seat, Thing, TimeControl,
    ToMove,
};

pub use codec::View;
use codec::in_frame;
pub use entry::PARAMETERS;

/// The number of teams: seat 0 is HOME, seat 1 is AWAY.
pub const TEAMS: usize = 2;

/// The number of men in a team.
pub const MEN: usize = 26;

/// How many of them are on rows; the others are on the bench.
pub const FIELDED: usize = 22;

/// The rows are those from `-ROW_MAX` to `ROW_MAX`. Each goal is one row beyond.
pub const ROW_MAX: i64 = 4;

/// The usual number for the row of a benched man. Any number that is no row means the bench.
pub const BENCH: i64 = 100;

/// The rounds of a quarter.
pub const QUARTER: u32 = 200;

/// The rounds of a game: four quarters.
pub const ROUNDS: u32 = 4 * QUARTER;

/// Facts: the ball's row, and the fatigue of a man.
const BALL: Thing = Thing::new("ball");
const FATIGUE: Thing = Thing::new("fatigue");

/// The rules with their parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foosball {
    variant: Variant,
    bank_ms: u32,
    first_ms: u32,
}

/// The order of steps in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Rosters, contest, goal; then the men who have competed tire.
    Text,
    /// The order of the organisers' server in January 2013: the men on the ball's row *before* the rosters of
    /// the round tire, competing or not; then rosters, contest, goal.
    Server2013,
}

impl Foosball {
    /// Makes the rules with these values of [`PARAMETERS`].
    pub fn new(parameters: &Parameters) -> Foosball {
        let number = |name| parameters.get(name) as u32;
        Foosball {
            variant: if number("variant") == 0 { Variant::Text } else { Variant::Server2013 },
            bank_ms: number("bank_ms"),
            first_ms: number("first_ms"),
        }
    }
}

/// A position.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Number of rounds that have been played.
    round: u32,
    /// The ball's row.
    ball: i64,
    teams: [Team; TEAMS],
}

/// One team.
#[derive(Clone, Debug, PartialEq)]
struct Team {
    goals: u32,
    /// The last valid roster, in the team's own frame and as it was sent.
    roster: [i64; MEN],
    fatigues: [u32; MEN],
    /// Why the team has lost the game by silence, if it has.
    silence: Option<Silence>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Silence {
    OutOfTime,
    Gone,
}

/// A team's answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every action is a roster; a box would allocate each turn"
)]
pub enum Action {
    /// Each man's row in the team's own frame; any other number means the bench.
    Roster([i64; MEN]),
    /// A line that is not a roster.
    #[default]
    Nonsense,
    /// No line at all: the game is lost.
    Silence {
        /// Whether the team's time was over. If not, its program has ended.
        out_of_time: bool,
    },
}

/// The contest of a round: the strength of each team on the ball's row.
///
/// A man's strength is 0.99 to the power of his fatigue, in units of 2^-53; see [`strength`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contest {
    /// The ball's row.
    pub row: i64,
    /// The sum of the strengths of HOME's men on it.
    pub home: u64,
    /// The sum for AWAY.
    pub away: u64,
}

impl Rules for Foosball {
    type State = State;
    type Action = Action;

    fn info(&self) -> Info {
        let bank = Duration::from_millis(self.bank_ms.into());
        Info {
            name: "foosball",
            version: 1,
            seats: TEAMS,
            ring: Seat::first(TEAMS).collect(),
            block: TEAMS,
            turns_max: ROUNDS,
            time: TimeControl {
                turn_limit: bank,
                first_limit: Duration::from_millis(self.first_ms.into()),
                bank: Some(bank),
                ponder: false,
            },
        }
    }

    /// All men are benched until the first rosters.
    fn start(&self, _dice: &mut Dice) -> State {
        let team = Team { goals: 0, roster: [BENCH; MEN], fatigues: [0; MEN], silence: None };
        State { round: 0, ball: 0, teams: [team.clone(), team] }
    }

    fn turn(&self, state: &State) -> u32 {
        state.round
    }

    fn to_move(&self, state: &State) -> ToMove {
        if state.end().is_some() { ToMove::Nobody } else { ToMove::All }
    }

    fn check(&self, state: &State, seat: Seat, action: &Action) -> Result<(), Illegal> {
        let Action::Roster(roster) = action else { return Ok(()) };
        let bad = bad_roster(state, seat, roster);
        match bad {
            Some(bad) => Err(Illegal { count: 1, of: 1, first: bad.to_string() }),
            None => Ok(()),
        }
    }

    /// Writes a random valid roster. If a team's first roster was invalid, all its men stay benched until the next
    /// quarter; the random roster of such a team is invalid, too.
    fn sample(&self, state: &State, seat: Seat, dice: &mut Dice, action: &mut Action) {
        let mut roster = state.teams[seat.index()].roster;
        if state.kicks_off() {
            let row = |dice: &mut Dice| i64::from(dice.below(2 * ROW_MAX as u32 + 1)) - ROW_MAX;
            let mut men: [usize; MEN] = std::array::from_fn(|man| man);
            dice.choose(&mut men, FIELDED);
            roster = [BENCH; MEN];
            for man in &men[..FIELDED] {
                roster[*man] = row(dice);
            }
        } else {
            let man = dice.below(MEN as u32) as usize;
            let row = roster[man] + i64::from(dice.below(3)) - 1;
            if is_row(roster[man]) && is_row(row) {
                roster[man] = row;
            }
        }
        *action = Action::Roster(roster);
    }

    /// Silence loses the game; any other wrong answer is a null move.
    fn stand_in(&self, _state: &State, _seat: Seat, fault: &Fault, action: &mut Action) {
        let kind = fault.kind();
        *action = if kind.is_silence() {
            Action::Silence { out_of_time: !kind.is_end() }
        } else {
            Action::Nonsense
        };
    }

    fn resolve(&self, state: &mut State, actions: &[(Seat, Action)], dice: &mut Dice, events: &mut Events) {
        self.play_round(state, actions, events, |contest| contest.draw(dice));
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        let reason = state.end()?;
        let [home, away] = &state.teams;
        let ahead = match (home.silence, away.silence) {
            (None, None) => home.goals.cmp(&away.goals),
            // Independent of the score. Both in the same round: a tie.
            (home, away) => away.is_some().cmp(&home.is_some()),
        };
        let share = f64::from(ahead as i8 + 1) / 2.0;
        Some(Outcome {
            scores: state.teams.iter().map(|team| i64::from(team.goals)).collect(),
            shares: vec![share, 1.0 - share].into(),
            reason,
        })
    }

    /// Scores, the ball's row, the rows of fielded men as HOME sees them, and all fatigues.
    fn describe(&self, state: &State, tell: &mut dyn FnMut(Fact)) {
        tell(Fact { thing: BALL, seat: None, index: None, value: state.ball });
        for (index, team) in state.teams.iter().enumerate() {
            let seat = Some(Seat::new(index));
            tell(Fact { thing: Thing::SCORE, seat, index: None, value: team.goals.into() });
            for man in 0..MEN {
                if let Some(row) = state.row_of(index, man) {
                    tell(Fact { thing: Thing::ROW, seat, index: Some(man), value: row });
                }
                tell(Fact { thing: FATIGUE, seat, index: Some(man), value: team.fatigues[man].into() });
            }
        }
    }

    fn tell(
        &self,
        before: &State,
        _actions: &[(Seat, Action)],
        after: &State,
        events: &Events,
        say: &mut Narrator<'_>,
    ) {
        telling::tell(self, before, after, events, say);
    }
}

impl Foosball {
    /// Plays a round in which `choose` decides where the ball goes: 1 towards AWAY's goal, -1 towards HOME's,
    /// 0 nowhere.
    ///
    /// [`resolve`](Rules::resolve) is this with [`Contest::draw`]. To replay a record, return the recorded direction.
    pub fn play_round(
        &self,
        state: &mut State,
        actions: &[(Seat, Action)],
        events: &mut Events,
        choose: impl FnOnce(Contest) -> i64,
    ) {
        if !lose_by_silence(state, actions) {
            if self.variant == Variant::Server2013 {
                tire_men_on_the_row(state, state.ball);
            }
            take_rosters(state, actions, events);
            rest_the_benched(state);
            let row = state.ball;
            let direction = contest(state, events, choose);
            move_ball(state, direction, events);
            if self.variant == Variant::Text {
                tire_men_on_the_row(state, row); // each who competed gets +1
            }
        }
        state.round += 1;
        end_quarter(state, events);
    }
}

/// Over the bank, or ended: the game is lost. The round in which that happens is not played.
fn lose_by_silence(state: &mut State, actions: &[(Seat, Action)]) -> bool {
    for (seat, action) in actions {
        if let Action::Silence { out_of_time } = action {
            let silence = if *out_of_time { Silence::OutOfTime } else { Silence::Gone };
            state.teams[seat.index()].silence = Some(silence);
        }
    }
    state.teams.iter().any(|team| team.silence.is_some())
}

/// Both rosters are taken at once. An invalid one is a warning and a null move: the last valid one stays in
/// force.
fn take_rosters(state: &mut State, actions: &[(Seat, Action)], events: &mut Events) {
    for (seat, action) in actions {
        match action {
            Action::Roster(roster) if bad_roster(state, *seat, roster).is_none() => {
                state.teams[seat.index()].roster = *roster;
            }
            _ => events.effect("warning", Some(*seat), &[]),
        }
    }
}

/// A man who is benched when a quarter begins is fresh at once; fielded men keep their fatigue.
fn rest_the_benched(state: &mut State) {
    if state.kicks_off() {
        for team in &mut state.teams {
            for (fatigue, row) in team.fatigues.iter_mut().zip(team.roster) {
                if !is_row(row) {
                    *fatigue = 0;
                }
            }
        }
    }
}

/// Lets the men on the ball's row compete, and returns the ball's direction.
fn contest(state: &State, events: &mut Events, choose: impl FnOnce(Contest) -> i64) -> i64 {
    let [home, away] = [0, 1].map(|team| {
        state.men_on(state.ball, team).map(|man| strength(state.teams[team].fatigues[man])).sum()
    });
    let direction = choose(Contest { row: state.ball, home, away });
    assert!((-1..=1).contains(&direction), "the ball moves by one row at most");
    let competing =
        [0, 1].map(|team| state.men_on(state.ball, team).map(move |man| (team * MEN + man) as i64));
    events.draw("contest", state.ball, competing.into_iter().flatten(), [direction]);
    direction
}

/// Moves the ball. At 5 it is in AWAY's goal, at -5 in HOME's: a goal for the other, and the ball goes to 0.
fn move_ball(state: &mut State, direction: i64, events: &mut Events) {
    state.ball += direction;
    if !is_row(state.ball) {
        let scorer = if state.ball > 0 { 0 } else { 1 };
        state.teams[scorer].goals += 1;
        state.ball = 0;
        let score = [0, 1].map(|team| i64::from(state.teams[team].goals));
        events.effect("goal", Some(Seat::new(scorer)), &score);
    }
}

/// Adds 1 to the fatigue of every man on a row, of both teams.
fn tire_men_on_the_row(state: &mut State, row: i64) {
    for (index, team) in state.teams.iter_mut().enumerate() {
        let row = in_frame(row, index);
        for (fatigue, _) in team.fatigues.iter_mut().zip(team.roster).filter(|(_, there)| *there == row) {
            *fatigue += 1;
        }
    }
}

/// After 200 rounds a quarter is over: the ball goes to 0.
fn end_quarter(state: &mut State, events: &mut Events) {
    if state.round.is_multiple_of(QUARTER) && state.teams.iter().all(|team| team.silence.is_none()) {
        state.ball = 0;
        events.effect("quarter", None, &[i64::from(state.round / QUARTER)]);
    }
}

impl Contest {
    /// Draws r uniformly from the multiples of 2^-53 in 0 <= r < 1, and decides by it. Without men, a fair
    /// coin decides.
    pub fn draw(self, dice: &mut Dice) -> i64 {
        if self.home + self.away == 0 {
            return if dice.below(2) == 0 { 1 } else { -1 };
        }
        let high = u64::from(dice.below(1 << 27));
        let low = u64::from(dice.below(1 << 26));
        self.decide(high << 26 | low)
    }

    /// Decides by r, given in units of 2^-53: `r < H/(H+A)`: 1, `>`: -1, `=`: 0.
    ///
    /// It compares r * (H + A) with H, in whole numbers: no rounding, the same on every machine.
    pub fn decide(self, r: u64) -> i64 {
        let (home, away) = (u128::from(self.home), u128::from(self.away));
        match (u128::from(r) * (home + away)).cmp(&(home << 53)) {
            std::cmp::Ordering::Less => 1,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => -1,
        }
    }
}

/// Returns 0.99 to the power of a fatigue, in units of 2^-53: 2^53 for a fresh man.
///
/// From a table: each power is the IEEE double nearest to 0.99 times the power before, cut off below 2^-53.
/// Sums of strengths are exact.
///
/// # Panics
///
/// Panics if `fatigue` is more than the rounds of a game.
pub fn strength(fatigue: u32) -> u64 {
    const TABLE: [u64; ROUNDS as usize + 1] = {
        let mut table = [0; ROUNDS as usize + 1];
        let mut power: f64 = 1.0;
        let mut fatigue = 0;
        while fatigue < table.len() {
            table[fatigue] = (power * (1u64 << 53) as f64) as u64;
            power *= 0.99;
            fatigue += 1;
        }
        table
    };
    TABLE[fatigue as usize]
}

impl State {
    /// Returns why the game is over, if it is.
    fn end(&self) -> Option<&'static str> {
        let [home, away] = &self.teams;
        match home.silence.into_iter().chain(away.silence).max() {
            Some(Silence::Gone) => Some("forfeit"),
            Some(Silence::OutOfTime) => Some("out_of_time"),
            None => (self.round == ROUNDS).then_some("full_time"),
        }
    }

    /// Whether the next rosters begin a quarter: then any 22 men may be on any rows.
    fn kicks_off(&self) -> bool {
        self.round.is_multiple_of(QUARTER)
    }

    /// The row of a man as HOME sees it; none for a benched one.
    fn row_of(&self, team: usize, man: usize) -> Option<i64> {
        let row = self.teams[team].roster[man];
        is_row(row).then(|| in_frame(row, team))
    }

    /// The men of a team on a row.
    fn men_on(&self, row: i64, team: usize) -> impl Iterator<Item = usize> {
        let row = in_frame(row, team);
        (0..MEN).filter(move |man| self.teams[team].roster[*man] == row)
    }
}

/// Tells whether a number is a row; all other numbers mean the bench.
pub fn is_row(number: i64) -> bool {
    (-ROW_MAX..=ROW_MAX).contains(&number)
}

/// Returns what is wrong with a roster, if anything. It must have exactly 22 men on rows, and within a
/// quarter one step at most, over all 26 numbers as they were sent.
fn bad_roster(state: &State, seat: Seat, roster: &[i64; MEN]) -> Option<BadRoster> {
    let fielded = roster.iter().filter(|row| is_row(**row)).count();
    if fielded != FIELDED {
        return Some(BadRoster::Fielded(fielded));
    }
    let before = &state.teams[seat.index()].roster;
    let steps =
        before.iter().zip(roster).fold(0, |sum: u64, (old, new)| sum.saturating_add(old.abs_diff(*new)));
    (!state.kicks_off() && steps > 1).then_some(BadRoster::Steps(steps))
}

/// A mistake in a roster.
enum BadRoster {
    Fielded(usize),
    Steps(u64),
}

impl fmt::Display for BadRoster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadRoster::Fielded(men) => write!(f, "{men} men on rows instead of {FIELDED}"),
            BadRoster::Steps(steps) => write!(f, "{steps} steps within a quarter; 1 is allowed"),
        }
    }
}
