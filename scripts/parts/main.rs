//! Measures the parts of a turn without any process: rules, questions, wire, record, audit. Each line shows the turns a
//! second in whole games of random legal answers. `scripts/bench parts [NAME]`

mod script;

use divan::Bencher;
use divan::counter::ItemsCount;

use script::{PARTS, SETTINGS, Script, Setting};

fn main() {
    divan::main();
}

#[divan::bench(args = SETTINGS)]
fn rules(bencher: Bencher<'_, '_>, setting: Setting) {
    measure(bencher, setting, "rules");
}

#[divan::bench(args = SETTINGS)]
fn rules_and_questions(bencher: Bencher<'_, '_>, setting: Setting) {
    measure(bencher, setting, "rules_and_questions");
}

#[divan::bench(args = SETTINGS)]
fn collector(bencher: Bencher<'_, '_>, setting: Setting) {
    measure(bencher, setting, "collector");
}

#[divan::bench(args = SETTINGS)]
fn record(bencher: Bencher<'_, '_>, setting: Setting) {
    measure(bencher, setting, "record");
}

#[divan::bench(args = SETTINGS)]
fn audit(bencher: Bencher<'_, '_>, setting: Setting) {
    measure(bencher, setting, "audit");
}

fn measure(bencher: Bencher<'_, '_>, setting: Setting, name: &str) {
    let script = Script::new(setting);
    let (_, part) = PARTS.iter().find(|(part, _)| *part == name).expect("a part");
    bencher.counter(ItemsCount::new(script.turns.len())).bench_local(part(&script));
}
