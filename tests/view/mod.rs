//! Views for people: stories, the terminal, pages, reports.

mod boards;
mod browser;
mod decisive;
mod gif;
mod page;
pub(crate) mod replay;
mod report;
mod sentence;
mod story;
mod terminal;
mod written;
