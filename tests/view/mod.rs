//! What people look at: stories, the terminal, pages, reports.

mod browser;
mod replay;
mod report;
mod story;
mod terminal;
