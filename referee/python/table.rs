//! One game as Python sees it: questions and answers are lists of integers, as on a bot's wire.

use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyArray3, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use referee_games::catalog;
use referee_rules::{Dice, Event, Events, Fact, Fault, Outcome, Parameters, Seat, Seed, Thing, game, wire};
use referee_view::canvas::Canvas;

use super::drawing;

/// Reads the parameters of a game: keywords, each a whole number or a word.
pub(crate) fn parameters(
    game: &str,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<(&'static catalog::Entry, Parameters)> {
    let wrong = |error: &dyn std::fmt::Display| PyValueError::new_err(format!("{game}: {error}"));
    let entry = catalog::find(game).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in keywords.into_iter().flatten() {
        let (name, value): (String, String) = (name.extract()?, value.str()?.extract()?);
        parameters.set_text(&name, &value).map_err(|error| wrong(&error))?;
    }
    Ok((entry, parameters))
}

/// An event of a turn: its name, its place or seat, its numbers, and the drawn ones among them.
type Told = (&'static str, Option<i64>, Vec<i64>, Vec<i64>);

/// What was done in a game: the seat and the answer, [`PLAYED`], or [`BRANCHED`] with the seed.
type Done = (i64, Option<Vec<i64>>);

/// How a game is made again: its name, its seed, its parameters, and what was done in it.
type Restored = (String, u64, Vec<(String, String)>, Vec<Done>);

/// The turn was played.
const PLAYED: i64 = -1;

/// All further chance follows from another seed.
const BRANCHED: i64 = -2;

/// A game in progress, by the rules of the referee.
#[pyclass(module = "referee", frozen)]
pub(crate) struct Game {
    /// The game, the events of its last turn, and what was done in it: a copy in another process does the same.
    inner: Mutex<(Box<dyn game::Game>, Events, Vec<Done>)>,
    entry: &'static catalog::Entry,
    /// The seed of its start.
    seed: u64,
    /// The version of its rules.
    #[pyo3(get)]
    version: u32,
    /// The number of seats.
    #[pyo3(get)]
    seats: usize,
    /// The parameters, each as it is written on the command line.
    #[pyo3(get)]
    parameters: Vec<(&'static str, String)>,
}

impl Game {
    fn inner(&self) -> MutexGuard<'_, (Box<dyn game::Game>, Events, Vec<Done>)> {
        // A panic within the rules has been raised already.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(entry: &'static catalog::Entry, parameters: &Parameters, seed: u64) -> Game {
        let game = entry.start(parameters, Seed(seed));
        Game {
            version: game.info().version,
            seats: game.info().seats,
            inner: Mutex::new((game, Events::default(), Vec::new())),
            entry,
            seed,
            parameters: parameters.iter().map(|(name, value)| (name, value.to_string())).collect(),
        }
    }

    /// Returns this game in another state.
    fn with(&self, game: Box<dyn game::Game>, events: Events, done: Vec<Done>) -> Game {
        let (entry, parameters) = (self.entry, self.parameters.clone());
        Game { inner: Mutex::new((game, events, done)), entry, parameters, ..*self }
    }

    fn canvas(&self, hidden: bool) -> Canvas {
        drawing::canvas(&*self.inner().0, self.entry.board.expect("all built-in games have one"), hidden)
    }

    fn seat(&self, seat: usize) -> PyResult<Seat> {
        let wrong = || {
            PyValueError::new_err(format!(
                "no seat {seat}: {} has seats 0 to {}",
                self.entry.name,
                self.seats - 1
            ))
        };
        (seat < self.seats).then(|| Seat::new(seat)).ok_or_else(wrong)
    }
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (game, *, seed = 0, **parameters))]
    fn new(game: &str, seed: u64, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Game> {
        let (entry, parameters) = self::parameters(game, parameters)?;
        Ok(Game::begin(entry, &parameters, seed))
    }

    /// The name of the game.
    #[getter]
    fn name(&self) -> &'static str {
        self.entry.name
    }

    /// The random seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.inner().0.seed().0
    }

    /// The number of turns that have been played.
    #[getter]
    fn turn(&self) -> u32 {
        self.inner().0.turn()
    }

    /// The seats that are asked in this turn. Empty if the game is over.
    #[getter]
    fn asked(&self) -> Vec<usize> {
        self.inner().0.asked().iter().map(|seat| seat.index()).collect()
    }

    /// Returns the integers of a seat's question, without their count. Raises ValueError if there is no such seat.
    fn question(&self, seat: usize) -> PyResult<Vec<i64>> {
        let (seat, mut line, mut integers) = (self.seat(seat)?, Vec::new(), Vec::new());
        self.inner().0.question(seat, &mut line);
        wire::read_integers(line.trim_ascii_end(), &mut integers).expect("integers");
        integers.remove(0);
        Ok(integers)
    }

    /// Takes the answer of an asked seat: its integers, or None for no answer in time. Returns the fault, if there is
    /// one. Raises ValueError if the seat is not asked in this turn.
    fn answer(&self, seat: usize, integers: Option<Vec<i64>>) -> PyResult<Option<String>> {
        let seat = self.seat(seat)?;
        let mut inner = self.inner();
        let game = &mut inner.0;
        if !game.asked().contains(&seat) {
            return Err(PyValueError::new_err(format!("seat {seat} is not asked in turn {}", game.turn())));
        }
        let fault = game.answer(seat, integers.as_deref().ok_or(&Fault::Late));
        inner.2.push((seat.index() as i64, integers));
        Ok(fault.map(|fault| fault.to_string()))
    }

    /// Plays the turn. An asked seat without an answer counts as late. Raises ValueError if the game is over.
    fn play(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            let (game, events, done) = &mut *self.inner();
            if game.asked().is_empty() {
                return Err(PyValueError::new_err("the game is over"));
            }
            events.clear();
            game.resolve(events);
            done.push((PLAYED, None));
            Ok(())
        })
    }

    /// The events of the last turn: draws as (name, place, candidates, drawn), effects as (name, seat, values, []).
    #[getter]
    fn events(&self) -> Vec<Told> {
        let told = |event| match event {
            Event::Draw { name, at, candidates, drawn } => {
                (name, Some(at), candidates.to_vec(), drawn.to_vec())
            }
            Event::Effect { name, seat, values } => {
                (name, seat.map(|seat| seat.index() as i64), values.to_vec(), Vec::new())
            }
        };
        self.inner().1.iter().map(told).collect()
    }

    /// The score of each seat so far. In a game that scores only at its end, the scores are 0 until then.
    #[getter]
    fn scores(&self) -> Vec<i64> {
        let mut inner = self.inner();
        let game = &mut inner.0;
        if let Some(outcome) = game.outcome() {
            return outcome.scores.as_slice().to_vec();
        }
        let mut scores = vec![0; self.seats];
        game.describe(&mut |fact| {
            if let Fact { thing: Thing::SCORE, seat: Some(seat), index: None, value } = fact {
                scores[seat.index()] = value;
            }
        });
        scores
    }

    /// The end of the game: scores, shares, the reason. None before the end.
    #[getter]
    fn outcome(&self) -> Option<(Vec<i64>, Vec<f64>, &'static str)> {
        let Outcome { scores, shares, reason } = self.inner().0.outcome()?;
        Some((scores.as_slice().to_vec(), shares.as_slice().to_vec(), reason))
    }

    /// The facts of the position: (thing, seat, index, value).
    #[getter]
    fn facts(&self) -> Vec<(&'static str, Option<usize>, Option<usize>, i64)> {
        let mut facts = Vec::new();
        self.inner().0.describe(&mut |Fact { thing, seat, index, value }| {
            facts.push((thing.as_str(), seat.map(Seat::index), index, value));
        });
        facts
    }

    /// Returns the integers of a random legal answer of a seat.
    fn sample<'py>(&self, py: Python<'py>, seat: usize, seed: u64) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (seat, mut integers) = (self.seat(seat)?, Vec::new());
        self.inner().0.sample(seat, &mut Dice::for_start(Seed(seed)), &mut integers);
        Ok(integers.into_pyarray(py))
    }

    /// Returns a copy that continues independently. With a seed, all further chance follows from that seed,
    /// and the seats are asked again.
    #[pyo3(signature = (seed = None))]
    fn branch(&self, seed: Option<u64>) -> Game {
        let (game, _, done) = &*self.inner();
        let mut done = done.clone();
        let copy = match seed {
            None => game.copied(),
            Some(seed) => {
                done.push((BRANCHED, Some(vec![seed as i64])));
                game.copied_with_seed(Seed(seed)).expect("rules in Rust can do that")
            }
        };
        self.with(copy, Events::default(), done)
    }

    /// Returns how another process makes an equal game: by the same start and the same answers.
    fn __reduce__<'py>(slf: &Bound<'py, Game>) -> PyResult<(Bound<'py, PyAny>, Restored)> {
        let (game, make) = (slf.get(), slf.get_type().getattr("restored")?);
        let parameters =
            game.parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let done = game.inner().2.clone();
        Ok((make, (game.entry.name.to_owned(), game.seed, parameters, done)))
    }

    /// Makes a game from what was done in it. For pickle.
    #[staticmethod]
    fn restored(name: &str, seed: u64, parameters: Vec<(String, String)>, done: Vec<Done>) -> PyResult<Game> {
        let entry = catalog::find(name).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let mut set = Parameters::defaults(entry.parameters);
        for (name, value) in &parameters {
            set.set_text(name, value).map_err(|error| PyValueError::new_err(error.to_string()))?;
        }
        let mut made = Game::begin(entry, &set, seed);
        let wrong = || PyValueError::new_err("a pickled game that does not follow its own rules");
        for (what, integers) in done {
            made = match (what, integers) {
                (PLAYED, None) if !made.asked().is_empty() => {
                    let (game, events, done) = &mut *made.inner();
                    events.clear();
                    game.resolve(events);
                    done.push((PLAYED, None));
                    continue;
                }
                (BRANCHED, Some(seed)) if seed.len() == 1 => made.branch(Some(seed[0] as u64)),
                (seat, integers) if seat >= 0 => {
                    made.answer(seat as usize, integers).map_err(|_| wrong())?;
                    continue;
                }
                _ => return Err(wrong()),
            };
        }
        Ok(made)
    }

    fn __copy__(&self) -> Game {
        let (game, events, done) = &*self.inner();
        self.with(game.copied(), events.clone(), done.clone())
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Game {
        self.__copy__()
    }

    /// Returns the board as text.
    #[pyo3(signature = (*, hidden = true))]
    fn text(&self, hidden: bool) -> String {
        self.canvas(hidden).text()
    }

    /// Returns the board as pixels: rows, columns, and red, green, blue.
    #[pyo3(signature = (*, hidden = true))]
    fn pixels<'py>(&self, py: Python<'py>, hidden: bool) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let (size, pixels) = drawing::pixels(&self.canvas(hidden));
        pixels.into_pyarray(py).reshape(size)
    }
}
