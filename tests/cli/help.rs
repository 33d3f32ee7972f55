//! The short help of every command fits a terminal of 80 columns and 24 lines.

use crate::called::Calls;
use crate::support::Place;

/// Lists the commands below these words, as the help does.
fn below(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names =
        lines.take_while(|line| line.starts_with(' ')).filter_map(|line| line.split_whitespace().next());
    // The help of `serve` is another program's, which need not be installed.
    names.filter(|name| !["help", "serve"].contains(name)).map(str::to_owned).collect()
}

fn look(place: &Place, words: &[&str], seen: &mut usize) {
    let words_of_help = words.iter().chain(&["-h"]).map(Into::into).collect();
    let help = place.call_with(80, words_of_help).out;
    // A usage is never broken.
    let others = help.lines().filter(|line| !line.starts_with("Usage: "));
    let (lines, columns) = (help.lines().count(), others.map(|line| line.chars().count()).max());
    assert!(lines <= 24 && columns <= Some(80), "{words:?}: {lines} lines, {columns:?} columns\n{help}");
    *seen += 1;
    for name in below(&help) {
        let folder: &[&str] = if words == ["hill", "new"] { &["DIR"] } else { &[] };
        look(place, &[words, folder, &[&*name]].concat(), seen);
    }
}

#[test]
fn the_short_help_of_each_command_fits_a_small_terminal() {
    let (place, mut seen) = (Place::new(), 0);
    look(&place, &[], &mut seen);
    ["bot", "completions", "export", "man"].iter().for_each(|hidden| look(&place, &[hidden], &mut seen));
    assert!(seen > 45, "{seen} commands");
}

#[test]
fn a_long_text_is_cut_to_its_first_clause_and_keeps_its_default() {
    let place = Place::new();
    let help = |option: &str| place.call_with(160, ["play", "football", option].map(Into::into).to_vec()).out;
    let full = help("--help");
    assert!(full.contains("Confinement of bots: strict (namespaces), landlock"), "{full}");
    let short = help("-h");
    assert!(short.contains("Confinement of bots [default: auto, or the setting in hill.toml]"), "{short}");
    assert!(
        short.contains("Output format; csv and json contain all columns [default: table]"),
        "not long: {short}"
    );
}

#[test]
fn who_names_no_command_gets_help_and_nothing_is_made() {
    let place = Place::new();
    let before = place.files();
    let told = place.call(&[]).with_status(0).out;
    assert!(told.contains("Usage: referee") && told.contains("demo"), "{told}");
    assert_eq!(place.files(), before);
}

/// The demonstration always prints what README shows: its seed is fixed.
#[test]
#[ignore = "slow: plays the demonstration"]
fn the_demonstration_prints_what_the_readme_shows() {
    let place = Place::new();
    let told = place.referee(&["demo", "here"]).with_status(0).out;
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("README.md");
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let told = squeezed(&told);
    for line in shown.lines().filter(|line| !line.contains("...")) {
        assert!(told.contains(&squeezed(line)), "{line}\n{told}");
    }
    assert!(!told.contains("SHA-256"), "for house bots, it would be the digest of this program: {told}");
    assert!(place.path("here/report/index.html").exists());
    assert!(!place.path("demo-hill").exists());
}
