//! The results of hills and tournaments, as tables and pages.
//!
//! [`tables`] makes tables of them, for terminals, CSV, JSON and pages. `pages` writes a folder of pages, a report.

#![forbid(unsafe_code)]

#[cfg(feature = "pages")]
pub mod pages;
pub mod tables;
