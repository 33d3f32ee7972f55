//! Rounds that the server plays: by a process of its own, again after each admission, and never twice at
//! once.

use std::fs;
use std::process::Command;

use crate::support::{Place, Server, program, said};

/// The processes that play rounds on the hill of a place.
fn runners(place: &Place) -> Vec<i32> {
    let hill = place.path("h").canonicalize().expect("the hill").display().to_string();
    let is_one = |number: &i32| {
        let words = fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).replace('\0', " ");
        words.contains(&format!("hill run {hill} --to-round"))
    };
    let all = fs::read_dir("/proc").expect("/proc").flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(is_one).collect()
}

#[test]
fn rounds_are_played_beside_the_server_and_go_on_after_an_admission_and_a_kill() {
    let place = Place::new();
    let token = place.token("alice");
    let server = Server::start(&place, &["--run", "6", "--jobs", "1"]);
    server.until("/h/api/v1/standings", |now| now["round"] == 6);
    server.until_reply("/h", |page| page.text().contains("round 6 of the season is complete"));
    assert!(runners(&place).is_empty(), "nobody plays on");
    let bot = fs::read(program("push-random")).expect("a bot");
    let bearer = format!("Bearer {token}");
    let reply = server.ask("POST", "/h/api/v1/bots?name=fresh", &[("Authorization", &bearer)], &bot);
    assert_eq!(reply.status, 202, "{}", reply.text());
    // The process is killed, and is started again.
    let mut killed = 0;
    server.until("/h/api/v1/standings", |now| {
        if killed == 0
            && let Some(runner) = runners(&place).first()
        {
            let kill = Command::new("kill").args(["-9", &runner.to_string()]).status();
            killed += i32::from(kill.is_ok_and(|kill| kill.success()));
        }
        now["season"] == 2 && now["round"] == 6
    });
    assert_eq!(killed, 1);
    let csv = server.get("/h/api/v1/standings?format=csv").text();
    assert!(csv.contains("fresh"), "{csv}");
    place.referee(&["audit", "h"]);
}

#[test]
fn rounds_go_on_after_a_restart_with_torn_or_missing_results() {
    let place = Place::new();
    let results = place.path("h/results.csv");
    for (round, damage) in [(2, "nothing"), (3, "torn"), (4, "missing"), (5, "empty")] {
        match damage {
            "torn" => {
                let text = fs::read(&results).expect("the results");
                fs::write(&results, &text[..text.len() - 9]).expect("the results");
            }
            "missing" => fs::remove_file(&results).expect("the results"),
            "empty" => fs::write(&results, "").expect("the results"),
            _ => {}
        }
        let server = Server::start(&place, &["--run", &round.to_string(), "--jobs", "1"]);
        server.until("/h/api/v1/standings", |now| now["round"] == round);
        server.stop();
        place.referee(&["audit", "h"]);
    }
}

#[test]
fn a_hill_that_cannot_be_read_is_told_and_played_when_it_can() {
    for (list, why) in [
        ("entrants.csv", "missing"),
        ("seasons.csv", "missing, but games were played"),
        ("results.csv", "was changed"),
    ] {
        let place = Place::new();
        place.referee(&["hill", "run", "h", "--rounds", "2"]);
        let (file, kept) = (place.path("h").join(list), place.path("kept.csv"));
        fs::copy(&file, &kept).expect("a copy");
        match list {
            "results.csv" => {
                let text = fs::read_to_string(&file).expect("the results");
                fs::write(&file, text.replacen("push", "pull", 3)).expect("the results");
            }
            _ => fs::remove_file(&file).expect("the list"),
        }
        let mut server = Server::start(&place, &["--run", "3", "--jobs", "1"]);
        let lines: Vec<String> = (0..3).map(|_| server.next_line()).collect();
        let [trouble, starts, fails] = &lines[..] else { unreachable!() };
        assert!(trouble.contains("the records cannot be read, and a run is to mend them. "), "{lines:?}");
        assert!(starts.contains("referee hill run plays") && fails.contains("the run failed"), "{lines:?}");
        assert!([trouble, fails].iter().all(|line| line.contains(list) && line.contains(why)), "{lines:?}");
        fs::copy(&kept, &file).expect("the list");
        server.until("/h/api/v1/standings", |now| now["round"] == 3);
        server.stop();
        place.referee(&["audit", "h"]);
    }
}

#[test]
fn bots_that_are_missing_in_the_list_are_told_and_one_bot_waits_for_another() {
    let place = Place::new();
    place.referee(&["hill", "run", "h", "--rounds", "2"]);
    let file = place.path("h/entrants.csv");
    let kept = fs::read_to_string(&file).expect("the list");
    fs::write(&file, kept.split_inclusive('\n').next().expect("its columns")).expect("the list");
    let mut server = Server::start(&place, &["--run", "3", "--jobs", "1"]);
    let lines = [server.next_line(), server.next_line()];
    assert!(lines[0].contains("referee hill run plays"), "{lines:?}");
    let why = "entrants.csv: no such submission, but seasons.csv says that it has played: random version 1";
    assert!(lines[1].contains("the run failed") && lines[1].contains(why), "{lines:?}");
    fs::write(&file, kept).expect("the list");
    server.until("/h/api/v1/standings", |now| now["round"] == 3);
    ["random", "homeward"].iter().for_each(|bot| drop(place.referee(&["hill", "retire", "h", bot])));
    server.until_reply("/h", |page| page.text().contains("only one bot plays here yet"));
    place.referee(&["hill", "retire", "h", "reader"]);
    server.until_reply("/h", |page| page.text().contains("no bot plays here yet"));
}

#[test]
fn more_rounds_than_a_run_can_list_are_refused_at_the_start() {
    let place = Place::new();
    let refused = |rounds: &str| {
        let words = ["serve", "h", "--listen", "127.0.0.1:0", "--run", rounds];
        let output = place.command(&words).output().expect("the server");
        output.status.code() == Some(2) && said(&output).contains("1..=1048576")
    };
    assert!(["0", "1048577", "4294967295", "99999999999"].into_iter().all(refused));
}

#[test]
fn a_runner_ends_with_its_server() {
    let place = Place::new();
    let server = Server::start(&place, &["--run", "500", "--jobs", "1"]);
    server.until("/h/api/v1/standings", |now| now["round"].as_u64() > Some(1));
    assert_eq!(runners(&place).len(), 1);
    server.stop();
    assert!(runners(&place).is_empty());
    place.referee(&["audit", "h"]);
}
