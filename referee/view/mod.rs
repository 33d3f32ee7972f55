//! Views: everything that people look at. It is made of records and can always be made again. It knows neither bots'
//! programs nor the clock.

pub mod board;
pub mod canvas;
pub mod decisive;
pub mod gif;
pub mod page;
mod panel;
pub mod report;
pub mod scene;
pub mod screen;
pub mod sheet;
pub mod story;
pub mod tables;
mod written;
