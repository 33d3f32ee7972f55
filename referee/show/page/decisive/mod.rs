//! The decisive turns of a recorded game: those at which the share that a bot could expect fell most.
//!
//! From some turns the game is played on many times with other dice. The mean of the shares is the expected share of
//! each seat there. A coarse grid of turns shows where it fell. Halving the distance leads to the turn. New dice then
//! measure the fall: the dice of the search would exaggerate it, since they have chosen the turn.
//!
//! A time limit applies within games, too: a game that is cut off by it counts as not played. Each part of the search
//! has a part of the time.

mod deadline;
mod play_on;
mod words;

use std::collections::BTreeMap;
use std::time::Duration;

use self::deadline::Deadline;
use self::play_on::{AnswersKept, Moment, Shares};
use crate::page::Together;
use crate::page::lead::Lead;
use referee_record::Answer;
use referee_record::Heading;
use referee_record::contents::Contents;
use referee_record::error::{Error, ErrorKind};
use referee_record::play::position::Position;
use referee_record::play::replay::{self, Replay};
use referee_rules::thinker::Thinker;
use referee_rules::{BySeat, Events, Seat, Seed};
use referee_statistics::rounds::SingleLookMean;

/// The limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Maximum number of games that are played, at least [`GAMES_LEAST`] for a search that finds anything.
    pub games: u32,
    /// The seat whose share is examined; `None`: all.
    pub seat: Option<Seat>,
    /// Number of games at a time.
    pub threads: usize,
    /// Time limit; `None`: no limit.
    pub time: Option<Duration>,
}

/// The decisive turns of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Decisive {
    /// The expected share of each seat before some turns, and at the end. Turns are missing for which there was no
    /// time.
    pub expected: Vec<(u32, BySeat<Estimate>)>,
    /// The clear falls, the greatest one first.
    pub falls: Vec<Fall>,
    /// Number of games that were played.
    pub games: u64,
    /// Number of games for which there was time: that of the terms, or fewer.
    pub games_planned: u32,
    /// Parts of the game whose fall was not searched for lack of time: first and last turn.
    pub left_out: Vec<(u32, u32)>,
    /// Whether a part of the search was ended by the time limit.
    pub is_cut: bool,
    /// The winner, if it led in score alone at the end, and the turn since which it did.
    pub lead: Option<(Seat, u32)>,
}

/// A mean and its standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
}

/// A fall of the expected share of a seat.
#[derive(Clone, Debug, PartialEq)]
pub struct Fall {
    /// The seat.
    pub seat: Seat,
    /// The first turn of the fall, and the last one.
    pub turns: (u32, u32),
    /// The expected share before the first turn.
    pub before: Estimate,
    /// The expected share after the last turn.
    pub after: Estimate,
    /// The difference of the two.
    pub fall: Estimate,
    /// Its causes, if it is a single turn.
    pub causes: Option<Causes>,
}

/// The parts of a fall, in shares. They add up to it; a negative one is a gain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Causes {
    /// Due to the seat's own answer, compared with that of its thinker.
    pub own: f64,
    /// Due to the answers of the others.
    pub others: f64,
    /// Due to the dice of the turn.
    pub chance: f64,
}

/// The least number of games: a search with fewer finds nothing.
pub const GAMES_LEAST: u32 = 200;

/// Number of parts into which the grid divides a game.
const GRID: u32 = 16;

/// Maximum number of falls that are searched.
const FALLS: usize = 3;

/// The minimum of a clear fall: the number of pairs of games that measure it, its size in standard errors, and its size
/// as a share.
const PAIRS_MIN: usize = 4;
const ERRORS_MIN: f64 = 3.0;
const FALL_MIN: f64 = 0.01;

/// A search goes on in a half with at least this part of the fall.
const PART_OF_FALL_MIN: f64 = 0.66;

/// The parts of the time limit at which the recorded game must be followed, and the grid be sampled. The falls have the
/// rest.
const FOLLOWED_UNTIL: f64 = 0.2;
const SAMPLED_UNTIL: f64 = 0.6;

/// Finds the decisive turns of a recorded game. `thinkers` play on. `clock` returns the time that the search has taken;
/// `played` receives the number of games that have been played.
///
/// # Errors
///
/// If the log cannot be replayed, or the game cannot be played on: its rules are a program, or it never ends.
pub fn find(
    log: Contents,
    thinkers: impl FnOnce(&Heading) -> BySeat<Box<dyn Thinker>>,
    terms: &Terms,
    together: Together<'_>,
    clock: &(dyn Fn() -> Duration + Sync),
    played: &mut dyn FnMut(u64),
) -> Result<Decisive, Error> {
    let path = log.name().to_owned();
    let (replay, heading) = Replay::open(log)?;
    let deadline = Deadline { clock, time: terms.time, until: 1.0 };
    let course = Course::follow(replay, thinkers(&heading), deadline.part(FOLLOWED_UNTIL))?;
    if course.moments[&0].game.copied_with_seed(Seed(0)).is_none() {
        let what = "the rules of this game are a program; its games cannot be played on from the middle";
        return Err(Error::file(&path, what));
    }
    let seed = Seed(!heading.seed.0);
    let mut search = Search {
        is_cut: course.is_cut,
        course,
        terms,
        together,
        seed,
        samples: BTreeMap::new(),
        games: 0,
        games_planned: terms.games,
        played,
        deadline,
    };
    let decisive = search.find();
    if decisive.expected.iter().any(|(_, seats)| seats.iter().any(|(_, share)| share.mean.is_nan())) {
        return Err(Error::new(ErrorKind::Failed, "the game does not end when it is played on".to_owned()));
    }
    Ok(decisive)
}

/// A recorded game: the answers of each turn, and the moments of the grid.
struct Course {
    answers: Vec<Vec<Answer>>,
    /// The moments by turn; the last one is the end. If there was no time to follow the game, some before the end are
    /// missing.
    moments: BTreeMap<u32, Moment>,
    /// The winner, if it led alone at the end, and the turn since which it did.
    lead: Option<(Seat, u32)>,
    /// Whether there was no time to follow the game to its end.
    is_cut: bool,
}

impl Course {
    /// Follows a recorded game with thinkers, which see its questions.
    fn follow(
        mut replay: Replay,
        thinkers: BySeat<Box<dyn Thinker>>,
        deadline: Deadline<'_>,
    ) -> Result<Course, Error> {
        let mut now = Moment { game: replay.game().copied(), thinkers, answers: Vec::new() };
        let (mut answers, mut events, mut lead) = (Vec::new(), Events::default(), Lead::default());
        let seats = now.thinkers.len();
        lead.take(0, seats, &Position::of(replay.game()));
        while let Some((game, recorded)) = replay.next_turn()? {
            answers.push(recorded.to_vec());
            replay::advance(game, recorded, &mut events, None, |_, _, _| {});
            lead.take(answers.len() as u32, seats, &Position::of(game));
        }
        let end = replay.game();
        let has_won = |seat: Seat| end.outcome().is_some_and(|outcome| outcome.place(seat) == 1);
        let lead = lead.since.filter(|(seat, _)| has_won(*seat));
        let turns = answers.len() as u64;
        let grid: Vec<u32> =
            (0..=GRID).map(|step| (u64::from(step) * turns / u64::from(GRID)) as u32).collect();
        let mut moments = BTreeMap::new();
        if end.outcome().is_some() {
            let thinkers = now.thinkers.iter().map(|(_, thinker)| thinker.copied(Seed(0))).collect();
            let end = Moment { game: end.copied(), thinkers, answers: Vec::new() };
            moments.insert(answers.len() as u32, end);
        }
        let mut is_cut = false;
        for turn in 0..=answers.len() {
            now.answers = answers.get(turn).cloned().unwrap_or_default();
            if grid.contains(&(turn as u32)) {
                moments.insert(turn as u32, now.copied(Seed(0)));
            }
            if turn < answers.len() {
                if deadline.is_over() {
                    is_cut = true;
                    break;
                }
                now.follow();
            }
        }
        Ok(Course { answers, moments, lead, is_cut })
    }

    /// Returns the moment before a turn; `None` if the time is over.
    fn at(&self, turn: u32, deadline: Deadline<'_>) -> Option<Moment> {
        let (first, moment) = self.moments.range(..=turn).next_back().expect("the start is a moment");
        let mut now = moment.copied(Seed(0));
        for next in *first + 1..=turn {
            if deadline.is_over() {
                return None;
            }
            now.follow();
            now.answers = self.answers.get(next as usize).cloned().unwrap_or_default();
        }
        Some(now)
    }
}

/// A point whose expected shares are estimated: the turn, the seats whose recorded answers are kept in it, and the
/// number of the dice. Samples with the same dice are compared game by game, so that the luck that they share cancels
/// out.
type Point = (u32, AnswersKept, u32);

struct Search<'a> {
    course: Course,
    terms: &'a Terms,
    together: Together<'a>,
    seed: Seed,
    samples: BTreeMap<Point, Vec<Shares>>,
    /// Number of games that were played.
    games: u64,
    /// Number of games for which there is time.
    games_planned: u32,
    /// Receives the number of games that were played.
    played: &'a mut dyn FnMut(u64),
    deadline: Deadline<'a>,
    /// Whether a game was not played, or not to its end, for lack of time.
    is_cut: bool,
}

impl Search<'_> {
    fn find(&mut self) -> Decisive {
        let grid: Vec<u32> = self.course.moments.keys().copied().collect();
        // Two fifths of the games find the parts with a fall, a fifth finds the turns, two fifths measure the falls.
        let whole = self.deadline;
        self.deadline = whole.part(SAMPLED_UNTIL);
        for turn in coarse_first(&grid) {
            self.sample((turn, AnswersKept::None, 0), 2);
        }
        self.games_planned = self.games_in_time();
        let games_each = (self.games_planned * 2 / 5 / grid.len() as u32).max(2);
        for turn in coarse_first(&grid) {
            self.sample((turn, AnswersKept::None, 0), games_each);
        }
        let has_games =
            |turn: &u32| !self.estimate((*turn, AnswersKept::None, 0), Seat::new(0)).mean.is_nan();
        let grid: Vec<u32> =
            if self.deadline.is_over() { grid.into_iter().filter(has_games).collect() } else { grid };
        let (mut falls, mut left_out) = (Vec::new(), Vec::new());
        let parts = self.steepest(&grid);
        let time_each = (1.0 - SAMPLED_UNTIL) / parts.len().max(1) as f64;
        for (stage, (seat, first, end)) in (1..).zip(parts) {
            let start = SAMPLED_UNTIL + time_each * f64::from(stage - 1);
            self.deadline = whole.part(start + time_each / 3.0);
            let narrow = self.narrow(seat, first, end);
            self.deadline = whole.part(start + time_each);
            let candidates = [narrow, (first, end)];
            let clear = candidates.iter().find_map(|(first, end)| self.clear_fall(seat, *first, *end, stage));
            if clear.is_none() && self.deadline.is_over() {
                left_out.push((first, end - 1));
            }
            falls.extend(clear);
        }
        left_out.sort_unstable();
        falls.sort_by(|one: &Fall, other| other.fall.mean.total_cmp(&one.fall.mean));
        let estimates =
            |turn| self.seats().map(|seat| self.estimate((turn, AnswersKept::None, 0), seat)).collect();
        let expected = grid.into_iter().map(|turn| (turn, estimates(turn))).collect();
        let (games, lead, is_cut) = (self.games, self.course.lead, self.is_cut);
        Decisive { expected, falls, games, games_planned: self.games_planned, left_out, is_cut, lead }
    }

    /// Returns the number of games for which there is time, at the pace of those that have been played.
    fn games_in_time(&self) -> u32 {
        let taken = (self.deadline.clock)();
        let Some(time) = self.terms.time.filter(|_| !taken.is_zero()) else { return self.terms.games };
        let games = time.as_secs_f64() / taken.as_secs_f64() * self.games as f64;
        (games as u32).clamp(1, self.terms.games)
    }

    fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        Seat::first(self.course.moments[&0].thinkers.len())
    }

    /// Lists the parts of the grid with the greatest falls, each with the seat whose share falls most in it.
    fn steepest(&self, grid: &[u32]) -> Vec<(Seat, u32, u32)> {
        let is_examined = |seat: &Seat| self.terms.seat.is_none_or(|only| only == *seat);
        let mut parts = Vec::new();
        for turns in grid.windows(2) {
            let [first, end] = [turns[0], turns[1]].map(|turn| (turn, AnswersKept::None, 0));
            let falls = self.seats().filter(is_examined);
            let falls = falls.map(|seat| (self.difference(first, end, seat).mean, seat));
            if let Some((fall, seat)) = falls.max_by(|(one, _), (other, _)| one.total_cmp(other))
                && fall > FALL_MIN
            {
                parts.push((fall, seat, turns[0], turns[1]));
            }
        }
        parts.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
        parts.into_iter().take(FALLS).map(|(_, seat, first, end)| (seat, first, end)).collect()
    }

    /// Halves a part of the game while one half has most of the fall. Returns the first turn and the end of the rest.
    fn narrow(&mut self, seat: Seat, mut first: u32, mut end: u32) -> (u32, u32) {
        let halvings = (end - first).next_power_of_two().ilog2().max(1);
        let count = (self.games_planned / 5 / FALLS as u32 / halvings).max(2);
        let point = |turn| (turn, AnswersKept::None, 0);
        while end - first > 1 {
            let middle = first.midpoint(end);
            self.sample(point(middle), count);
            let before = self.difference(point(first), point(middle), seat).mean;
            let after = self.difference(point(middle), point(end), seat).mean;
            match before / (before + after) {
                part if part >= PART_OF_FALL_MIN => end = middle,
                part if part <= 1.0 - PART_OF_FALL_MIN => first = middle,
                _ => break,
            }
        }
        (first, end)
    }

    /// Measures a fall with dice of its own; `None` if it is not clear.
    fn clear_fall(&mut self, seat: Seat, first: u32, end: u32, stage: u32) -> Option<Fall> {
        // A fall takes at most six samples: two for the narrow part if that is not clear, and four for a clear fall.
        let count = (self.games_planned * 2 / 5 / FALLS as u32 / 6).max(2);
        let (before, after) = ((first, AnswersKept::None, stage), (end, AnswersKept::None, stage));
        self.sample(before, count);
        self.sample(after, count);
        let fall = self.difference(before, after, seat);
        if self.pairs(before, after).count() < PAIRS_MIN
            || fall.mean < FALL_MIN
            || fall.mean < ERRORS_MIN * fall.error
        {
            return None;
        }
        let causes = if end == first + 1 {
            let [own, all] = [AnswersKept::Of(seat), AnswersKept::All].map(|answers| (first, answers, stage));
            self.sample(own, count);
            self.sample(all, count);
            let part = |from, to| self.difference(from, to, seat).mean;
            Some(Causes { own: part(before, own), others: part(own, all), chance: part(all, after) })
        } else {
            None
        };
        let turns = (first, end - 1);
        let [before, after] = [before, after].map(|point| self.estimate(point, seat));
        Some(Fall { seat, turns, before, after, fall, causes })
    }

    /// Makes sure that there are this number of games from a point.
    fn sample(&mut self, point: Point, count: u32) {
        let (turn, answers, stage) = point;
        let count_before = self.samples.get(&point).map_or(0, Vec::len) as u32;
        if count_before >= count {
            return;
        }
        let seed = |game: u32| Seed(self.seed.0.wrapping_add(u64::from(stage) << 32 | u64::from(game)));
        let seeds: Vec<Seed> = (count_before..count).map(seed).collect();
        let samples = self.samples.entry(point).or_default();
        // At the end nothing is played, which takes no time.
        let is_end = self.course.moments.last_key_value().is_some_and(|(end, _)| *end == turn);
        let is_over = !is_end && self.deadline.is_over();
        let moment = if is_over { None } else { self.course.at(turn, self.deadline) };
        let Some(moment) = moment else {
            self.is_cut = true;
            return;
        };
        let results = moment.play(&seeds, answers, self.terms.threads, self.deadline, self.together);
        self.games += results.iter().flatten().count() as u64;
        self.is_cut |= results.iter().any(Option::is_none);
        samples.extend(results.into_iter().map(|shares| shares.unwrap_or_default()));
        (self.played)(self.games);
    }

    /// Returns the expected share of a seat at a point.
    fn estimate(&self, point: Point, seat: Seat) -> Estimate {
        Estimate::mean(self.samples[&point].iter().flatten().map(|shares| shares[seat]))
    }

    /// Returns the difference of a seat's expected shares at two points, compared game by game.
    fn difference(&self, one: Point, other: Point, seat: Seat) -> Estimate {
        Estimate::mean(self.pairs(one, other).map(|(one, other)| one[seat] - other[seat]))
    }

    /// Returns the shares of games with the same dice from two points.
    fn pairs(&self, one: Point, other: Point) -> impl Iterator<Item = (&BySeat<f64>, &BySeat<f64>)> {
        let pairs = self.samples[&one].iter().zip(&self.samples[&other]);
        pairs.filter_map(|(one, other)| one.as_ref().zip(other.as_ref()))
    }
}

/// Returns the turns of a grid in the order in which they are sampled: the end first, then those that divide the game
/// most coarsely. Whenever the time ends, the turns that were sampled are spread over the game.
fn coarse_first(grid: &[u32]) -> Vec<u32> {
    let last = grid.len() - 1;
    let mut order: Vec<usize> = (0..last).collect();
    order.sort_by_key(|place| std::cmp::Reverse(place.trailing_zeros()));
    std::iter::once(last).chain(order).map(|place| grid[place]).collect()
}

impl Estimate {
    /// Returns the mean of some values; NaN if there are none.
    fn mean(values: impl Iterator<Item = f64>) -> Estimate {
        let mut mean = SingleLookMean::default();
        for value in values {
            mean.add(value);
        }
        Estimate { mean: mean.mean().unwrap_or(f64::NAN), error: mean.error().unwrap_or(0.0) }
    }
}
