//! The program `referee-serve`, if it is installed together with `referee`.

fn main() -> std::process::ExitCode {
    referee_serve::main()
}
