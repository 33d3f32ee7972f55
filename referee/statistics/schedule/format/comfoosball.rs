//! The cup of comFoosball 2013: a round robin of matches, play-offs among bots that are level at the cut, a
//! final of two.
//!
//! The round robin follows the circle method (ten teams: Table 1). A match has 5 games, which are all played; the home
//! side alternates, and each game has a seed of its own. The winner of more games has 2 points; if both won equally
//! many, each has 1. Bots that are level at the cut play round robins of their own, at most 3, then sudden death. The
//! final has 9 games; if it is level, 3 more; then single games until one is won.

use crate::schedule::format::course::{Course, Match, Seeds, Stop};
use crate::schedule::format::round_robin::{circle, cycle_of};
use crate::schedule::format::{Ranking, all_played, places_by};
use referee_rules::{Parameter, ParameterKind, Parameters};

const GAMES: ParameterKind = ParameterKind::Integer { min: 1, max: 999 };

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "games",
        short: None,
        default: 5,
        kind: GAMES,
        help: "number of games in a match; all are played",
    },
    Parameter::integer(
        "play_offs",
        3,
        0..=100,
        "maximum number of round robins among bots that are level at the cut, before sudden death",
    ),
    Parameter {
        name: "final_games",
        short: None,
        default: 9,
        kind: GAMES,
        help: "number of games in the final; all are played",
    },
    Parameter::integer(
        "final_further_games",
        3,
        0..=999,
        "number of extra games of a level final, before sudden death; all are played",
    ),
    Parameter::integer(
        "sudden_deaths",
        50,
        0..=10_000,
        "maximum number of games for each bot in sudden death; then a lot from the seed decides",
    ),
    Parameter::integer(
        PAIRED_SEEDS,
        0,
        0..=1,
        "1: games 1 and 2 of a match, 3 and 4 and so on have the same seed, with sides swapped; 0: each has its own",
    ),
];

/// The name of this kind.
pub(super) const NAME: &str = "comfoosball";

const PAIRED_SEEDS: &str = "paired_seeds";

/// The name of the last match.
const FINAL: &str = "final";

/// Number of bots in the final.
const FINALISTS: usize = 2;

/// Returns which games of a match share a seed.
pub(super) fn seeds(settings: &Parameters) -> Seeds {
    if settings.get(PAIRED_SEEDS) == 1 { Seeds::OfBlocks } else { Seeds::OfGames }
}

pub(super) fn play(settings: &Parameters, course: &mut Course<'_>) -> Result<Ranking, Stop> {
    let field: Vec<usize> = (0..course.contest().entrants).collect();
    let points = round_robin(course, &field, games(settings, "games"), (0, ""))?;
    let (finalists, cut) = finalists(settings, course, &field, &points)?;
    let [one, other] = finalists[..] else {
        return Ok(Ranking {
            places: vec![field],
            points: None,
            opponents: None,
            numbers: None,
            reason: all_played(0),
        });
    };
    let (winner, how) = final_match(settings, course, (one, other))?;
    let loser = if winner == one { other } else { one };
    let rest = field.into_iter().filter(|entrant| !finalists.contains(entrant));
    let mut places = vec![vec![winner], vec![loser]];
    places.extend(places_by(rest, |entrant| points[entrant]));
    Ok(Ranking {
        places,
        points: Some(points),
        opponents: None,
        numbers: None,
        reason: format!("the final is {how}{cut}"),
    })
}

/// Plays a round robin; `before` is the number of earlier ones. Returns the points by entrant. The names of
/// all its matches begin with `prefix`.
fn round_robin(
    course: &mut Course<'_>,
    field: &[usize],
    games: usize,
    (before, prefix): (usize, &str),
) -> Result<Vec<u32>, Stop> {
    let mut points = vec![0; course.contest().entrants];
    for round in 0..if field.len() < 2 { 0 } else { cycle_of(field.len()) } {
        let pairs = circle(field, round).into_iter();
        // In every other round robin the others begin at home.
        let pairs: Vec<(usize, usize)> = pairs
            .map(|(one, other)| if before.is_multiple_of(2) { (one, other) } else { (other, one) })
            .collect();
        let name = |index: usize| format!("{prefix}round {}, match {}", round + 1, index + 1);
        for (played, index) in course.play(&pairs, games, name)?.into_iter().zip(0..) {
            let winner = leader(&played);
            let (one, other) = match winner {
                Some(entrant) if entrant == played.pair.0 => (2, 0),
                Some(_) => (0, 2),
                None => (1, 1),
            };
            course.record_winner(&name(index), winner);
            points[played.pair.0] += one;
            points[played.pair.1] += other;
        }
    }
    Ok(points)
}

/// Finds the finalists, in the order in which they were determined. Also says what decided, if points were not enough.
fn finalists(
    settings: &Parameters,
    course: &mut Course<'_>,
    field: &[usize],
    points: &[u32],
) -> Result<(Vec<usize>, &'static str), Stop> {
    let play_offs = settings.get("play_offs") as usize;
    let (mut finalists, mut level) = cut(field, points, FINALISTS);
    let mut how = "";
    for before in 0..play_offs + settings.get("sudden_deaths") as usize {
        if level.is_empty() {
            break;
        }
        let is_sudden_death = before >= play_offs;
        let (games, prefix);
        if is_sudden_death {
            how = "; sudden death decided who plays it";
            games = 1;
            prefix = format!("sudden death {}, ", before + 1 - play_offs);
        } else {
            how = "; play-offs decided who plays it";
            games = self::games(settings, "games");
            prefix = format!("play-off {}, ", before + 1);
        }
        let points = round_robin(course, &level, games, (before + 1, &prefix))?;
        let (above, still_level) = cut(&level, &points, FINALISTS - finalists.len());
        finalists.extend(above);
        level = still_level;
    }
    if !level.is_empty() {
        how = "; a lot decided who plays it";
        course.draw(&mut level);
        finalists.extend(&level[..FINALISTS - finalists.len()]);
    }
    Ok((finalists, how))
}

/// Returns the bots above the cut, at most `count`, best first; and the bots that are level at the cut, or
/// none if it falls between two that are not level.
fn cut(field: &[usize], points: &[u32], count: usize) -> (Vec<usize>, Vec<usize>) {
    let mut above = Vec::new();
    for level in places_by(field.iter().copied(), |entrant| points[entrant]) {
        match above.len() + level.len() {
            _ if above.len() == count => break,
            all if all > count => return (above, level),
            _ => above.extend(level),
        }
    }
    (above, Vec::new())
}

/// Plays the final. Returns the winner, and how it won.
fn final_match(
    settings: &Parameters,
    course: &mut Course<'_>,
    (one, other): (usize, usize),
) -> Result<(usize, &'static str), Stop> {
    let mut first_home = (one, other);
    let lengths = ["final_games", "final_further_games"].map(|name| games(settings, name));
    let sudden_deaths = std::iter::repeat_n(1, settings.get("sudden_deaths") as usize);
    let in_words =
        ["won", "won in further games"].into_iter().chain(std::iter::repeat("won by sudden death"));
    let stages = lengths.into_iter().chain(sudden_deaths).zip(in_words).filter(|(games, _)| *games > 0);
    for (games, how) in stages {
        for played in course.play(&[first_home], games, |_| FINAL.to_owned())? {
            if let Some(winner) = leader(&played) {
                course.record_winner(FINAL, Some(winner));
                return Ok((winner, how));
            }
        }
        if games % 2 == 1 {
            first_home = (first_home.1, first_home.0); // the home side keeps alternating
        }
    }
    let mut lots = [one, other];
    course.draw(&mut lots);
    course.record_winner(FINAL, Some(lots[0]));
    Ok((lots[0], "drawn by lot"))
}

/// The winner of more games of a match, unless it is level.
fn leader(played: &Match) -> Option<usize> {
    let (one, other) = played.wins();
    match one.cmp(&other) {
        std::cmp::Ordering::Greater => Some(played.pair.0),
        std::cmp::Ordering::Less => Some(played.pair.1),
        std::cmp::Ordering::Equal => None,
    }
}

fn games(settings: &Parameters, name: &str) -> usize {
    settings.get(name) as usize
}
