//! One game as Python sees it: questions and answers are lists of integers, as on a bot's wire.

use std::array;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::ndarray::ArrayD;
use numpy::{IntoPyArray, PyArray1, PyArray3, PyArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyTuple};
use referee_games::catalog;
use referee_rules::{Dice, Event, Events, Fact, Fault, Outcome, Parameters, Seat, Seed, Thing, game, wire};
use referee_show::view::canvas::Canvas;

use super::batch::CUT;
use super::history::{BRANCHED, Deed, History, PLAYED, SEATED, THOUGHT};
use super::planes::{self, Looks, View};
use super::rivals::{self, Rival, Seated};
use super::{arguments, drawing};

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
type TurnEvent = (&'static str, Option<i64>, Vec<i64>, Vec<i64>);

/// What makes an equal game in another process: its name, its seed, its parameters, and all that was done in it.
type Pickled = (String, u64, Vec<(String, String)>, Vec<Deed>);

/// Observations, masks and scores.
type Views<'py> = (Vec<Bound<'py, PyAny>>, Vec<Bound<'py, PyAny>>, Vec<i64>);

/// The end of a game: scores, shares, the reason.
type Ended = (Vec<i64>, Vec<f64>, &'static str);

/// What a turn tells agents: observations, rewards, whether they have ended or were cut off, infos; and the scores.
type Turn<'py> = (Step<Bound<'py, PyDict>>, Vec<i64>);

/// The parts of what PettingZoo's `step` returns.
type Step<T> = (T, T, T, T, T);

/// The state of a game.
struct Inner {
    game: Box<dyn game::Game>,
    /// The events of its last turn.
    events: Events,
    /// What was done in it: a copy in another process does the same.
    history: History,
    /// The house bots, by seat.
    bots: Vec<Option<Seated>>,
}

impl Inner {
    /// Copies the house bots. With a seed, the copies draw from seeds that follow from it.
    fn copied_bots(&self, seed: Option<Seed>) -> Vec<Option<Seated>> {
        let copied = |(seat, seated): (usize, &Option<Seated>)| {
            let seated = seated.as_ref()?;
            Some(match seed {
                Some(seed) => seated.in_game(seed, seat),
                None => seated.clone(),
            })
        };
        self.bots.iter().enumerate().map(copied).collect()
    }

    /// Takes the answer of an asked seat.
    fn take(&mut self, seat: Seat, integers: Option<&[i64]>) -> Option<String> {
        let fault = self.game.answer(seat, integers.ok_or(&Fault::Late));
        self.history.push(seat.index() as i64, integers);
        fault.map(|fault| fault.to_string())
    }

    /// Plays the turn.
    fn play(&mut self) {
        self.events.clear();
        self.game.resolve(&mut self.events);
        self.history.push(PLAYED, None);
    }

    fn ended(&self) -> Option<Ended> {
        let Outcome { scores, shares, reason } = self.game.outcome()?;
        Some((scores.as_slice().to_vec(), shares.as_slice().to_vec(), reason))
    }
}

/// A game in progress, by the rules of the referee.
#[pyclass(module = "referee", frozen)]
pub(crate) struct Game {
    inner: Mutex<Inner>,
    entry: &'static catalog::Entry,
    /// Shows its positions to its seats, if the game is one of `planes`.
    view: Option<Arc<dyn View>>,
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
            inner: Mutex::new(Inner { bots, game, events: Events::default(), history: History::default() }),
            entry,
            view: planes::view(entry.name, parameters),
            seed,
            parameters: parameters.iter().map(|(name, value)| (name, value.to_string())).collect(),
        }
    }

    /// Returns this game in another state.
    fn with(&self, inner: Inner) -> Game {
        let (entry, parameters, view) = (self.entry, self.parameters.clone(), self.view.clone());
        Game { inner: Mutex::new(inner), entry, parameters, view, ..*self }
    }

    /// Puts a bot of `HOUSE_BOTS` on a seat.
    fn seat_house_bot(&self, seat: usize, at: usize) {
        let Inner { game, history, bots, .. } = &mut *self.inner();
        bots[seat] = Some(Seated::new(Rival::House(at), game.seed(), seat));
        history.push(SEATED, Some(&[seat as i64, at as i64]));
    }

    /// Shows a position to all seats, if the game has a view.
    fn look(&self, inner: &Inner) -> Option<Looks> {
        self.view.as_ref()?.looks(inner.game.state()?)
    }

    fn canvas(&self, hidden: bool) -> Canvas {
        drawing::canvas(&*self.inner().game, self.entry.board.expect("all built-in games have one"), hidden)
    }

    fn seat(&self, seat: &Bound<'_, PyAny>) -> PyResult<Seat> {
        arguments::seat(seat, self.seats).map(Seat::new)
    }
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (game, *, seed = 0, **parameters))]
    fn new(
        #[pyo3(from_py_with = arguments::game)] game: String,
        #[pyo3(from_py_with = arguments::seed)] seed: u64,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Game> {
        let (entry, parameters) = self::parameters(&game, parameters)?;
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
    fn question(&self, seat: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
        let (seat, mut line, mut integers) = (self.seat(seat)?, Vec::new(), Vec::new());
        self.inner().game.question(seat, &mut line);
        wire::read_integers(line.trim_ascii_end(), &mut integers).expect("integers");
        integers.remove(0);
        Ok(integers)
    }

    /// The observations of all seats, their masks, as `look` makes them of questions, and the scores. A mask is an
    /// array, or a tuple of arrays if an answer has several numbers. None if the game has no such view.
    fn looks<'py>(&self, py: Python<'py>) -> PyResult<Option<Views<'py>>> {
        self.look(&self.inner()).map(|looks| views(py, looks)).transpose()
    }

    /// Plays a turn in which all seats act: an action for each agent, None for silence. `before` are the scores, or
    /// None if the rewards are shares. Returns what PettingZoo's `step` returns, and the scores. None, and nothing was
    /// done, if the game has no view, or an action is no integer or array of 64-bit integers in range.
    fn step<'py>(
        &self,
        py: Python<'py>,
        agents: Vec<Bound<'py, PyAny>>,
        actions: Vec<Bound<'py, PyAny>>,
        before: Option<Vec<i64>>,
    ) -> PyResult<Option<Turn<'py>>> {
        let Some(view) = &self.view else { return Ok(None) };
        let Some((integers, ends)) = read_actions(&**view, &actions) else { return Ok(None) };
        // Python's objects are made without the lock, in `told`: to make one can run any program.
        let played = {
            let mut inner = self.inner();
            if [agents.len(), ends.len(), inner.game.asked().len()] != [self.seats; 3] {
                return Ok(None);
            }
            let (mut faults, mut begin) = (Vec::with_capacity(self.seats), 0);
            for (seat, end) in Seat::first(self.seats).zip(ends) {
                faults.push(inner.take(seat, end.map(|end| &integers[begin..end])));
                begin = end.unwrap_or(begin);
            }
            inner.play();
            let looks = self.look(&inner).expect("a game with a view");
            PlayedTurn { faults, looks, ended: inner.ended() }
        };
        played.told(py, &agents, before.as_deref()).map(Some)
    }

    /// Takes the answer of an asked seat: its integers, or None for no answer in time. Returns the fault, if there is
    /// one. Raises ValueError if the seat is not asked in this turn.
    fn answer(
        &self,
        seat: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::integers_or_none)] integers: Option<Vec<i64>>,
    ) -> PyResult<Option<String>> {
        let seat = self.seat(seat)?;
        let mut inner = self.inner();
        if !inner.game.asked().contains(&seat) {
            return Err(PyValueError::new_err(format!(
                "seat {seat} is not asked in turn {}",
                inner.game.turn()
            )));
        }
        Ok(inner.take(seat, integers.as_deref()))
    }

    /// Puts a house bot on a seat, for `think`. What it draws follows from the seed of the game and the seat. Raises
    /// ValueError, with the names that there are, for an unknown one.
    fn seat_bot(
        &self,
        seat: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::bot)] name: String,
    ) -> PyResult<()> {
        let seat = self.seat(seat)?;
        let at = rivals::find(self.entry.name, &name).map_err(PyValueError::new_err)?;
        self.seat_house_bot(seat.index(), at);
        Ok(())
    }

    /// Has the house bot on an asked seat answer. Returns the fault, if there is one. Raises ValueError if the seat is
    /// not asked in this turn, or has no house bot.
    fn think(&self, py: Python<'_>, seat: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let seat = self.seat(seat)?;
        py.detach(|| {
            let Inner { game, history, bots, .. } = &mut *self.inner();
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
            seated.answer(&mut **game, seat, &mut integers);
            let fault = game.answer(seat, Ok(&integers));
            history.push(THOUGHT, Some(&[seat.index() as i64]));
            Ok(fault.map(|fault| fault.to_string()))
        })
    }

    /// Plays the turn. An asked seat without an answer counts as late. Raises ValueError if the game is over.
    fn play(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            let mut inner = self.inner();
            if inner.game.asked().is_empty() {
                return Err(PyValueError::new_err("the game is over"));
            }
            inner.play();
            Ok(())
        })
    }

    /// The events of the last turn: draws as (name, place, candidates, drawn), effects as (name, seat, values, []).
    #[getter]
    fn events(&self) -> Vec<TurnEvent> {
        let row = |event| match event {
            Event::Draw { name, at, candidates, drawn } => {
                (name, Some(at), candidates.to_vec(), drawn.to_vec())
            }
            Event::Effect { name, seat, values } => {
                (name, seat.map(|seat| seat.index() as i64), values.to_vec(), Vec::new())
            }
        };
        self.inner().events.iter().map(row).collect()
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
    fn outcome(&self) -> Option<Ended> {
        self.inner().ended()
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
    fn sample<'py>(
        &self,
        py: Python<'py>,
        seat: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::seed)] seed: u64,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (seat, mut integers) = (self.seat(seat)?, Vec::new());
        self.inner().game.sample(seat, &mut Dice::for_start(Seed(seed)), &mut integers);
        Ok(integers.into_pyarray(py))
    }

    /// Returns a copy that continues independently. With a seed, all further chance follows from that seed,
    /// and the seats are asked again.
    #[pyo3(signature = (seed = None))]
    fn branch(&self, #[pyo3(from_py_with = arguments::seed_or_none)] seed: Option<u64>) -> Game {
        let inner = self.inner();
        let (mut history, bots) = (inner.history.clone(), inner.copied_bots(seed.map(Seed)));
        let game = match seed {
            None => inner.game.copied(),
            Some(seed) => {
                history.push(BRANCHED, Some(&[seed as i64]));
                inner.game.copied_with_seed(Seed(seed)).expect("rules in Rust can do that")
            }
        };
        self.with(Inner { game, events: Events::default(), history, bots })
    }

    /// Returns how another process makes an equal game: by the same start and the same answers.
    fn __reduce__<'py>(slf: &Bound<'py, Game>) -> PyResult<(Bound<'py, PyAny>, Pickled)> {
        let (game, make) = (slf.get(), slf.get_type().getattr("restored")?);
        let parameters =
            game.parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let deeds = game.inner().history.deeds();
        Ok((make, (game.entry.name.to_owned(), game.seed, parameters, deeds)))
    }

    /// Makes a game from what was done in it. For pickle.
    #[staticmethod]
    fn restored(
        py: Python<'_>,
        name: &str,
        seed: u64,
        parameters: Vec<(String, String)>,
        done: Vec<Deed>,
    ) -> PyResult<Game> {
        let entry = catalog::find(name).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let mut set = Parameters::defaults(entry.parameters);
        for (name, value) in &parameters {
            set.set_text(name, value).map_err(|error| PyValueError::new_err(error.to_string()))?;
        }
        let mut made = Game::begin(entry, &set, seed);
        let number = |number: i64| PyInt::new(py, number).into_any();
        let wrong = || PyValueError::new_err("a pickled game that does not follow its own rules");
        for (what, integers) in done {
            made = match (what, integers) {
                (PLAYED, None) if !made.asked().is_empty() => {
                    made.inner().play();
                    continue;
                }
                (BRANCHED, Some(seed)) if seed.len() == 1 => made.branch(Some(seed[0] as u64)),
                (SEATED, Some(what)) if what.len() == 2 => {
                    rivals::is_house_bot(name, what[1] as usize).then_some(()).ok_or_else(wrong)?;
                    made.seat(&number(what[0])).map_err(|_| wrong())?;
                    made.seat_house_bot(what[0] as usize, what[1] as usize);
                    continue;
                }
                (THOUGHT, Some(seat)) if seat.len() == 1 => {
                    made.think(py, &number(seat[0])).map_err(|_| wrong())?;
                    continue;
                }
                (seat, integers) if seat >= 0 => {
                    made.answer(&number(seat), integers).map_err(|_| wrong())?;
                    continue;
                }
                _ => return Err(wrong()),
            };
        }
        Ok(made)
    }

    fn __copy__(&self) -> Game {
        let inner = self.inner();
        let (game, events, history) = (inner.game.copied(), inner.events.clone(), inner.history.clone());
        self.with(Inner { game, events, history, bots: inner.copied_bots(None) })
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
        let draw = self.entry.picture.expect("all built-in games have one");
        let (size, pixels) = drawing::pixels(&*self.inner().game, draw, hidden);
        pixels.into_pyarray(py).reshape(size)
    }
}

/// A turn in which all seats have acted.
struct PlayedTurn {
    /// By seat.
    faults: Vec<Option<String>>,
    looks: Looks,
    ended: Option<Ended>,
}

impl PlayedTurn {
    /// Tells the agents of the turn. `before` are the scores before it, or None if the rewards are shares.
    fn told<'py>(
        self,
        py: Python<'py>,
        agents: &[Bound<'py, PyAny>],
        before: Option<&[i64]>,
    ) -> PyResult<Turn<'py>> {
        let PlayedTurn { faults, looks, ended } = self;
        let is_cut = ended.as_ref().is_some_and(|(_, _, reason)| CUT.contains(reason));
        let is_over = ended.is_some() && !is_cut;
        let dicts: [Bound<'py, PyDict>; 5] = array::from_fn(|_| PyDict::new(py));
        let [observations, rewards, over, cut, infos] = &dicts;
        let (shown, masks, scores) = views(py, looks)?;
        for (seat, (((agent, shown), mask), fault)) in
            agents.iter().zip(shown).zip(masks).zip(faults).enumerate()
        {
            let info = PyDict::new(py);
            info.set_item(intern!(py, "action_mask"), mask)?;
            if let Some(fault) = fault {
                info.set_item(intern!(py, "fault"), fault)?;
            }
            let reward = match before.and_then(|before| before.get(seat)) {
                Some(before) => (scores[seat] - before) as f64,
                None => ended.as_ref().map_or(0.0, |(_, shares, _)| shares[seat]),
            };
            observations.set_item(agent, shown)?;
            rewards.set_item(agent, reward)?;
            over.set_item(agent, is_over)?;
            cut.set_item(agent, is_cut)?;
            infos.set_item(agent, info)?;
        }
        let [observations, rewards, over, cut, infos] = dicts;
        Ok(((observations, rewards, over, cut, infos), scores))
    }
}

/// Makes arrays of what all seats see: one for all, of which each seat gets its part.
fn views<'py>(py: Python<'py>, looks: Looks) -> PyResult<Views<'py>> {
    let wrong = |error: numpy::ndarray::ShapeError| PyRuntimeError::new_err(error.to_string());
    let (bytes, shape) = looks.observations;
    let shown = ArrayD::from_shape_vec(shape, bytes).map_err(wrong)?.into_pyarray(py);
    let (bits, [seats, width, choices]) = looks.masks;
    let masks = ArrayD::from_shape_vec(vec![seats * width, choices], bits).map_err(wrong)?.into_pyarray(py);
    let mut own = parts(&masks, seats * width)?;
    if width > 1 {
        let tuple = |rows| Ok(PyTuple::new(py, rows)?.into_any());
        own = own.chunks(width).map(tuple).collect::<PyResult<_>>()?;
    }
    Ok((parts(&shown, seats)?, own, looks.scores))
}

/// Returns the parts of an array along its first dimension. An iterator of numpy ends by an exception, which takes as
/// long as several parts.
fn parts<'py>(array: &Bound<'py, PyAny>, count: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
    (0..count).map(|at| array.get_item(at)).collect()
}

/// Returns the integers of all answers; and of each, where they end, or None for silence. None if one cannot be read.
fn read_actions(view: &dyn View, actions: &[Bound<'_, PyAny>]) -> Option<(Vec<i64>, Vec<Option<usize>>)> {
    let (width, choices) = view.action();
    let (mut integers, mut ends, mut numbers) = (Vec::new(), Vec::with_capacity(actions.len()), Vec::new());
    for action in actions {
        let is_given = !action.is_none();
        if is_given && !read_action(action, (width, choices), &mut numbers) {
            return None;
        }
        if is_given {
            view.write_integers(&numbers, &mut integers);
        }
        ends.push(is_given.then_some(integers.len()));
    }
    Some((integers, ends))
}

/// Reads the numbers of an action. Returns `false` if it is no integer or array of 64-bit integers, or out of range.
fn read_action(action: &Bound<'_, PyAny>, (width, choices): (usize, i32), numbers: &mut Vec<i32>) -> bool {
    numbers.clear();
    let push = |number: i64| {
        numbers.push(number as i32);
        (0..i64::from(choices)).contains(&number)
    };
    if width == 1 {
        return !action.is_instance_of::<PyBool>() && action.extract().is_ok_and(push);
    }
    let array = action.cast::<PyArray1<i64>>().ok().and_then(|array| array.to_vec().ok());
    array.is_some_and(|array| array.len() == width && array.into_iter().all(push))
}
