//! A judge that makes a mistake on demand: `judge MISTAKE`.

fn main() {
    referee_testutil::judge::main();
}
