//! What people look at. All of it is made of records; it knows neither bots' programs nor the clock.

pub mod board;
pub mod canvas;
pub mod page;
mod panel;
pub mod scene;
pub mod screen;
pub mod story;
pub mod text;
