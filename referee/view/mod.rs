//! What people look at. All of it is made of records: delete it, and it comes back the same. It knows neither bots' programs nor
//! the clock.

pub mod board;
pub mod canvas;
pub mod page;
mod panel;
pub mod report;
pub mod scene;
pub mod screen;
pub mod sheet;
pub mod story;
pub mod tables;
