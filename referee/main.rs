//! The program `referee`. `cli` has its commands; `referee --help` lists them.

fn main() {
    referee::main(&[])
}
