//! Recorded games: as tables of numbers for arrays, and as a page.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use referee_files::beneath::Spot;
use referee_files::threads::together;
use referee_files::{audit, log, standard_error};
use referee_record::Heading;
use referee_record::error::Error;
use referee_record::play::replay::{Replay, advance};
use referee_rules::{Event, Events, Fact, Outcome, Seat};
use referee_show::page::html;

pyo3::create_exception!(
    referee,
    RecordError,
    PyValueError,
    "The file is not a record of games, or is damaged."
);

/// The value for a missing seat or index.
const NONE: i64 = -1;

/// A table: rows of `N` numbers, and some words beside each row.
struct Table<const N: usize, const W: usize>(Vec<[i64; N]>, [Vec<&'static str>; W]);

impl<const N: usize, const W: usize> Table<N, W> {
    fn new() -> Self {
        Table(Vec::new(), [const { Vec::new() }; W])
    }

    fn push(&mut self, numbers: [i64; N], words: [&'static str; W]) {
        self.0.push(numbers);
        for (column, word) in self.1.iter_mut().zip(words) {
            column.push(word);
        }
    }

    fn into_arrays(self, py: Python<'_>) -> PyResult<Arrays<'_>> {
        let rows = self.0.len();
        Ok((self.0.into_flattened().into_pyarray(py).reshape([rows, N])?, self.1.into()))
    }
}

type Arrays<'py> = (Bound<'py, PyArray2<i64>>, Vec<Vec<&'static str>>);

/// The contents of a log, and the results of its replay.
struct Recorded {
    heading: Heading,
    outcome: Option<Outcome>,
    /// turn, seat, thinking_us, wall_us, cpu_us; verdict
    answers: Table<5, 1>,
    /// turn, seat, index, order
    moves: Table<4, 0>,
    /// turn, seat, index, value; thing
    positions: Table<4, 1>,
    /// turn, event, at or seat, number; name, role
    events: Table<4, 2>,
}

fn number(seat: Option<Seat>) -> i64 {
    seat.map_or(NONE, |seat| seat.index() as i64)
}

fn read(path: PathBuf) -> Result<Recorded, Error> {
    let (mut replay, heading) = Replay::open(log::open(&path)?)?;
    let (mut answers, mut moves, mut positions) = (Table::new(), Table::new(), Table::new());
    let (mut rows, mut events) = (Table::new(), Events::default());
    loop {
        let turn = i64::from(replay.game().turn());
        replay.game().describe(&mut |Fact { thing, seat, index, value }| {
            let index = index.map_or(NONE, |index| index as i64);
            positions.push([turn, number(seat), index, value], [thing.as_str()]);
        });
        let Some((game, given)) = replay.next_turn()? else { break };
        advance(game, given, &mut events, None, |_, answer, fault| {
            let seat = answer.seat.index() as i64;
            let [thinking, wall] = [answer.thinking, answer.wall].map(|time| time.as_micros() as i64);
            let cpu = answer.cpu.map_or(NONE, |cpu| cpu.as_micros() as i64);
            answers
                .push([turn, seat, thinking, wall, cpu], [fault.map_or("ok", |fault| fault.kind().name())]);
            for (order, index) in answer.integers.iter().zip(0..) {
                moves.push([turn, seat, index, *order], []);
            }
        });
        for (event, count) in events.iter().zip(0..) {
            let mut push = |at, numbers: &[i64], words| {
                numbers.iter().for_each(|number| rows.push([turn, count, at, *number], words));
            };
            match event {
                Event::Draw { name, at, candidates, drawn } => {
                    push(at, candidates, [name, "candidate"]);
                    push(at, drawn, [name, "drawn"]);
                }
                Event::Effect { name, seat, values: [] } => push(number(seat), &[NONE], [name, "effect"]),
                Event::Effect { name, seat, values } => push(number(seat), values, [name, "effect"]),
            }
        }
    }
    let outcome = replay.game().outcome();
    Ok(Recorded { heading, outcome, answers, moves, positions, events: rows })
}

/// Makes sure that a log is as the referee wrote it, as `referee audit` does. A game that was given up has no digest.
fn check(path: &PathBuf, recorded: &Recorded) -> Result<(), Error> {
    match recorded.outcome {
        Some(_) => audit::audit_log(&**path).map(drop),
        None => Ok(()),
    }
}

fn wrong(error: Error) -> PyErr {
    RecordError::new_err(error.to_string())
}

/// Rules, their version, the seed, the parameters, the bots' names.
type HeadingTold = (String, u32, u64, Vec<(String, String)>, Vec<String>);

/// Scores, shares and the reason for the end; None if the game was given up.
type Ended = Option<(Vec<i64>, Vec<f64>, &'static str)>;

/// Reads the log of a game and replays it. Returns its heading, its end, and the tables of answers, moves,
/// positions and events. With `verify`, the log is audited. Raises RecordError if the file is no log, is damaged or was
/// changed.
#[pyfunction]
#[pyo3(signature = (path, verify = true))]
pub(crate) fn record(
    py: Python<'_>,
    path: PathBuf,
    verify: bool,
) -> PyResult<(HeadingTold, Ended, [Arrays<'_>; 4])> {
    let read = || {
        let recorded = read(path.clone())?;
        if verify {
            check(&path, &recorded)?;
        }
        Ok(recorded)
    };
    let recorded = py.detach(read).map_err(wrong)?;
    let Heading { rules, version, seed, parameters, bots, .. } = recorded.heading;
    let bots = bots.iter().map(|(_, bot)| bot.name.clone()).collect();
    let tables = [
        recorded.answers.into_arrays(py)?,
        recorded.moves.into_arrays(py)?,
        recorded.positions.into_arrays(py)?,
        recorded.events.into_arrays(py)?,
    ];
    let ended = recorded.outcome.map(|outcome| {
        (outcome.scores.as_slice().to_vec(), outcome.shares.as_slice().to_vec(), outcome.reason)
    });
    Ok(((rules, version, seed.0, parameters, bots), ended, tables))
}

/// Returns the page of a recorded game: one HTML document. Raises RecordError as `record` does.
#[pyfunction]
pub(crate) fn page(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    let page = || {
        let log = Spot::from(&path);
        html::page(log::open(&log)?, &standard_error::of_log(&log), None, &together)
    };
    py.detach(page).map_err(wrong)
}
