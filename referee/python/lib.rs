//! The native part of the Python package `referee`: games, many games at once, and recorded games as columns.
//!
//! Everything that Python can write as quickly is in the folder `referee` beside this file.

#![forbid(unsafe_code)]

mod batch;
mod drawing;
mod planes;
mod recorded;
mod table;
mod vector;

use pyo3::prelude::*;

/// The module `referee._native`.
#[pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    use super::recorded::{RecordError, page, record};
    #[pymodule_export]
    use super::table::Game;
    #[pymodule_export]
    use super::vector::Vector;
}
