//! Tournaments of every format. Their runner is killed again and again.

use std::fs;
use std::thread;

use crate::called::Calls;
use crate::support::{FAULTY, Place, comes_true, copy_folder, football, what_stays};

use super::{ended, guests, listed, plan, plan_by_call, runner, said};

/// Every format, as short as possible: four bots that always do the same, games of two or of four. In games
/// of two all but one leave early, and the bot that leaves first loses.
const FORMATS: [(&str, &str, &str); 7] = [
    ("rounds", "football", "rounds = 2"),
    ("round-robin", "foosball", ""),
    ("gauntlet", "foosball", "rounds = 2"),
    ("knockout", "foosball", ""),
    ("swiss", "foosball", ""),
    ("comfoosball", "foosball", "games = 1\nplay_offs = 1\nfinal_games = 3"),
    ("rounds", "foosball", "rounds = 6\n[stop]\nmin_rounds = 1\nlook_every = 2"),
];

/// Number of kills of each runner; then it may play to its end.
const KILLS: usize = 3;

fn file(kind: &str, game: &str, settings: &str) -> String {
    let entrants = match game {
        "football" => ["still", "greedy", "sweeper"].map(|bot| {
            let program = football(bot).expect("a house bot");
            format!("[[entrant]]\nname = \"{bot}\"\nprogram = \"{program}\"\n")
        }),
        _ => ["2", "4", "6"].map(|turn| {
            let does = format!("arguments = [\"exit\", \"--at\", \"{turn}\"]");
            format!("[[entrant]]\nname = \"leaves-{turn}\"\nprogram = \"{FAULTY}\"\n{does}\n")
        }),
    };
    let parameters = if game == "football" { "[parameters]\np = 3\nmax_turns = 40\n" } else { "" };
    format!(
        "name = \"x\"\ngame = \"{game}\"\nseed = \"5\"\nsandbox = \"off\"\nbatch = 2\n{parameters}[format]\n\
         kind = \"{kind}\"\n{settings}\n{}[[entrant]]\nname = \"honest\"\nprogram = \"{FAULTY}\"\n\
         arguments = [\"honest\"]\n",
        entrants.concat()
    )
}

/// Everything that follows from a tournament: the results of all rounds, the verdicts, the standings.
fn all_that_follows(place: &Place, dir: &str) -> Vec<String> {
    let root = place.path(dir);
    let standings = place.call(&["tournament", "standings", "--dir", dir, "--format", "csv"]).with_status(0);
    assert!(!standings.err.contains("not final standings"), "{standings:?}");
    let mut all = vec![what_stays(&standings.out, &[]).join("\n"), standings.err];
    all.push(fs::read_to_string(root.join("verdicts.csv")).unwrap_or_default());
    all.extend(listed(&root));
    all
}

#[test]
fn a_tournament_of_any_format_that_is_killed_ends_as_one_that_never_was() {
    thread::scope(|scope| {
        for (kind, game, settings) in FORMATS {
            scope.spawn(move || is_killed_and_ends_as_one_that_never_was(kind, game, settings));
        }
    });
}

fn is_killed_and_ends_as_one_that_never_was(kind: &str, game: &str, settings: &str) {
    let place = Place::new();
    fs::write(place.path("x.toml"), file(kind, game, settings)).expect("a file");
    plan(&place, "x.toml", "whole");
    copy_folder(&place.path("whole"), &place.path("killed"));
    place.referee(&["tournament", "run", "--dir", "whole", "--jobs", "2"]).with_status(0);
    for _ in 0..KILLS {
        let before = ended(&place, "killed");
        let mut running = runner(&place, "killed", &[]);
        // One game more must end: a game that was lost in flight is repeated once, but not twice.
        let ends = || ended(&place, "killed") > before || running.try_wait().is_ok_and(|end| end.is_some());
        assert!(comes_true(ends), "a game ends: {}", said(&place));
        let _ = running.kill();
        let _ = running.wait();
        place.assert_no_process_stays();
    }
    let rest = place.referee(&["tournament", "run", "--dir", "killed"]).with_status(0);
    assert!(!rest.err.contains("is given up"), "{rest:?}");
    assert_eq!(all_that_follows(&place, "killed"), all_that_follows(&place, "whole"), "{kind} {settings}");
}

#[test]
fn what_is_told_has_the_same_order_for_any_number_of_jobs() {
    let place = Place::new();
    let text = file("round-robin", "foosball", "");
    let (settings, _) = text.split_once("[[entrant]]").expect("bots");
    let bots = ["2", "4", "6", "8"].map(|turn| guests(&place, &[(turn, &format!("exits {turn} 1"))]));
    fs::write(place.path("x.toml"), settings.to_owned() + &bots.concat()).expect("a file");
    let told = ["1", "4"].map(|jobs| {
        plan_by_call(&place, "x.toml", jobs);
        let ran = place.call(&["tournament", "run", "--dir", jobs, "--jobs", jobs]).with_status(0);
        let games = ran.err.lines().filter(|line| line.starts_with("s001-"));
        (games.map(str::to_owned).collect::<Vec<String>>(), ran.out)
    });
    assert_eq!(told[0].0.len(), 12);
    assert_eq!(told[0], told[1]);
    assert!(told[0].0.is_sorted(), "the order of the schedule: {:#?}", told[0]);
}
