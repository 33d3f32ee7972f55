//! Many games at once, for Python. Its arrays are written in place, without Python's global lock.

use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{PyReadonlyArrayDyn, PyReadwriteArrayDyn};
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use referee_rules::Seed;

use super::batch::{Autoreset, Batch, Layout, Out, StepOptions};
use super::rivals::{self, Rival};
use super::{arguments, planes, table};

/// Many games of one kind, stepped together.
#[pyclass(module = "referee", frozen)]
pub(crate) struct Vector {
    batch: Mutex<Box<dyn Batch>>,
    layout: Layout,
    count: usize,
}

/// The arrays of observations, masks, rewards, ends, ends by a limit, and last observations.
type Arrays<'py> = (
    PyReadwriteArrayDyn<'py, u8>,
    PyReadwriteArrayDyn<'py, u8>,
    PyReadwriteArrayDyn<'py, f32>,
    PyReadwriteArrayDyn<'py, bool>,
    PyReadwriteArrayDyn<'py, bool>,
    PyReadwriteArrayDyn<'py, u8>,
);

#[pymethods]
impl Vector {
    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Vector {
        let batch = self.batch().copied();
        Vector { batch: Mutex::new(batch), ..*self }
    }

    /// `rivals` are the names of house bots for the seats other than `seat`, in order; None is random legal answers.
    #[new]
    #[pyo3(signature = (game, n, seat = None, rivals = None, **parameters))]
    fn new(
        game: &str,
        #[pyo3(from_py_with = arguments::n)] n: usize,
        seat: Option<usize>,
        rivals: Option<Vec<String>>,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vector> {
        let (entry, parameters) = table::parameters(game, parameters)?;
        let seats = entry.start(&parameters, Seed(0)).info().seats;
        let rivals = seat.map(|own| {
            if own >= seats {
                return Err(format!("seat must be 0 to {}, not {own}", seats - 1));
            }
            let mut names = rivals.into_iter().flatten();
            let rival = |seat| {
                let named = |name: String| rivals::find(entry.name, &name).map(Rival::House);
                (seat != own).then(|| names.next().map_or(Ok(Rival::Random), named)).transpose()
            };
            (0..seats).map(rival).collect::<Result<Vec<_>, _>>()
        });
        let rivals = rivals.transpose().map_err(PyValueError::new_err)?;
        let batch = planes::batch(game, &parameters, n, rivals.as_deref())
            .ok_or_else(|| PyValueError::new_err(format!("{game}: its seats take turns; use aec_env")))?
            .map_err(|error| PyMemoryError::new_err(format!("n: no memory for {n} games: {error}")))?;
        Ok(Vector { layout: batch.layout(), batch: Mutex::new(batch), count: n })
    }

    /// The numbers of seats, of numbers in an answer, of values of each; the shape of a game's bytes; bytes of a mask.
    #[getter]
    fn layout(&self) -> (usize, usize, i32, Vec<usize>, usize) {
        let Layout { seats, width, choices, shape, mask } = self.layout;
        (seats, width, choices, shape.to_vec(), mask)
    }

    /// Restarts the games for which `which` is true; all, if it is None. `seeds` has one for each game.
    fn reset(
        &self,
        py: Python<'_>,
        seeds: Option<PyReadonlyArrayDyn<'_, u64>>,
        which: Option<PyReadonlyArrayDyn<'_, bool>>,
        mut arrays: Arrays<'_>,
    ) -> PyResult<()> {
        let which = which.as_ref().map(|which| which.as_slice()).transpose();
        let which = which.map_err(|error| PyValueError::new_err(error.to_string()))?;
        if which.is_some_and(|which| which.len() != self.count) {
            return Err(PyValueError::new_err(format!(
                "reset_mask: one value for each of {} games",
                self.count
            )));
        }
        let seeds = seeds.as_ref().map(|seeds| seeds.as_slice()).transpose();
        let seeds = seeds.map_err(|error| PyValueError::new_err(error.to_string()))?;
        if seeds.is_some_and(|seeds| seeds.len() != self.count) {
            return Err(PyValueError::new_err(format!("seed: one for each of {} games", self.count)));
        }
        let out = self.out(&mut arrays)?;
        py.detach(|| self.batch().reset(seeds, which, out));
        Ok(())
    }

    /// Plays a turn of each game. Returns whether a game has ended. Raises IndexError with the place of the first
    /// number that is out of range.
    fn step(
        &self,
        py: Python<'_>,
        actions: PyReadonlyArrayDyn<'_, i32>,
        by_share: bool,
        threads: usize,
        autoreset: &str,
        mut arrays: Arrays<'_>,
    ) -> PyResult<bool> {
        let autoreset = match autoreset {
            "NextStep" => Autoreset::NextStep,
            "SameStep" => Autoreset::SameStep,
            _ => Autoreset::Disabled,
        };
        let actions = actions.as_slice().map_err(|error| PyValueError::new_err(error.to_string()))?;
        self.check(actions)?;
        let how = StepOptions { by_share, threads, autoreset };
        if autoreset == Autoreset::SameStep && arrays.5.as_slice().is_ok_and(<[u8]>::is_empty) {
            return Err(PyRuntimeError::new_err("the arrays have no room for the last observations"));
        }
        let mut out = self.out(&mut arrays)?;
        py.detach(|| {
            let mut batch = self.batch();
            if autoreset == Autoreset::Disabled
                && let Some(game) = batch.first_over()
            {
                return Err(game);
            }
            batch.step(actions, how, out.reborrow());
            Ok(out.ended.contains(&true) || out.cut.contains(&true))
        })
        .map_err(|game| {
            PyValueError::new_err(format!(
                "game {game} has ended: restart it by reset(options={{\"reset_mask\": ...}}), or use another autoreset_mode"
            ))
        })
    }

    /// Returns all games as integers.
    fn kept(&self, py: Python<'_>) -> Vec<Vec<i64>> {
        py.detach(|| self.batch().saved())
    }

    /// Continues with the games that `kept` has returned.
    fn restore(&self, py: Python<'_>, kept: Vec<Vec<i64>>, threads: usize) -> PyResult<()> {
        let wrong = || PyValueError::new_err("a pickled vector whose games do not follow their own rules");
        if py.detach(|| self.batch().restore(&kept, threads)) { Ok(()) } else { Err(wrong()) }
    }
}

impl Vector {
    fn batch(&self) -> MutexGuard<'_, Box<dyn Batch>> {
        self.batch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks the number of values, and the range of each.
    fn check(&self, actions: &[i32]) -> PyResult<()> {
        let Layout { seats, width, choices, .. } = self.layout;
        if actions.len() != self.count * seats * width {
            return Err(PyValueError::new_err("actions: the array has the wrong number of values"));
        }
        // One comparison for both bounds: a negative number is a large one without its sign.
        let is_bad = |number: &i32| *number as u32 >= choices as u32;
        // It is faster without an early end.
        if !actions.iter().fold(false, |found, number| found | is_bad(number)) {
            return Ok(());
        }
        Err(PyIndexError::new_err(actions.iter().position(is_bad).expect("a bad number")))
    }

    fn out<'a>(&self, (shown, masks, rewards, ended, cut, last): &'a mut Arrays<'_>) -> PyResult<Out<'a>> {
        let wrong = |error: numpy::AsSliceError| PyRuntimeError::new_err(error.to_string());
        let out = Out {
            shown: shown.as_slice_mut().map_err(wrong)?,
            masks: masks.as_slice_mut().map_err(wrong)?,
            rewards: rewards.as_slice_mut().map_err(wrong)?,
            ended: ended.as_slice_mut().map_err(wrong)?,
            cut: cut.as_slice_mut().map_err(wrong)?,
            last: last.as_slice_mut().map_err(wrong)?,
        };
        let Layout { seats, shape, mask, .. } = self.layout;
        let expected =
            [shape.iter().product(), seats * mask, seats, 1, 1].map(|each: usize| each * self.count);
        let found = [out.shown.len(), out.masks.len(), out.rewards.len(), out.ended.len(), out.cut.len()];
        if found != expected || ![0, expected[0]].contains(&out.last.len()) {
            return Err(PyRuntimeError::new_err("the arrays do not have the size that the games need"));
        }
        Ok(out)
    }
}
