//! Every command of the book and of `README.md` runs, and prints what is shown.
//!
//! The commands of a page run one block after the other in a folder of the page's own, as a reader would type
//! them. The words after a fence decide what happens with the block. A block of an unknown kind fails, so
//! every example is run:
//!
//! - `sh`: commands. `status=3` behind it is the exit status of the last one.
//! - `sh by-hand`: commands of other programs, which a test cannot run. None is `referee`.
//! - `sh with-wasm`: commands of a referee that runs modules of WebAssembly. The tests build none.
//! - `sh served`: commands that need `referee-serve`; `tests/serve/guide.rs` runs them, and compares what they print.
//! - `sh packaged`: commands that need the Python package; `tests/python/test_guide.py` runs them.
//! - `output`: the output of the previous block. `...` stands for anything.
//! - `toml FILE`, `python FILE`: a file of the reader's. Without a name: part of a file.
//! - `text`: not a command.
//! - the name of a game, on its page: an example that `protocol` plays.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use referee_contest::file;

use crate::called::Calls;
use crate::support::{Place, files_below};

use super::document::{Block, Document, project};
use super::shell;

/// Returns all pages of the book, from the project's folder.
pub(super) fn pages() -> Vec<String> {
    let relative = |path: &Path| path.strip_prefix(project("")).expect("a page").display().to_string();
    files_below(&project("docs"), "md").iter().map(|path| relative(path)).collect()
}

/// Runs all pages whose paths begin with this text.
fn run_pages(path: &str) {
    let pages: Vec<String> = pages().into_iter().filter(|page| page.starts_with(path)).collect();
    assert!(!pages.is_empty(), "no page {path}");
    pages.iter().for_each(|page| run_page(&Document::read(page)));
}

/// Runs the commands of a page.
fn run_page(page: &Document) {
    let place = Place::new();
    let mut folder = place.path("");
    let mut printed = Some(String::new());
    for block in &page.blocks {
        let at = format!("{}, line {}", page.path, block.line);
        let words: Vec<&str> = block.words.iter().map(String::as_str).collect();
        match (block.kind.as_str(), &words[..]) {
            ("sh", ["served" | "packaged"]) => printed = None,
            // This referee has no engine for modules.
            ("sh", ["with-wasm"]) => {}
            ("sh", ["by-hand"]) => assert!(!names_referee(block), "{at}: referee can be run by a test"),
            ("sh", words) => {
                let status = words.first().map_or(Some(0), |word| word.strip_prefix("status=")?.parse().ok());
                let commands = format!("{}\npwd >'{}'", block.text, place.path("tmp/folder").display());
                let ran = shell::run(&folder, &commands);
                assert_eq!(ran.status, status, "{at}:\n{}{}{}", block.text, ran.out, ran.err);
                if ran.status == Some(0) {
                    let now = fs::read_to_string(place.path("tmp/folder")).expect("a folder");
                    folder = now.trim_end().into();
                }
                printed = Some(ran.out);
            }
            ("output", []) => {
                println!("{at}");
                printed.iter().for_each(|printed| shell::compare(block, printed));
            }
            ("toml" | "python", [file]) => {
                fs::write(folder.join(file), &block.text).expect("a file");
                fs::set_permissions(folder.join(file), fs::Permissions::from_mode(0o755)).expect("a file");
            }
            ("toml", []) | ("nginx" | "caddy", ["by-hand"]) => {}
            ("text", []) => assert!(!names_referee(block), "{at}: referee can be run by a test"),
            (game, _) => {
                assert_eq!(page.path, format!("docs/games/{game}.md"), "{at}: no test runs {game:?}");
            }
        }
    }
    place.assert_no_process_stays();
}

#[test]
fn each_block_of_the_readme_works_alone_in_an_empty_folder() {
    let readme = Document::read("README.md");
    let blocks = readme.blocks_of("sh").into_iter().filter(|block| block.words != ["by-hand"]);
    let mut ran = 0;
    for block in blocks {
        let place = Place::new();
        let pasted = shell::run(&place.path(""), &block.text);
        assert_eq!(pasted.status, Some(0), "line {}: {}{}", block.line, pasted.out, pasted.err);
        place.assert_no_process_stays();
        ran += 1;
    }
    assert!(ran >= 3, "{ran}");
}

fn names_referee(block: &Block) -> bool {
    block.text.lines().any(|line| line.trim_start().starts_with("referee "))
}

/// Tests that run pages, each those below a folder, or one page.
macro_rules! runs {
    ($($test:ident: $pages:literal,)*) => {
        /// The pages that the tests run: the beginnings of paths.
        const RUN: &[&str] = &[$($pages),*];

        $(#[test]
        fn $test() {
            run_pages($pages);
        })*
    };
}

runs! {
    the_tutorial_about_a_first_bot_runs: "docs/tutorials/first-bot.md",
    the_tutorial_about_a_first_contest_runs: "docs/tutorials/first-contest.md",
    the_tutorial_about_checking_a_contest_runs: "docs/tutorials/check-a-contest.md",
    the_guide_to_agents_runs: "docs/guides/agents.md",
    the_guide_to_classes_runs: "docs/guides/class.md",
    the_guide_to_ci_runs: "docs/guides/ci.md",
    the_guide_to_clusters_runs: "docs/guides/cluster.md",
    the_guide_to_comparing_versions_runs: "docs/guides/compare-versions.md",
    the_guide_to_cups_runs: "docs/guides/cup.md",
    the_guide_to_debugging_runs: "docs/guides/debug-a-bot.md",
    the_guide_to_deployment_runs: "docs/guides/deploy.md",
    the_guide_to_disputes_runs: "docs/guides/disputes.md",
    the_guide_to_hills_runs: "docs/guides/hill.md",
    the_guide_to_machines_runs: "docs/guides/machine.md",
    the_guide_to_one_file_runs: "docs/guides/one-file.md",
    the_guide_to_other_systems_runs: "docs/guides/other-systems.md",
    the_guide_to_own_games_runs: "docs/guides/own-game.md",
    the_guide_to_publishing_runs: "docs/guides/publish.md",
    the_guide_to_python_runs: "docs/guides/python.md",
    the_guide_to_repairs_runs: "docs/guides/repair.md",
    the_guide_to_simulators_runs: "docs/guides/simulator.md",
    the_guide_to_sources_runs: "docs/guides/sources.md",
    the_guide_to_strangers_runs: "docs/guides/strangers.md",
    the_guide_to_training_runs: "docs/guides/train.md",
    the_guide_to_wasm_runs: "docs/guides/wasm.md",
    the_guide_to_hills_on_the_web_runs: "docs/guides/web.md",
    the_page_of_records_runs: "docs/records.md",
    the_pages_of_games_run: "docs/games/",
    the_reference_runs: "docs/reference/",
    the_explanations_run: "docs/explanation/",
    the_appendices_run: "docs/appendix/",
}

#[test]
fn the_front_page_runs() {
    run_page(&Document::read("README.md"));
}

#[test]
fn every_page_is_run_by_one_test() {
    for page in pages().iter().filter(|page| *page != "docs/SUMMARY.md") {
        let tests: Vec<&&str> = RUN.iter().filter(|pages| page.starts_with(**pages)).collect();
        assert_eq!(tests.len(), 1, "{page} is run by the tests of {tests:?}: `runs!` lists them");
    }
}

#[test]
fn a_command_is_a_block_and_not_a_line_that_is_indented() {
    for page in pages().into_iter().chain(["README.md".to_owned()]) {
        let indented = |line: &&str| line.starts_with("    ") && line.trim_start().starts_with("referee ");
        let prose = Document::read(&page).prose;
        assert_eq!(prose.lines().find(indented), None, "{page}: no test runs it");
    }
}

#[test]
fn the_summary_lists_every_page_once() {
    let summary = fs::read_to_string(project("docs/SUMMARY.md")).expect("a summary");
    let links = summary.split("](").skip(1).map(|rest| rest.split(')').next().expect("a link"));
    let mut listed: Vec<String> = links.map(|link| format!("docs/{link}")).collect();
    let count = listed.len();
    listed.push("docs/SUMMARY.md".to_owned());
    listed.sort();
    assert_eq!(listed, pages(), "{count} links");
}

#[test]
fn the_file_of_a_tournament_is_the_one_that_help_shows() {
    let path = project("docs/reference/tournament-files.md");
    let text = fs::read_to_string(&path).expect("a page");
    let start = text.find("```toml\n").expect("a file") + "```toml\n".len();
    let end = start + text[start..].find("```").expect("its end");
    let due = format!("{}{}{}", &text[..start], file::example(), &text[end..]);
    if std::env::var_os("REFEREE_WRITE_DOCS").is_some() {
        fs::write(&path, &due).expect("the page");
    }
    assert_eq!(text, due, "REFEREE_WRITE_DOCS=1 writes it anew");
}

/// Returns the help of a command and of all below it.
pub(super) fn help_of(words: &[&str]) -> String {
    // The help of another program, which need not be installed.
    if words == ["serve"] {
        return String::new();
    }
    let help = Place::new().call(&[words, &["--help"]].concat()).with_status(0).out;
    let mut page = help.clone();
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| line.starts_with(' ')).filter(|line| !line.starts_with("     "));
    for below in names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        let words: Vec<&str> = match words {
            ["hill", "new"] => vec!["hill", "new", "DIR", below],
            words => [words, &[below]].concat(),
        };
        page += &help_of(&words);
    }
    // The list of commands leaves it out, so that the short help fits a small terminal.
    if words.is_empty() {
        page += &help_of(&["export"]);
    }
    page
}
