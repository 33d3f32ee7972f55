//! The judge's doctor: plays its game several times, with differences that must not matter (split requests, a
//! new process), and reports the first difference in the replies.

use std::path::Path;

use crate::{Judge, kept};
use referee_games::catalog::SEATS;
use referee_record::error::Error;
use referee_rules::conformance::fault_of;
use referee_rules::game::Game;
use referee_rules::{Dice, Event, Events, Fault, FaultKind, Parameters, Position, Seat, Seed};

/// The games of an examination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The name of its game.
    pub name: &'static str,
    /// How many games were played.
    pub games: u32,
    /// Number of turns in all games.
    pub turns: u32,
    /// Number of answers with a fault.
    pub faults: u32,
}

/// A way to play a game. All ways must lead to the same game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// As in a real game.
    Plain,
    /// Requests arrive in pieces, and facts and verdicts are requested twice.
    Disturbed,
    /// It is killed before every turn, and a new process is told all answers so far.
    Killed,
}

/// The seeds of the games that are played.
const SEEDS: [u64; 3] = [1, 2, 3];

/// Maximum number of turns that are played in a game.
const TURNS_MAX: u32 = 300;

/// Maximum number of turns that are played with a kill before each.
const KILLS_MAX: u32 = 40;

/// Examines a judge: its description, and games between bots that answer at random, sometimes with a fault of
/// every kind. `next` is called with a description of each game before it begins.
///
/// # Errors
///
/// The first mistake, or the first difference between two games that should be the same.
pub fn check(file: &Path, mut next: impl FnMut(&str)) -> Result<Checked, Error> {
    next("description");
    let entry = super::open(file)?;
    let again = super::open(file)?;
    let wrong = |what: String| {
        Error::new(referee_record::error::ErrorKind::Failed, format!("{}: {what}", file.display()))
    };
    if (again.parameters, again.seating, again.about) != (entry.parameters, entry.seating, entry.about) {
        return Err(wrong("its description of the game changes from start to start".to_owned()));
    }
    let judge = kept::opened(entry.name).expect("it was just opened");
    let mut checked = Checked { name: entry.name, games: 0, turns: 0, faults: 0 };
    let mut tables = vec![judge.description.least, judge.description.most];
    tables.dedup();
    for seats in tables {
        let mut parameters = Parameters::defaults(entry.parameters);
        let _ = parameters.set(SEATS, seats as i64);
        for seed in SEEDS.map(Seed) {
            let mut plain = None;
            for way in [Way::Plain, Way::Disturbed, Way::Killed] {
                let told = match way {
                    Way::Plain => "",
                    Way::Disturbed => ", asked in pieces and more often",
                    Way::Killed => ", killed before each turn",
                };
                next(&format!("{seats} seats, seed {}{told}", seed.0));
                let played = play(judge, &parameters, seed, way).map_err(&wrong)?;
                checked.games += 1;
                checked.turns += played.turns.len() as u32;
                checked.faults += played.faults;
                let plain = plain.get_or_insert_with(|| played.turns.clone());
                if let Some(what) = difference(plain, &played.turns) {
                    return Err(wrong(format!(
                        "its replies differ between two runs ({seats} seats, seed {}{told}): {what}",
                        seed.0
                    )));
                }
            }
        }
    }
    Ok(checked)
}

/// The course of a game, turn by turn.
#[derive(Debug, Default)]
struct Played {
    turns: Vec<String>,
    faults: u32,
}

fn difference(one: &[String], other: &[String]) -> Option<String> {
    let at = one.iter().zip(other).position(|(one, other)| one != other)?;
    let (first, second) = (&one[at], &other[at]);
    let same = first.bytes().zip(second.bytes()).take_while(|(one, other)| one == other).count();
    let start = (0..=same.saturating_sub(40)).rev().find(|start| first.is_char_boundary(*start)).unwrap_or(0);
    let shown = |text: &str| text.get(start..).unwrap_or(text).chars().take(120).collect::<String>();
    Some(format!("turn {at}: `...{}...`, then `...{}...`", shown(first), shown(second)))
}

fn play(judge: &Judge, parameters: &Parameters, seed: Seed, way: Way) -> Result<Played, String> {
    let mut first = judge.begin(parameters, seed);
    if way == Way::Disturbed {
        first.in_pieces();
    }
    let mut game: Box<dyn Game> = Box::new(first);
    let mut played = Played::default();
    let (mut events, turns) = (Events::default(), if way == Way::Killed { KILLS_MAX } else { TURNS_MAX });
    while game.turn() < turns {
        if let Some(why) = game.trouble() {
            return Err(format!("turn {}: {why}", game.turn()));
        }
        if way == Way::Killed {
            game = game.copied();
        }
        let mut told = questions(&mut *game);
        if game.asked().is_empty() {
            told += &format!("{:?}", game.outcome());
            played.turns.push(told);
            break;
        }
        let chance = Seed(seed.0 ^ u64::from(game.turn()) << 8);
        let asked = game.asked().to_vec();
        let given: Vec<Given> = asked.iter().map(|seat| Given::choose(&*game, *seat, chance)).collect();
        if way == Way::Plain {
            let answers =
                asked.iter().zip(&given).filter_map(|(seat, given)| Some((*seat, given.as_ref().ok()?)));
            game.expect(&mut { answers });
        }
        for (seat, given) in asked.into_iter().zip(&given) {
            let verdict = answer(&mut *game, seat, given, way)?;
            played.faults += u32::from(verdict.is_some());
            told += &format!(" {seat}:{verdict:?}");
        }
        if way == Way::Disturbed {
            Position::of(&*game);
        }
        events.clear();
        game.resolve(&mut events);
        for event in events.iter() {
            told += &match event {
                Event::Draw { name, at, candidates, drawn } => {
                    format!(" draw {name} {at} {candidates:?} {drawn:?}")
                }
                Event::Effect { name, seat, values } => format!(" effect {name} {seat:?} {values:?}"),
            };
        }
        // For people; one comparison is enough.
        let facts = Position::of(&*game);
        told += &format!(" {:?}", facts);
        played.turns.push(told);
    }
    match game.trouble() {
        Some(why) => Err(format!("turn {}: {why}", game.turn())),
        None => Ok(played),
    }
}

fn questions(game: &mut dyn Game) -> String {
    let mut line = Vec::new();
    for index in 0..game.asked().len() {
        let seat = game.asked()[index];
        line.extend_from_slice(format!("{seat}: ").as_bytes());
        game.question(seat, &mut line);
    }
    String::from_utf8_lossy(&line).into_owned()
}

/// An answer or a fault of a seat.
struct Given {
    answer: Result<Vec<i64>, Fault>,
    /// A sample answer from the judge itself.
    is_sample: bool,
}

impl Given {
    /// Chooses for a seat: mostly the sample of the judge, sometimes something else.
    fn choose(game: &dyn Game, seat: Seat, chance: Seed) -> Given {
        let mut dice = Dice::for_turn(chance, seat.index() as u32);
        let mut sample = Vec::new();
        game.sample(seat, &mut dice, &mut sample);
        let answer = match dice.below(8) {
            0 => {
                let kinds: Vec<FaultKind> =
                    FaultKind::ALL.into_iter().filter(|kind| *kind != FaultKind::Illegal).collect();
                Err(fault_of(kinds[dice.below(kinds.len() as u32) as usize]))
            }
            1 => {
                let nonsense: [&[i64]; 6] =
                    [&[], &[i64::MIN], &[i64::MAX; 3], &[-1, -1, -1, -1], &[0; 300], &[1_000_000]];
                Ok(nonsense[dice.below(6) as usize].to_vec())
            }
            _ => return Given { answer: Ok(sample), is_sample: true },
        };
        Given { answer, is_sample: false }
    }

    fn as_ref(&self) -> Result<&[i64], &Fault> {
        self.answer.as_deref()
    }
}

/// Answers for a seat.
fn answer(game: &mut dyn Game, seat: Seat, given: &Given, way: Way) -> Result<Option<Fault>, String> {
    let verdict = game.answer(seat, given.as_ref());
    if let (Ok(integers), true, Some(fault), None) =
        (&given.answer, given.is_sample, &verdict, game.trouble())
    {
        let turn = game.turn();
        return Err(format!("turn {turn}: its own sample {integers:?} for seat {seat} has a fault: {fault}"));
    }
    // A verdict must change nothing: it is requested twice.
    if way == Way::Disturbed && given.answer.is_ok() {
        let other = game.answer(seat, given.as_ref());
        if other != verdict {
            return Err(format!(
                "turn {}: the same answer of seat {seat} is {verdict:?}, then {other:?}",
                game.turn()
            ));
        }
    }
    Ok(verdict)
}
