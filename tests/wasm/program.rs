//! The program `referee`, with the engines of this build.

fn main() {
    referee::main(&[])
}
