//! The program `referee`. Its commands are in `cli`; `referee --help` lists them.

fn main() {
    referee::main(&[])
}
