//! What people look at, made from records alone: delete it, and it comes back the same.

pub mod report;
pub mod sheet;
pub mod tables;
