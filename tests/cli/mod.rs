//! Commands: their options, refusals and messages.

mod action;
mod bad_input;
mod compare;
mod completions;
mod docs;
mod doctor;
mod error_table;
pub(crate) mod export;
mod help;
mod new_bot;
mod output;
mod play_options;
mod progress;
mod ranges;
mod rerun;
mod sheets;
mod verbs;
mod words;
