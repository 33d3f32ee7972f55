//! A judge's scene without a browser: the board of a report's pages, and labels in the terminal.

use std::fs;

use super::project;
use crate::support::{Place, files_below};

/// Puts the judge of scenes and a bot for it into a folder.
fn prepare(place: &Place) {
    fs::copy(project("tests/judge/scenes.py"), place.path("scenes.py")).unwrap();
    place.program(
        "one.py",
        "#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print(1, flush=True)\n",
    );
}

#[test]
fn a_judges_scene_is_drawn_in_the_report() {
    let place = Place::new();
    prepare(&place);
    place.referee(&["hill", "new", "h", "./scenes.py"]).with_status(0);
    for name in ["ann", "ben"] {
        place.referee(&["hill", "submit", "h", "./one.py", "--name", name]).with_status(0);
    }
    place.referee(&["hill", "run", "h", "--rounds", "1"]).with_status(0);
    place.referee(&["report", "h", "--html", "report"]).with_status(0);
    let games = files_below(&place.path("report/games"), "html");
    let logs = files_below(&place.path("h/logs"), "csv");
    assert!(!games.is_empty() && games.len() == logs.len(), "{games:?} of {logs:?}");
    for game in games {
        let text = fs::read_to_string(&game).unwrap();
        assert!(text.contains("class SceneBoard"), "no board that draws a scene");
        let log = logs.iter().find(|log| log.file_stem() == game.file_stem()).expect("its log");
        place.referee(&["replay", log.to_str().unwrap(), "--html", "game.html"]).with_status(0);
        let alone = fs::read_to_string(place.path("game.html")).unwrap();
        // In a report it leads back there.
        let back = text.find("<nav").zip(text.find("</nav>"));
        let (from, to) = back.unwrap_or_else(|| panic!("no way back: {}", &text[..text.len().min(4000)]));
        let without = text[..from].to_owned() + &text[to + "</nav>".len()..];
        assert!(without == alone, "not the page that replay makes");
    }
}

#[test]
fn labels_without_room_are_listed_below_the_board() {
    let place = Place::new();
    prepare(&place);
    let shown = |kind: &str| {
        let dir = format!("games{kind}");
        place
            .referee(&["play", "./scenes.py", "./one.py", "./one.py", "--kind", kind, "--dir", &dir])
            .with_status(0);
        let log = files_below(&place.path(&dir).join("logs"), "csv").remove(0);
        let told = place.referee(&["replay", log.to_str().unwrap(), "--plain", "--turn", "3"]).with_status(0);
        // The board and its legend. The game's name, which contains a digest, precedes them, and times
        // follow.
        let lines = told.out.lines().skip(2).take_while(|line| !line.is_empty());
        lines.map(|line| line.to_owned() + "\n").collect::<String>()
    };
    insta::assert_snapshot!("grid", shown("0"));
    insta::assert_snapshot!("points", shown("4"));
}
