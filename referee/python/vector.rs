//! Many games at once, for Python. Its arrays are written in place, without Python's global lock.

use std::sync::{Mutex, PoisonError};

use numpy::{PyReadonlyArrayDyn, PyReadwriteArrayDyn};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::batch::{Batch, Layout, Out};
use super::{planes, table};

/// Many games of one kind, stepped together.
#[pyclass(module = "referee", frozen)]
pub(crate) struct Vector {
    batch: Mutex<Box<dyn Batch>>,
    layout: Layout,
    count: usize,
}

/// The arrays of observations, masks, rewards and ends.
type Arrays<'py> = (
    PyReadwriteArrayDyn<'py, u8>,
    PyReadwriteArrayDyn<'py, u8>,
    PyReadwriteArrayDyn<'py, f32>,
    PyReadwriteArrayDyn<'py, bool>,
);

/// Maximum number of games.
const GAMES_MAX: i64 = 1 << 20;

#[pymethods]
impl Vector {
    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Vector {
        let batch = self.batch.lock().unwrap_or_else(PoisonError::into_inner).copied();
        Vector { batch: Mutex::new(batch), ..*self }
    }

    #[new]
    #[pyo3(signature = (game, n, **parameters))]
    fn new(game: &str, n: i64, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Vector> {
        if !(1..=GAMES_MAX).contains(&n) {
            return Err(PyValueError::new_err(format!("n must be 1 to {GAMES_MAX}, not {n}")));
        }
        let n = n as usize;
        let (_, parameters) = table::parameters(game, parameters)?;
        let batch = planes::batch(game, &parameters, n)
            .ok_or_else(|| PyValueError::new_err(format!("{game}: its seats take turns; use aec_env")))?;
        Ok(Vector { layout: batch.layout(), batch: Mutex::new(batch), count: n })
    }

    /// The numbers of seats, of numbers in an answer, of values of each; the shape of a game's bytes; bytes of a mask.
    #[getter]
    fn layout(&self) -> (usize, usize, i32, Vec<usize>, usize) {
        let Layout { seats, width, choices, shape, mask } = self.layout;
        (seats, width, choices, shape.to_vec(), mask)
    }

    /// Restarts all games.
    fn reset(&self, py: Python<'_>, seed: u64, mut arrays: Arrays<'_>) -> PyResult<()> {
        let out = self.out(&mut arrays)?;
        py.detach(|| self.batch.lock().unwrap_or_else(PoisonError::into_inner).reset(seed, out));
        Ok(())
    }

    /// Plays a turn of each game.
    fn step(
        &self,
        py: Python<'_>,
        actions: PyReadonlyArrayDyn<'_, i32>,
        by_share: bool,
        threads: usize,
        mut arrays: Arrays<'_>,
    ) -> PyResult<()> {
        let actions = actions.as_slice().map_err(|error| PyValueError::new_err(error.to_string()))?;
        self.check(actions)?;
        let out = self.out(&mut arrays)?;
        py.detach(|| {
            let mut batch = self.batch.lock().unwrap_or_else(PoisonError::into_inner);
            batch.step(actions, by_share, threads, out);
        });
        Ok(())
    }
}

impl Vector {
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
        let at = actions.iter().position(is_bad).expect("a bad number");
        let (number, player) = (actions[at], at % width);
        let (game, seat) = (at / width / seats, at / width % seats);
        let which = if width > 1 { format!(", number {player}") } else { String::new() };
        let what =
            format!("game {game}, seat_{seat}{which}: an action is 0 to {}, not {number}", choices - 1);
        Err(PyValueError::new_err(what))
    }

    fn out<'a>(&self, (shown, masks, rewards, ended): &'a mut Arrays<'_>) -> PyResult<Out<'a>> {
        let wrong = |error: numpy::AsSliceError| PyRuntimeError::new_err(error.to_string());
        let out = Out {
            shown: shown.as_slice_mut().map_err(wrong)?,
            masks: masks.as_slice_mut().map_err(wrong)?,
            rewards: rewards.as_slice_mut().map_err(wrong)?,
            ended: ended.as_slice_mut().map_err(wrong)?,
        };
        let Layout { seats, shape, mask, .. } = self.layout;
        let due = [shape.iter().product(), seats * mask, seats, 1].map(|each: usize| each * self.count);
        if [out.shown.len(), out.masks.len(), out.rewards.len(), out.ended.len()] != due {
            return Err(PyRuntimeError::new_err("the arrays do not have the size that the games need"));
        }
        Ok(out)
    }
}
