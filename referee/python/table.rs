//! One game as Python sees it: questions and answers are lists of integers, as on a bot's wire.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyArray3, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use referee_bots::{HOUSE_BOTS, HouseBot};
use referee_games::catalog;
use referee_rules::thinker::Thinker;
use referee_rules::{Dice, Event, Events, Fact, Fault, Outcome, Parameters, Seat, Seed, Thing, game, wire};
use referee_view::canvas::Canvas;

use super::drawing;
use super::planes::{self, Viewer};

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

/// A house bot sits on a seat: the seat, and its place in the list of house bots.
const SEATED: i64 = -3;

/// The house bot on a seat answered.
const THOUGHT: i64 = -4;

/// Observations, masks and scores.
type Views<'py> = (Bound<'py, PyArrayDyn<u8>>, Bound<'py, PyArrayDyn<u8>>, Vec<i64>);

/// A house bot on a seat.
struct Seated {
    bot: Box<dyn Thinker>,
    /// What it draws from.
    seed: Seed,
}

/// The state of a game.
struct Inner {
    game: Box<dyn game::Game>,
    /// The events of its last turn.
    events: Events,
    /// What was done in it: a copy in another process does the same.
    done: Vec<Done>,
    /// The house bots, by seat.
    bots: Vec<Option<Seated>>,
}

impl Inner {
    /// Copies the house bots. With a seed, they draw from others.
    fn copied_bots(&self, seed: Option<Seed>) -> Vec<Option<Seated>> {
        let copied = |(seat, seated): (usize, &Option<Seated>)| {
            let seated = seated.as_ref()?;
            let seed = seed.map_or(seated.seed, |seed| of_seat(seed, seat));
            Some(Seated { bot: seated.bot.copied(seed), seed })
        };
        self.bots.iter().enumerate().map(copied).collect()
    }
}

/// Returns what the house bot on a seat draws from in a game with this seed.
fn of_seat(seed: Seed, seat: usize) -> Seed {
    Seed(seed.0.wrapping_add(seat as u64 + 1))
}

/// A game in progress, by the rules of the referee.
#[pyclass(module = "referee", frozen)]
pub(crate) struct Game {
    inner: Mutex<Inner>,
    entry: &'static catalog::Entry,
    /// Shows its positions to its seats, if the game is one of `planes`.
    viewer: Option<Arc<Viewer>>,
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
    fn inner(&self) -> MutexGuard<'_, Inner> {
        // A panic within the rules has been raised already.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(entry: &'static catalog::Entry, parameters: &Parameters, seed: u64) -> Game {
        let game = entry.start(parameters, Seed(seed));
        let bots = (0..game.info().seats).map(|_| None).collect();
        Game {
            version: game.info().version,
            seats: game.info().seats,
            inner: Mutex::new(Inner { bots, game, events: Events::default(), done: Vec::new() }),
            entry,
            viewer: planes::viewer(entry.name, parameters).map(Arc::new),
            seed,
            parameters: parameters.iter().map(|(name, value)| (name, value.to_string())).collect(),
        }
    }

    /// Returns this game in another state.
    fn with(&self, inner: Inner) -> Game {
        let (entry, parameters, viewer) = (self.entry, self.parameters.clone(), self.viewer.clone());
        Game { inner: Mutex::new(inner), entry, parameters, viewer, ..*self }
    }

    /// Puts a bot of `HOUSE_BOTS` on a seat.
    fn seat_house_bot(&self, seat: usize, at: usize) {
        let Inner { game, done, bots, .. } = &mut *self.inner();
        let (seed, make) =
            (of_seat(game.seed(), seat), HOUSE_BOTS[at].thinker.expect("checked by the caller"));
        bots[seat] = Some(Seated { bot: make().copied(seed), seed });
        done.push((SEATED, Some(vec![seat as i64, at as i64])));
    }

    fn canvas(&self, hidden: bool) -> Canvas {
        drawing::canvas(&*self.inner().game, self.entry.board.expect("all built-in games have one"), hidden)
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
        self.inner().game.seed().0
    }

    /// The number of turns that have been played.
    #[getter]
    fn turn(&self) -> u32 {
        self.inner().game.turn()
    }

    /// The seats that are asked in this turn. Empty if the game is over.
    #[getter]
    fn asked(&self) -> Vec<usize> {
        self.inner().game.asked().iter().map(|seat| seat.index()).collect()
    }

    /// Returns the integers of a seat's question, without their count. Raises ValueError if there is no such seat.
    fn question(&self, seat: usize) -> PyResult<Vec<i64>> {
        let (seat, mut line, mut integers) = (self.seat(seat)?, Vec::new(), Vec::new());
        self.inner().game.question(seat, &mut line);
        wire::read_integers(line.trim_ascii_end(), &mut integers).expect("integers");
        integers.remove(0);
        Ok(integers)
    }

    /// The observations of all seats, their masks (seats, numbers, choices), as `seen` makes them of questions, and the
    /// scores. None if the game has no such view.
    fn looks<'py>(&self, py: Python<'py>) -> PyResult<Option<Views<'py>>> {
        let Some(viewer) = &self.viewer else { return Ok(None) };
        let Some(looks) = self.inner().game.state().and_then(|state| viewer(state)) else { return Ok(None) };
        let array = |(bytes, shape): (Vec<u8>, Vec<usize>)| bytes.into_pyarray(py).reshape(shape);
        Ok(Some((array(looks.observations)?, array(looks.masks)?, looks.scores)))
    }

    /// Takes the answer of an asked seat: its integers, or None for no answer in time. Returns the fault, if there is
    /// one. Raises ValueError if the seat is not asked in this turn.
    fn answer(&self, seat: usize, integers: Option<Vec<i64>>) -> PyResult<Option<String>> {
        let seat = self.seat(seat)?;
        let mut inner = self.inner();
        let game = &mut inner.game;
        if !game.asked().contains(&seat) {
            return Err(PyValueError::new_err(format!("seat {seat} is not asked in turn {}", game.turn())));
        }
        let fault = game.answer(seat, integers.as_deref().ok_or(&Fault::Late));
        inner.done.push((seat.index() as i64, integers));
        Ok(fault.map(|fault| fault.to_string()))
    }

    /// Puts a house bot on a seat, for `think`. What it draws follows from the seed of the game and the seat. Raises
    /// ValueError, with the names that there are, for an unknown one.
    fn seat_bot(&self, seat: usize, name: &str) -> PyResult<()> {
        let seat = self.seat(seat)?;
        let own = |bot: &&HouseBot| bot.game == self.entry.name && bot.thinker.is_some();
        let Some(at) = HOUSE_BOTS.iter().position(|bot| own(&bot) && bot.name == name) else {
            let names: Vec<_> = HOUSE_BOTS.iter().filter(own).map(|bot| bot.name).collect();
            let (game, names) = (self.entry.name, names.join(", "));
            return Err(PyValueError::new_err(format!("{game}: no house bot {name:?} (there are: {names})")));
        };
        self.seat_house_bot(seat.index(), at);
        Ok(())
    }

    /// Has the house bot on an asked seat answer. Returns the fault, if there is one. Raises ValueError if the seat is
    /// not asked in this turn, or has no house bot.
    fn think(&self, py: Python<'_>, seat: usize) -> PyResult<Option<String>> {
        let seat = self.seat(seat)?;
        py.detach(|| {
            let Inner { game, done, bots, .. } = &mut *self.inner();
            if !game.asked().contains(&seat) {
                return Err(PyValueError::new_err(format!(
                    "seat {seat} is not asked in turn {}",
                    game.turn()
                )));
            }
            let seated = bots[seat.index()].as_mut();
            let seated =
                seated.ok_or_else(|| PyValueError::new_err(format!("seat {seat} has no house bot")))?;
            let mut integers = Vec::new();
            seated.bot.answer(&mut **game, seat, &mut integers);
            let fault = game.answer(seat, Ok(&integers));
            done.push((THOUGHT, Some(vec![seat.index() as i64])));
            Ok(fault.map(|fault| fault.to_string()))
        })
    }

    /// Plays the turn. An asked seat without an answer counts as late. Raises ValueError if the game is over.
    fn play(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            let Inner { game, events, done, .. } = &mut *self.inner();
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
        self.inner().events.iter().map(told).collect()
    }

    /// The score of each seat so far. In a game that scores only at its end, the scores are 0 until then.
    #[getter]
    fn scores(&self) -> Vec<i64> {
        let game = &mut self.inner().game;
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
        let Outcome { scores, shares, reason } = self.inner().game.outcome()?;
        Some((scores.as_slice().to_vec(), shares.as_slice().to_vec(), reason))
    }

    /// The facts of the position: (thing, seat, index, value).
    #[getter]
    fn facts(&self) -> Vec<(&'static str, Option<usize>, Option<usize>, i64)> {
        let mut facts = Vec::new();
        self.inner().game.describe(&mut |Fact { thing, seat, index, value }| {
            facts.push((thing.as_str(), seat.map(Seat::index), index, value));
        });
        facts
    }

    /// Returns the integers of a random legal answer of a seat.
    fn sample<'py>(&self, py: Python<'py>, seat: usize, seed: u64) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (seat, mut integers) = (self.seat(seat)?, Vec::new());
        self.inner().game.sample(seat, &mut Dice::for_start(Seed(seed)), &mut integers);
        Ok(integers.into_pyarray(py))
    }

    /// Returns a copy that continues independently. With a seed, all further chance follows from that seed,
    /// and the seats are asked again.
    #[pyo3(signature = (seed = None))]
    fn branch(&self, seed: Option<u64>) -> Game {
        let inner = self.inner();
        let (mut done, bots) = (inner.done.clone(), inner.copied_bots(seed.map(Seed)));
        let game = match seed {
            None => inner.game.copied(),
            Some(seed) => {
                done.push((BRANCHED, Some(vec![seed as i64])));
                inner.game.copied_with_seed(Seed(seed)).expect("rules in Rust can do that")
            }
        };
        self.with(Inner { game, events: Events::default(), done, bots })
    }

    /// Returns how another process makes an equal game: by the same start and the same answers.
    fn __reduce__<'py>(slf: &Bound<'py, Game>) -> PyResult<(Bound<'py, PyAny>, Restored)> {
        let (game, make) = (slf.get(), slf.get_type().getattr("restored")?);
        let parameters =
            game.parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let done = game.inner().done.clone();
        Ok((make, (game.entry.name.to_owned(), game.seed, parameters, done)))
    }

    /// Makes a game from what was done in it. For pickle.
    #[staticmethod]
    fn restored(
        py: Python<'_>,
        name: &str,
        seed: u64,
        parameters: Vec<(String, String)>,
        done: Vec<Done>,
    ) -> PyResult<Game> {
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
                    let Inner { game, events, done, .. } = &mut *made.inner();
                    events.clear();
                    game.resolve(events);
                    done.push((PLAYED, None));
                    continue;
                }
                (BRANCHED, Some(seed)) if seed.len() == 1 => made.branch(Some(seed[0] as u64)),
                (SEATED, Some(what)) if what.len() == 2 => {
                    let bot = HOUSE_BOTS.get(what[1] as usize);
                    bot.filter(|bot| bot.game == name && bot.thinker.is_some()).ok_or_else(wrong)?;
                    made.seat(what[0] as usize).map_err(|_| wrong())?;
                    made.seat_house_bot(what[0] as usize, what[1] as usize);
                    continue;
                }
                (THOUGHT, Some(seat)) if seat.len() == 1 => {
                    made.think(py, seat[0] as usize).map_err(|_| wrong())?;
                    continue;
                }
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
        let inner = self.inner();
        let (game, events, done) = (inner.game.copied(), inner.events.clone(), inner.done.clone());
        self.with(Inner { game, events, done, bots: inner.copied_bots(None) })
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
