//! Arguments: an error names the argument and what is due.

use std::ops::RangeInclusive;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyString};

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

/// Reads the number of a seat of a game with this number of seats.
pub(crate) fn seat(value: &Bound<'_, PyAny>, seats: usize) -> PyResult<usize> {
    whole("seat", value, 0..=seats as u64 - 1).map(|seat| seat as usize)
}

/// Reads the name of a game.
pub(crate) fn game(value: &Bound<'_, PyAny>) -> PyResult<String> {
    text("game must be the name of a game", value)
}

/// Reads the name of a house bot.
pub(crate) fn bot(value: &Bound<'_, PyAny>) -> PyResult<String> {
    text("name must be the name of a house bot", value)
}

fn text(expected: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    value.extract().map_err(|_| PyTypeError::new_err(format!("{expected}, not {}", in_python(value))))
}

/// Reads the integers of an answer, or None.
pub(crate) fn integers_or_none(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<i64>>> {
    if value.is_none() {
        return Ok(None);
    }
    let expected = || format!("integers must be a list of whole numbers or None, not {}", in_python(value));
    let wrong = || PyTypeError::new_err(expected());
    // These can be iterated over, too, but they are no answers.
    if !value.hasattr("__getitem__")?
        || value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyDict>()
    {
        return Err(wrong());
    }
    let mut integers = Vec::new();
    for (at, each) in value.try_iter().map_err(|_| wrong())?.enumerate() {
        let each = each?;
        let is_truth = each.is_instance_of::<PyBool>();
        let number = each.call_method0("__index__").ok().filter(|_| !is_truth).ok_or_else(|| {
            PyTypeError::new_err(format!("integers[{at}] must be a whole number, not {}", in_python(&each)))
        })?;
        let number = number.extract().map_err(|_| {
            let range = format!("{} to {}", i64::MIN, i64::MAX);
            PyValueError::new_err(format!("integers[{at}] must be {range}, not {}", in_python(&number)))
        })?;
        integers.push(number);
    }
    Ok(Some(integers))
}

/// Reads a number of games.
pub(crate) fn n(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    whole("n", value, 1..=GAMES_MAX).map(|n| n as usize)
}

/// Reads a whole number, which can be one of numpy's.
fn whole(name: &str, value: &Bound<'_, PyAny>, range: RangeInclusive<u64>) -> PyResult<u64> {
    let (low, high) = (range.start(), range.end());
    let wrong = || PyTypeError::new_err(format!("{name} must be a whole number, not {}", in_python(value)));
    if value.is_instance_of::<PyBool>() {
        return Err(wrong());
    }
    let number = value.call_method0("__index__").map_err(|_| wrong())?;
    match number.extract::<u64>() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => {
            Err(PyValueError::new_err(format!("{name} must be {low} to {high}, not {}", in_python(&number))))
        }
    }
}

/// Returns how Python writes a value.
fn in_python(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "an object".to_owned(), |text| text.to_string())
}
