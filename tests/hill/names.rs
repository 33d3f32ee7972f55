//! Names of submitted bots: none is altered, and none taken from another bot, without a word.

use std::collections::BTreeSet;
use std::fs;

use referee_record::text;

use crate::called::Calls;
use crate::support::{Place, faulty};

/// The names of the bots that play.
fn field(place: &Place) -> Vec<String> {
    let listed = place.call(&["hill", "bots", "hill", "--format", "csv"]).with_status(0).out;
    listed.lines().skip(1).filter_map(|row| row.split(',').next()).map(str::to_owned).collect()
}

fn script(place: &Place, name: &str, mark: &str) -> String {
    let program = faulty("honest");
    place.program(name, format!("#!/bin/sh\n# {mark}\nexec {program}\n"))
}

/// Writes a bot that plays in this process, with a name of its own.
fn guest(place: &Place, name: &str, mark: &str) -> String {
    let path = place.path(name);
    fs::rename(place.guest(mark, "says 4 4"), &path).expect("a file");
    path.into_os_string().into_string().expect("a path of plain text")
}

#[test]
fn a_name_that_would_be_altered_is_asked_for() {
    let place = Place::new();
    place.hill_of_guests("hill", &["-p", "2", "--max-turns=5"], &[]);
    let long = "a".repeat(40);
    for file in [
        "two words",
        "北京лиса",
        "fоx",
        "狐\u{200b}",
        "MAR1",
        "-minus",
        &long,
        "00012",
        "1E5",
        "1e-5",
        "3-4-05",
        "1234567890123456",
    ] {
        place.program(file, "#!/bin/sh\n");
        place
            .call(&["hill", "submit", "hill", &format!("'./{file}'")])
            .with_status(2)
            .complaining(&["not a name for a bot", "--name"]);
    }
    assert!(field(&place).is_empty());
    place
        .call(&["hill", "submit", "hill", "random", "--name", "007"])
        .with_status(2)
        .complaining(&["a spreadsheet would show it as another number or a date"]);
    for (name, why) in [
        ("NA", "takes it for a missing value"),
        ("NaN", "takes it for a missing value"),
        ("null", "takes it for a missing value"),
        ("None", "takes it for a missing value"),
        ("con", "Windows has no file of this name"),
        ("NUL", "Windows has no file of this name"),
        ("lpt1", "Windows has no file of this name"),
    ] {
        place
            .call(&["hill", "submit", "hill", "random", "--name", name])
            .with_status(2)
            .complaining(&["not a name for a bot", why]);
    }
    for name in ["nano", "lpt", "com10", "console"] {
        place.call(&["hill", "submit", "hill", "random", "--name", name]).with_status(0);
    }
    for name in ["7", "0", "1E", "E5", "12345"] {
        place.call(&["hill", "submit", "hill", "random", "--name", name]).with_status(0);
    }
}

#[test]
fn a_name_is_of_any_script_from_its_file_to_the_audit() {
    let place = Place::new();
    let root = place.hill_of_guests("hill", &["-p", "2", "--max-turns=5", "--seed=3"], &[]);
    // As a Mac writes them: each accent and each sign of a voice is a character of its own.
    let files = ["北京.py", "fu\u{308}chs.py", "か\u{3099}", "लोमड़ी.sh", "ثعلب", "여우.py"];
    let due = ["北京", "f\u{fc}chs", "\u{304c}", "लोमड\u{93c}ी", "ثعلب", "여우"];
    for (number, file) in files.iter().enumerate() {
        let bot = guest(&place, file, &format!("bot{number}"));
        let words = ["hill", "submit", "hill", &bot, "--sandbox", "off", "--allow-fork"];
        let told = place.call(&words).with_status(0).out;
        assert!(told.starts_with(&format!("{} version 1 plays", due[number])), "{told}");
    }
    assert_eq!(field(&place), due);
    place.call(&["hill", "run", "hill", "--rounds", "1", "--sandbox", "off"]).with_status(0);
    let results = fs::read_to_string(root.join("results.csv")).expect("results");
    assert!(due.iter().all(|name| results.contains(&format!(",{name},1,"))), "{results}");
    // In a table on a terminal, all columns begin below each other.
    let shown = place.call(&["hill", "standings", "hill"]).with_status(0).out;
    let starts: BTreeSet<usize> = shown
        .lines()
        .filter(|line| due.iter().any(|name| line.contains(name)))
        .map(|line| text::width(line.split(" v1 ").next().expect("a version")))
        .collect();
    assert_eq!((starts.len(), due.iter().all(|name| shown.contains(name))), (1, true), "{shown}");
    for command in
        [&["audit", "hill"][..], &["report", "hill", "--html", "report"], &["hill", "fairness", "hill"]]
    {
        place.call(command).with_status(0);
    }
    let report = fs::read_to_string(place.path("report/index.html")).expect("a report");
    assert!(due.iter().all(|name| report.contains(name)));
    // A name is found in both forms.
    place.call(&["hill", "retire", "hill", "fu\u{308}chs"]).with_status(0);
    place.call(&["hill", "retire", "hill", "か\u{3099}"]).with_status(0);
    assert_eq!(field(&place).len(), due.len() - 2);
    place.call(&["audit", "hill"]).with_status(0);
}

#[test]
fn a_name_that_looks_like_anothers_is_refused() {
    let place = Place::new();
    place.hill_of_guests("hill", &["-p", "2", "--max-turns=5"], &[]);
    let bots: Vec<String> =
        (0..5).map(|number| guest(&place, &format!("b{number}"), &format!("m{number}"))).collect();
    let submit = |bot: &str, name: &str| {
        place.call(&["hill", "submit", "hill", bot, "--name", name, "--sandbox", "off", "--allow-fork"])
    };
    submit(&bots[0], "coco").with_status(0);
    submit(&bots[1], "ロ-1").with_status(0);
    // Letters that look Latin, and are Cyrillic; a Chinese mouth for a Japanese ro.
    for (bot, name, like) in [(2, "сосо", "coco"), (3, "口-1", "ロ-1")] {
        submit(&bots[bot], name).with_status(2).complaining(&[
            &format!("{name} looks like {like}"),
            "another name with --name",
            "with --replace",
        ]);
    }
    // Its games are still in the records.
    place.call(&["hill", "retire", "hill", "coco"]).with_status(0);
    submit(&bots[4], "сосо").with_status(2).complaining(&["looks like coco"]);
    assert_eq!(field(&place), ["ロ-1"]);
    // The host makes room, as the message says.
    let words = [
        "hill",
        "submit",
        "hill",
        &bots[4],
        "--name",
        "сосо",
        "--replace",
        "--sandbox",
        "off",
        "--allow-fork",
    ];
    place.call(&words).with_status(0);
    assert_eq!(field(&place), ["ロ-1", "сосо"]);
}

#[test]
fn a_bot_is_replaced_only_by_its_author_and_its_file() {
    let place = Place::new();
    place.hill_of_guests("hill", &["-p", "2", "--max-turns=5"], &[]);
    let submit = |bot: &str, more: &[&str]| {
        place.call(&[&["hill", "submit", "hill", bot, "--sandbox", "off", "--allow-fork"], more].concat())
    };
    let [python, shell] =
        [("fox.py", "one"), ("fox.sh", "two")].map(|(name, mark)| guest(&place, name, mark));
    submit(&python, &[]).with_status(0);
    submit(&shell, &[]).with_status(2).complaining(&[
        "fox (",
        "fox.py) plays already, from another file than",
        "--name fox",
    ]);
    // The same file, changed, is a new version, from wherever it is named.
    let again = guest(&place, "fox.py", "three");
    assert!(submit(&again, &[]).with_status(0).out.contains("fox version 2"));
    assert!(submit(&shell, &["--name", "fox"]).with_status(0).out.contains("fox version 3"));

    let capital = guest(&place, "Fox", "four");
    submit(&capital, &[]).with_status(2).complaining(&[
        "fox (",
        "Fox differs from it in case alone",
        "--name",
    ]);
    submit(&capital, &["--name", "Fox"]).with_status(0);

    let owl = guest(&place, "owl", "five");
    submit(&owl, &["--author", "alice"]).with_status(0);
    let other = guest(&place, "owl", "six");
    for author in [&["--author", "bob"][..], &[]] {
        for name in [&["--name", "owl"][..], &[]] {
            submit(&other, &[author, name].concat())
                .with_status(2)
                .complaining(&["owl belongs to alice (", "--replace"]);
        }
    }
    // Nobody's name is taken by its capital letter. The host can allow it; to its author it is another of his bots.
    submit(&other, &["--author", "bob", "--name", "Owl"]).with_status(2).complaining(&[
        "Owl looks like owl",
        "it has O where that has o",
        "--replace",
    ]);
    submit(&other, &["--author", "bob", "--name", "Owl", "--replace"]).with_status(0);
    assert!(submit(&other, &["--author", "alice"]).with_status(0).out.contains("owl version 2"));
    submit(&other, &["--author", "alice", "--name", "OWL"])
        .with_status(2)
        .complaining(&["OWL looks like Owl"]);
    // A bot that was retired is still its author's.
    place.call(&["hill", "retire", "hill", "owl"]).with_status(0);
    submit(&owl, &["--author", "bob"]).with_status(2).complaining(&["owl belongs to alice ("]);
    assert!(submit(&owl, &["--author", "bob", "--replace"]).with_status(0).out.contains("owl version 3"));
    assert_eq!(field(&place), ["fox", "Fox", "Owl", "owl"]);
}

#[test]
fn an_interpreter_with_a_file_is_not_a_bot() {
    let place = Place::new();
    place.hill_of_guests("hill", &["-p", "2", "--max-turns=5"], &[]);
    fs::write(place.path("bot.py"), "print(0)\n").expect("a file");
    let whole = script(&place, "whole.sh", "with a first line");
    fs::write(place.path("bot.jar"), "PK").expect("a file");
    let absolute = place.path("bot.py");
    let cases = [
        ("/usr/bin/env python3 -u bot.py".to_owned(), Some("name ./bot.py itself")),
        ("/bin/sh bot.py".to_owned(), Some("name ./bot.py itself, with #!/usr/bin/env")),
        (format!("/bin/sh {}", absolute.display()), Some("it would not see")),
        (format!("/bin/sh -e {whole}"), Some("itself")),
        ("/bin/sh bot.jar".to_owned(), Some("referee docs one-file")),
        ("/bin/sh -c true".to_owned(), None),
    ];
    for (words, complaint) in cases {
        for command in [
            &["play", "football", &*words, &words, "-p", "2", "--max-turns", "2"][..],
            &["check", &words, "--game", "football"],
            &["hill", "submit", "hill", &words],
        ] {
            let ran = place.call(command);
            match complaint {
                Some(complaint) => drop(ran.with_status(2).complaining(&["a bot is one file", complaint])),
                None => assert!(!ran.err.contains("a bot is one file"), "{ran:?}"),
            }
        }
    }
}

#[test]
fn two_programs_of_one_name_are_told_apart_in_play() {
    let place = Place::new();
    for folder in ["old", "new"] {
        fs::create_dir(place.path(folder)).expect("a folder");
    }
    let [old, new] = [("old/bot", "1"), ("new/bot", "2")].map(|(file, mark)| script(&place, file, mark));
    let play = |bots: &[&str]| {
        let words = [
            &["play", "football"],
            bots,
            &["random", "random", "--max-turns", "2", "--sandbox", "off", "--allow-fork"],
        ]
        .concat();
        let ran = place.referee(&words).with_status(0);
        let rows = fs::read_to_string(place.path("games/results.csv")).expect("results");
        let header: Vec<String> =
            rows.lines().next().expect("a header").split(',').map(str::to_owned).collect();
        let bot = header.iter().position(|name| name == "bot").expect("a column");
        let names = rows.lines().skip(1).map(|row| row.split(',').nth(bot).expect("a bot").to_owned());
        let names: Vec<String> = names.collect();
        fs::remove_dir_all(place.path("games")).expect("a folder");
        (names[..2].to_vec(), ran.err)
    };
    let (names, told) = play(&[&old, &new]);
    assert_eq!(names, ["old-bot", "new-bot"]);
    assert!(told.contains("several bots are called bot"), "{told}");
    // One program twice has one name.
    assert_eq!(play(&[&old, &old]).0, ["bot", "bot"]);
    let names = |bots: [&str; 2]| play(&bots).0;
    // A name that the user has chosen stays.
    assert_eq!(names([&format!("x={old}"), &format!("x={new}")]), ["x", "new-x"]);
    assert_eq!(names([&old, &format!("bot={new}")]), ["old-bot", "bot"]);
    assert_eq!(names(["random --seed 7", &format!("random={new}")])[0], "random");
    // The same file with other arguments is another bot.
    let (names, told) = play(&[&old, &format!("{old} --fast")]);
    assert_eq!(names, ["old-bot", "bot-1"]);
    assert!(told.contains(&format!("bot-1 is {old} --fast")), "{told}");
}

#[test]
fn a_house_bot_takes_no_arguments_that_it_does_not_know() {
    let place = Place::new();
    let complaint = "unknown arguments of a house bot";
    for words in [
        "random --seed x",
        "random --seed",
        "random --sed 1",
        "random --seed 1 2",
        "still --seed 1",
        "greedy x",
    ] {
        for command in [
            &["check", words, "--game", "football"][..],
            &["play", "football", words, "still", "still", "still"],
        ] {
            place.call(command).with_status(2).complaining(&[complaint]);
        }
    }
    place
        .call(&["bot", "push", "random", "--seed", "x"])
        .with_status(2)
        .complaining(&[complaint, "a whole number"]);
    let words = [
        "play",
        "football",
        "random --seed 7",
        "still",
        "still",
        "still",
        "--max-turns",
        "2",
        "--sandbox",
        "off",
    ];
    place.call(&words).with_status(0);
}

#[test]
fn options_of_the_host_are_refused_where_a_hill_is_an_address() {
    let place = Place::new();
    for option in [&["--replace"][..], &["--allow-fork"], &["--author", "alice"], &["--contact", "a@b"]] {
        let words = [&["hill", "submit", "http://127.0.0.1:9/hill", "./bot"], option].concat();
        place.call(&words).with_status(2).complaining(&[option[0], "is for the host"]);
    }
}
