//! Tournaments with bots in WebAssembly: the bots in the folder repeat the games.

use std::fs;
use std::path::Path;

use referee_contest::audit;
use referee_contest::audit::bots::{AuditedBots, audit_tournament_bots};
use referee_contest::batch::shard::{self, Ended, Shard, ShardOptions};
use referee_contest::bot::NewBot;
use referee_contest::file;
use referee_contest::plan::{self, Plan};
use referee_rules::Seed;
use referee_table::process::Setup;
use tempfile::TempDir;

use super::hill::{bots, setup};

const FILE: &str = r#"
name = "guests"
game = "football"
seed = "5"
batch = 2
[parameters]
p = 2
max_turns = 90
turn_ms = 2
first_ms = 20
[format]
kind = "rounds"
rounds = 4
"#;

fn planned(folder: &Path) -> Plan {
    let (mut text, mut found) = (FILE.to_owned(), Vec::new());
    for (name, bytes) in bots() {
        let file = folder.join(format!("{name}.wasm"));
        fs::write(&file, bytes).expect("the file is written");
        let source = format!("{name}.wasm");
        text += &format!("[[entrant]]\nname = \"{name}\"\nprogram = \"{source}\"\n");
        let (arguments, author) = (Vec::new(), String::new());
        found.push(NewBot {
            name: name.to_owned(),
            file,
            arguments,
            allow_fork: false,
            source,
            author,
            built: None,
        });
    }
    let tournament = file::parse(&folder.join("guests.toml"), &text).expect("a tournament");
    plan::first(&folder.join("T"), &tournament, &found, Seed(1)).expect("a plan")
}

fn play(plan: &Plan, setup: &Setup) {
    let open = Shard::WHOLE.open(plan).expect("batches");
    let ended = shard::play(plan, &open, (setup, &ShardOptions::default()), 2, |_| {});
    assert_eq!(ended.expect("games"), Ended::Complete);
}

#[test]
fn the_bots_that_a_tournament_keeps_repeat_its_games() {
    let place = TempDir::new().expect("a folder");
    let plan = planned(place.path());
    let repeated = || audit_tournament_bots(&plan.root, &setup()).expect("the bots repeat it");
    assert_eq!(repeated(), AuditedBots::default(), "nothing was played yet");
    play(&plan, &setup());
    let found = repeated();
    let due =
        AuditedBots { games: plan.contents.games.into(), answers: found.answers, ..AuditedBots::default() };
    assert_eq!(found, due, "all of it");
    assert!(found.answers > 1000, "{found:?}");
}

#[test]
fn a_tournament_played_with_another_program_is_found() {
    let place = TempDir::new().expect("a folder");
    let plan = planned(place.path());
    let mut forged = plan::open(&plan.root).expect("the plan");
    let [still, wander] = ["still", "wander"]
        .map(|name| plan.entrants.iter().position(|bot| bot.name.name == name).expect("a bot"));
    forged.entrants[still].program = plan.entrants[wander].program.clone();
    play(&forged, &setup());
    audit::audit(&plan.root, 2).expect("a plain audit believes the answers");
    let found = audit_tournament_bots(&plan.root, &setup()).expect_err("another program").to_string();
    for part in
        ["/T/", "turn ", ", still version 1: the record says ok `", "; the bot itself says ok `4 4` after "]
    {
        assert!(found.contains(part), "{part} in {found}");
    }
    // A program that was put in its place does not help.
    fs::remove_file(&plan.entrants[still].program.file).expect("the program");
    fs::copy(&plan.entrants[wander].program.file, &plan.entrants[still].program.file).expect("a copy");
    let found = audit_tournament_bots(&plan.root, &setup()).expect_err("another file").to_string();
    assert!(found.contains("not the program that was planned for still"), "{found}");
}
