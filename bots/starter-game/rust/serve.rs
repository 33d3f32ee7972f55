//! The web server of the referee with one more game.

#[allow(dead_code)]
#[path = "main.rs"]
mod program;

fn main() -> std::process::ExitCode {
    referee_serve::run(&[program::GAME])
}
