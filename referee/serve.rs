//! The program `referee-serve`, where it is installed with `referee`.

fn main() -> std::process::ExitCode {
    referee_serve::main()
}
