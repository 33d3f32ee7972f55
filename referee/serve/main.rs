//! The program `referee-serve`. `referee serve` replaces itself by it.

fn main() -> std::process::ExitCode {
    referee_serve::main()
}
