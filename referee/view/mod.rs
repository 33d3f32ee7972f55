//! What people look at. All of it is made of records; it knows neither bots' programs nor the clock.

pub mod page;
pub mod story;
pub mod text;
