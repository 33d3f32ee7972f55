//! The program `referee`. `referee --help` says what it does; `cli` is where it is done.

fn main() {
    referee::main(&[])
}
