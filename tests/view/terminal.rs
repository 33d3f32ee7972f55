//! Tables on a terminal: their look at 80 and at 120 columns, and their colours.

use std::fs;
use std::process::{Command, Stdio};

use super::replay::keyboard::Keyboard;
use super::report::{bots, simulated};
use crate::record::frozen::copied;
use crate::support::{Place, REFEREE};
use crate::tournament::plan;

/// Runs the program at a terminal. Returns the final screen, and all bytes that were written.
fn seen(command: Command, columns: u16, no_color: Option<&str>) -> (String, Vec<u8>) {
    let mut keyboard = Keyboard::start_with(command, (columns, 60), no_color);
    let (status, screen) = keyboard.ends();
    assert_eq!(status, Some(0), "{screen}");
    (screen, keyboard.written().to_vec())
}

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(&*REFEREE);
    for name in ["CLICOLOR", "CLICOLOR_FORCE", "CI"] {
        command.env_remove(name);
    }
    command.args(words);
    command
}

#[test]
fn standings_at_80_columns_show_what_one_asks_first() {
    let hill = simulated(bots(4), 200);
    let root = hill.hill.root().to_str().expect("a path of plain text");
    let at = |columns, more: &[&str]| {
        seen(command(&[&["hill", "standings", root], more].concat()), columns, None).0
    };
    insta::assert_snapshot!("standings-80", at(80, &[]));
    insta::assert_snapshot!("standings-120", at(120, &[]));
    insta::assert_snapshot!("pairs-80", at(80, &["--pairs"]));
    insta::assert_snapshot!("standings-40", at(40, &[]));
    assert_eq!(at(0, &[]).lines().next(), at(80, &[]).lines().next(), "no width is 80");
    // Also without a terminal.
    let piped = command(&["hill", "standings", root]).output().expect("referee can be started");
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    assert_eq!(words(&String::from_utf8_lossy(&piped.stdout)), words(&at(80, &[])));
    let wide = command(&["hill", "standings", root, "--wide"]).output().expect("referee can be started");
    let wide = String::from_utf8_lossy(&wide.stdout).into_owned();
    for column in ["mean_low", "mean_high", "mean_error", "win_share", "rating_sd", "late", "p99_ms"] {
        assert!(wide.contains(column), "{column}: {wide}");
    }
}

/// The same with measured times, which have three decimals, replaced by one sign.
fn without_times(screen: &str) -> String {
    let cell = |cell: &str| {
        let is_time = cell.trim().rsplit_once('.').is_some_and(|(_, decimals)| decimals.len() == 3);
        let is_time = is_time && cell.trim().parse::<f64>().is_ok();
        if is_time { format!("{:>width$} ", "#", width = cell.chars().count() - 1) } else { cell.to_owned() }
    };
    let line = |line: &str| {
        let cells = line.split_inclusive(['┆', '│']).map(|part| match part.char_indices().next_back() {
            Some((at, end @ ('┆' | '│'))) => cell(&part[..at]) + &end.to_string(),
            _ => part.to_owned(),
        });
        cells.collect::<String>()
    };
    screen.lines().map(|text| line(text) + "\n").collect()
}

#[test]
fn first_tables_are_understood_at_80_and_at_120_columns() {
    let (place, hill) = (Place::new(), simulated(bots(4), 200));
    let root = hill.hill.root().to_str().expect("a path of plain text");
    let bad = place.program("bad.sh", "#!/bin/sh\nwhile read -r line; do echo north; done\n");
    let game = ["football", "still", "still", "still", "still", "-p", "2", "--max-turns", "3", "--seed", "7"];
    let play = [&["play"], &game[..], &["--turn-ms", "30000", "--first-ms", "30000"]].concat();
    let repeat = [&play[..], &["--repeat", "3", "--dir", "three"]].concat();
    let cup = copied("cup");
    for columns in [80, 120] {
        let at = |place: &Place, words: &[&str]| {
            let mut keyboard = Keyboard::start(place.command(words), (columns, 60));
            without_times(&keyboard.ends().1)
        };
        for (name, place, words) in [
            ("play", &place, &play[..]),
            ("repeat", &place, &repeat),
            ("status", &place, &["hill", "status", root]),
            ("fairness", &place, &["hill", "fairness", root]),
            ("matches", &cup, &["tournament", "matches", "--dir", "cup"]),
            ("cup", &cup, &["tournament", "standings", "--dir", "cup"]),
        ] {
            let screen = at(place, words);
            let mut table = screen.lines().filter(|line| line.starts_with(['┌', '│', '└']));
            assert!(table.all(|line| line.chars().count() <= columns.into()), "{screen}");
            insta::assert_snapshot!(format!("{name}-{columns}"), screen);
        }
        let check = at(&place, &["check", &bad, "--game", "football", "--set", "p=2"]);
        let table = check.lines().take_while(|line| !line.starts_with('└'));
        let table: Vec<&str> = table.skip_while(|line| !line.starts_with('┌')).collect();
        insta::assert_snapshot!(format!("check-{columns}"), table.join("\n"));
    }
}

#[test]
fn colours_say_nothing_that_is_not_said_without_them() {
    let place = Place::new();
    let bot = place.program("late", "#!/bin/sh\nwhile read -r line; do :; done\n");
    let bots = [&*bot, "still", "still", "still"];
    let words = [
        &["play", "football"],
        &bots[..],
        &["-p", "2", "--max-turns", "1", "--turn-ms", "20", "--first-ms", "100"],
    ]
    .concat();
    let run = |variables: &[(&str, &str)], no_color| {
        let mut command = place.command(&words);
        command.env_remove("CLICOLOR").env_remove("CLICOLOR_FORCE").env_remove("CI");
        command.envs(variables.iter().copied());
        seen(command, 80, no_color).1
    };
    let is_coloured = |bytes: &[u8]| bytes.windows(2).any(|pair| pair == b"\x1b[");
    let red = run(&[], None);
    assert!(
        String::from_utf8_lossy(&red).contains("\x1b["),
        "a fault is red: {}",
        String::from_utf8_lossy(&red)
    );
    assert!(!is_coloured(&run(&[], Some("1"))), "NO_COLOR");
    assert!(!is_coloured(&run(&[("CLICOLOR", "0")], None)), "CLICOLOR");
    // Without a terminal there are no colours, unless they are requested.
    let piped = |variables: &[(&str, &str)]| {
        let mut command = place.command(&words);
        command.env_remove("NO_COLOR").env_remove("CI").envs(variables.iter().copied());
        command.output().expect("referee can be started").stdout
    };
    assert!(!is_coloured(&piped(&[])));
    assert!(is_coloured(&piped(&[("CLICOLOR_FORCE", "1")])), "CLICOLOR_FORCE");
}

#[test]
fn a_hill_is_watched_while_games_are_added() {
    let hill = simulated(bots(4), 20);
    let root = hill.hill.root().to_str().expect("a path of plain text").to_owned();
    let mut keyboard = Keyboard::start(command(&["hill", "watch", &root]), (80, 24));
    let first = keyboard.sees("Season 2, 20 rounds, 80 games");
    assert!(
        first.contains("bot0") && first.contains("points") && first.contains("q leave  ? help"),
        "{first}"
    );
    // Each row says which places are likely.
    let rows: Vec<&str> = first.lines().filter(|line| line.contains("  bot")).collect();
    let is_range =
        |word: &str| word.split('-').all(|place| place.parse::<usize>().is_ok_and(|place| place <= 4));
    let said = rows.iter().filter(|row| row.split_whitespace().last().is_some_and(is_range));
    assert_eq!(said.count(), 4, "{first}");
    keyboard.press_and_see("?", "The places that it has in 80 % of resamplings of the rounds.");
    keyboard.press_and_see("?", "Season 2, 20 rounds, 80 games");
    let games: Vec<_> =
        hill.pairings(21).iter().skip(80).map(|pairing| hill.game(pairing, |_, _| 0.4)).collect();
    hill.enter(&games);
    keyboard.sees("Season 2, 21 rounds, 84 games");
    // What does not fit is scrolled to.
    keyboard.resize(80, 6);
    let top = keyboard.sees("lines 1-5 of ");
    assert!(!top.contains("bot3"), "{top}");
    keyboard.press_and_see("\x1b[B", "lines 2-6 of ");
    keyboard.press_and_see("\x1b[F", " more games (");
    keyboard.press_and_see("\x1b[H", "lines 1-5 of ");
    keyboard.resize(40, 24);
    keyboard.sees("bot3");
    keyboard.press("q");
    assert_eq!(keyboard.ends().0, Some(0));
    let piped = command(&["hill", "watch", &root]).output().expect("referee can be started");
    assert_eq!(piped.status.code(), Some(2), "{piped:?}");
}

/// Leaves each game in a turn; the bot that leaves first loses. In its second game it waits before the first
/// turn.
const LEAVES: &str = r#"#!/bin/sh
games=0
[ -f "$1.games" ] && read -r games < "$1.games"
games=$((games + 1))
echo "$games" > "$1.games"
while [ "$games" -eq 2 ] && [ ! -f "$1.go" ]; do sleep 0.02; done
turn=0
while read -r question; do
    [ "$turn" -eq "$2" ] && exit 0
    echo 0 # no roster: a null move
    turn=$((turn + 1))
done
"#;

#[test]
fn the_bracket_of_a_cup_grows_while_its_games_end() {
    let place = Place::new();
    let bot = place.program("bot.sh", LEAVES);
    let mut file = "name = \"spring\"\ngame = \"foosball\"\nseed = \"5\"\nsandbox = \"off\"\n\
                    [parameters]\nfirst_ms = 60000\n[format]\nkind = \"knockout\"\n"
        .to_owned();
    for (name, turn) in [("ada", "4"), ("bob", "3"), ("cid", "2"), ("dan", "1")] {
        let own = place.path(name);
        file +=
            &format!("[[entrant]]\nname = \"{name}\"\nprogram = {bot:?}\narguments = [{own:?}, {turn:?}]\n");
    }
    fs::write(place.path("cup.toml"), file).unwrap();
    plan(&place, "cup.toml", "T");
    let watch = place.command(&["tournament", "watch", "--dir", "T"]);
    let mut keyboard = Keyboard::start(watch, (80, 24));
    let first = keyboard.sees("Round 1: 0 of 4 games ended");
    assert!(first.contains("dan ┘") && first.contains("├ ?"), "{first}");
    let mut run = place.command(&["tournament", "run", "--dir", "T", "--jobs", "1"]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // The batch is not done: its journal shows the games.
    let some = keyboard.sees("Round 1: 1 of 4 games ended");
    assert!(some.contains("\nada 1 ┐\n      ├ ? ┐\ndan 0 ┘   │\n"), "{some}");
    insta::assert_snapshot!("cup-watched-80", some);
    for name in ["ada", "bob", "cid", "dan"] {
        fs::write(place.path(&format!("{name}.go")), "").unwrap();
    }
    assert_eq!(run.wait().unwrap().code(), Some(0));
    // The cup is won before the match for the third place ends.
    let over = keyboard.sees("Round 2: 4 of 4 games ended");
    assert!(over.contains("├ ada\n") && !over.contains("├ ?"), "{over}");
    assert!(over.contains("ada wins the cup"), "{over}");
    insta::assert_snapshot!("cup-over-80", over);
    keyboard.press("q");
    assert_eq!(keyboard.ends().0, Some(0));
    place.assert_no_process_stays();
    // Only runners plan rounds: a watcher has no reason to write.
    place
        .referee(&["tournament", "watch", "--dir", "T"])
        .with_status(2)
        .complaining(&["tournament standings"]);
}
