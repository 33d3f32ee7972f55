//! The runner: plays games side by side, each until it counts or is given up. What is played next, and where it is written down,
//! is for a hill or a tournament to say.

pub mod fitness;
pub mod game_run;
pub mod pool;
pub mod tries;
pub mod watch;
