//! Whole numbers as arguments: an error names the argument and its range.

use std::ops::RangeInclusive;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// Maximum number of games that are stepped together.
const GAMES_MAX: u64 = 1 << 20;

/// Reads a random seed.
pub(crate) fn seed(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole("seed", value, 0..=u64::MAX)
}

/// Reads a random seed, or None.
pub(crate) fn seed_or_none(value: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    if value.is_none() { Ok(None) } else { seed(value).map(Some) }
}

/// Reads the number of a seat. The caller compares it with the number of seats.
pub(crate) fn seat(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    whole("seat", value, 0..=u64::from(u32::MAX)).map(|seat| seat as usize)
}

/// Reads a number of games.
pub(crate) fn n(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    whole("n", value, 1..=GAMES_MAX).map(|n| n as usize)
}

/// Reads a whole number, which can be one of numpy's.
fn whole(name: &str, value: &Bound<'_, PyAny>, range: RangeInclusive<u64>) -> PyResult<u64> {
    let (low, high) = (range.start(), range.end());
    let wrong = || PyTypeError::new_err(format!("{name} must be a whole number, not {}", shown(value)));
    if value.is_instance_of::<PyBool>() {
        return Err(wrong());
    }
    let number = value.call_method0("__index__").map_err(|_| wrong())?;
    match number.extract::<u64>() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(PyValueError::new_err(format!("{name} must be {low} to {high}, not {}", shown(&number)))),
    }
}

/// Returns how Python writes a value.
fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "an object".to_owned(), |text| text.to_string())
}
