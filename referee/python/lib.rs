//! The native part of the Python package `referee`: games, many games at once, and recorded games as columns.
//!
//! Everything that is fast enough in Python is in the folder `referee` next to this file.

#![forbid(unsafe_code)]

mod arguments;
mod batch;
mod drawing;
mod history;
mod lone;
mod planes;
mod recorded;
mod rivals;
mod table;
mod vector;
mod workers;

use pyo3::prelude::*;

/// The module `referee._native`.
#[pymodule(name = "_native")]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<table::Game>()?;
    module.add_class::<vector::Vector>()?;
    module.add("CUT", batch::CUT)?;
    module.add("RecordError", module.py().get_type::<recorded::RecordError>())?;
    module.add_function(wrap_pyfunction!(recorded::record, module)?)?;
    module.add_function(wrap_pyfunction!(recorded::page, module)?)
}
