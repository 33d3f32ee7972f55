//! Games in which a bot is not one seat among others: two teams of two seats (`pairs.py`), and tasks for one
//! (`solo.py`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use referee_record::results::ResultRow;

use super::project;
use crate::support::{Place, results_in};

/// Puts a judge in a place, and bots that answer a number each, as entrants of a hill of its game.
fn hill(place: &Place, judge: &str, answers: &[u32]) {
    fs::copy(project(&format!("tests/judge/{judge}")), place.path(judge)).unwrap();
    place.referee(&["hill", "new", "h", &format!("./{judge}"), "--seed", "5"]).with_status(0);
    for answer in answers {
        let text = format!(
            "#!/usr/bin/env python3\nimport sys\nfor _ in sys.stdin:\n    print({answer}, flush=True)\n"
        );
        place.program(&format!("say{answer}.py"), text);
        place.referee(&["hill", "submit", "h", &format!("./say{answer}.py")]).with_status(0);
    }
    place.referee(&["hill", "run", "h", "--rounds", "3"]).with_status(0);
    let audit = place.referee(&["audit", "h"]).with_status(0);
    assert!(audit.out.contains("every game follows the schedule"), "{}", audit.out);
}

/// A bot, its place, the number of its games and its mean share.
type Line = (String, String, String, f64);

/// Returns the standings and the columns.
fn standings(place: &Place) -> (Vec<Line>, BTreeSet<String>) {
    let told = place.referee(&["hill", "standings", "h", "--format", "csv"]).with_status(0).out;
    let mut lines = told.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<String>>());
    let columns = lines.next().expect("a header");
    let at = |name: &str| columns.iter().position(|column| column == name).expect(name);
    let row = |cells: Vec<String>| {
        let share = cells[at("mean_share")].parse().expect("a share");
        (cells[at("bot")].clone(), cells[at("place")].clone(), cells[at("games")].clone(), share)
    };
    (lines.map(row).collect(), columns.iter().cloned().collect())
}

fn games(rows: &[ResultRow]) -> impl Iterator<Item = &[ResultRow]> {
    rows.chunk_by(|one, other| one.game == other.game)
}

#[test]
fn each_team_is_one_bot() {
    let place = Place::new();
    hill(&place, "pairs.py", &[9, 5, 1]);
    let rows = results_in(&place.path("h"));
    let mut seats = BTreeMap::<&str, u32>::new();
    for game in games(&rows) {
        let bots: Vec<&str> = game.iter().map(|row| row.bot.name.as_str()).collect();
        assert!(
            bots.len() == 4 && bots[0] == bots[2] && bots[1] == bots[3] && bots[0] != bots[1],
            "{bots:?}"
        );
        for row in game.iter().filter(|row| row.counts) {
            *seats.entry(&row.bot.name).or_default() += 1;
        }
    }
    assert_eq!(seats.into_values().collect::<Vec<_>>(), [6, 6, 6], "two seats in each of three rounds");
    let (lines, columns) = standings(&place);
    assert!(lines.iter().all(|(_, _, games, _)| games == "3"), "{lines:?}");
    assert_eq!(lines.last(), Some(&("say1".to_owned(), "3".to_owned(), "3".to_owned(), 0.0)), "{lines:?}");
    assert!(columns.contains("wins"), "{columns:?}");
    // Its page names a team once, and the colour of its seats is that of the team.
    let told = place.referee(&["replay", "h", &rows[0].game, "--plain"]).with_status(0).out;
    assert!(told.contains(" wins") && !told.contains("share the first place"), "{told}");
    place.referee(&["replay", "h", &rows[0].game, "--html", "game.html"]).with_status(0);
    let page = fs::read_to_string(place.path("game.html")).unwrap();
    assert!(page.contains("const TEAMS = [0, 1, 0, 1];"), "the script colours by team");
    let (_, still) = page.split_once("<noscript>").expect("a page without scripts");
    let colours = |seat: usize| still.matches(&format!("var(--seat{seat})")).count();
    assert_eq!((colours(2), colours(3), colours(0), colours(0) > 3), (0, 0, colours(1), true), "{still}");
    let both = ["play", "./pairs.py", "./say9.py", "./say1.py", "./say5.py", "./say9.py"];
    place.referee(&both).with_status(0);
    let wrong = place.referee(&both[..5]).with_status(2).err;
    assert!(wrong.contains("by 2 bots, each for a team, or by 4; you named 3"), "{wrong}");
}

#[test]
fn bots_that_play_alone_have_the_same_task_and_are_compared_by_their_scores() {
    let place = Place::new();
    hill(&place, "solo.py", &[100, 450, 480]);
    let rows = results_in(&place.path("h"));
    let mut seeds = BTreeMap::<u32, BTreeSet<u64>>::new();
    let mut best = BTreeMap::<u32, i64>::new();
    for row in &rows {
        let round = row.place_in_schedule.expect("a game of a hill").round;
        seeds.entry(round).or_default().insert(row.seed.0);
        let score = best.entry(round).or_insert(row.score);
        *score = row.score.max(*score);
    }
    assert_eq!((rows.len(), seeds.len()), (9, 3));
    assert!(seeds.values().all(|of_round| of_round.len() == 1), "one task a round: {seeds:?}");
    let firsts = seeds.values().flatten().collect::<BTreeSet<_>>();
    assert_eq!(firsts.len(), 3, "another task each round");
    // Without rounds nobody is compared with anybody, and who sits out would be missing in the comparison.
    let bots: String = [100, 450]
        .map(|number| format!("[[entrant]]\nname = \"b{number}\"\nprogram = \"./say{number}.py\"\n"))
        .concat();
    for (format, why) in [
        ("kind = \"round-robin\"\n", "solo-"),
        ("kind = \"rounds\"\n[stop]\nuntil = \"ranked\"\nracing = true\n", "leave racing out"),
    ] {
        let text = format!("name = \"cup\"\ngame = \"./solo.py\"\nseed = 1\n[format]\n{format}{bots}");
        fs::write(place.path("cup.toml"), text).unwrap();
        let refused = place.referee(&["tournament", "plan", "cup.toml", "--dir", "t"]).with_status(2).err;
        assert!(refused.contains(why) && !place.path("t").exists(), "{refused}");
    }
    let settings = fs::read_to_string(place.path("h/hill.toml")).unwrap();
    let racing = settings
        .replace("until = \"clear\"", "until = \"ranked\"")
        .replace("racing = false", "racing = true");
    assert_ne!(racing, settings);
    fs::write(place.path("h/hill.toml"), racing).unwrap();
    let refused = place.referee(&["hill", "run", "h", "--rounds", "4"]).with_status(2).err;
    assert!(refused.contains("leave racing out"), "{refused}");
    fs::write(place.path("h/hill.toml"), settings).unwrap();
    let (lines, columns) = standings(&place);
    assert!(!columns.contains("wins") && !columns.contains("win_share"), "{columns:?}");
    for (bot, _, games, share) in &lines {
        let own = rows.iter().filter(|row| row.bot.name == *bot);
        let beaten = |row: &ResultRow| {
            let round = row.place_in_schedule.map(|place| place.round);
            let others =
                rows.iter().filter(|other| other.place_in_schedule.map(|place| place.round) == round);
            let less = others.clone().filter(|other| other.score < row.score).count() as f64;
            let level = others.filter(|other| other.score == row.score).count() as f64 - 1.0;
            (less + level / 2.0) / 2.0
        };
        let due = own.map(beaten).sum::<f64>() / 3.0;
        assert!((share - due).abs() < 1e-4 && games == "3", "{bot}: {share} {due}");
    }
}
