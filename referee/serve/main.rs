//! The program `referee-serve`, which `referee serve` executes in its own process.

fn main() -> std::process::ExitCode {
    referee_serve::main()
}
