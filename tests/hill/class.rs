//! A class from its list to its grades, with bots that play in this process.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use referee_contest::fixture::Fixture;
use referee_contest::{exam, plan};

use crate::called::Calls;
use crate::support::Place;

/// A list as a spreadsheet writes it, with names as people have them.
const LIST: &str = "\u{feff}ID;Name;E-Mail;Team\n\
                    7;Żółć;zolc@example.org;\n\
                    8;李雷;;\n\
                    9;O'Neil, Shaun;shaun@example.org;\n\
                    10;Ann;;red\n\
                    11;Ben;;red\n\
                    12;Cid;;\n";

/// Short games of football, and a panel of three.
const NEW: [&str; 18] = [
    "class",
    "new",
    "algo",
    "football",
    "-p",
    "2",
    "--max-turns",
    "30",
    "--students",
    "list.csv",
    "--deadline",
    "2099-12-15 23:59 Europe/Berlin",
    "--panel",
    "still,random,greedy",
    "--seed",
    "5",
    "--sandbox",
    "off",
];

fn made(more: &[&str]) -> Place {
    let place = Place::new();
    fs::write(place.path("list.csv"), LIST).expect("a list");
    place.call(&[&NEW[..], more].concat()).with_status(0);
    place.without_sandbox("algo");
    let file = place.path("algo/class.toml");
    let text = fs::read_to_string(&file).expect("a class");
    fs::write(
        &file,
        text.replace("\nrounds = 30\n", "\nrounds = 5\n").replace("\nrounds = 100 ", "\nrounds = 3 "),
    )
    .expect("a class");
    place
}

fn hands_in(place: &Place, account: &str, words: &str) {
    let bot = place.guest(&format!("bot{account}"), words);
    let name = format!("bot{account}");
    place.call(&["hill", "submit", "algo", &bot, "--name", &name, "--author", account]).with_status(0);
}

fn set_deadline(place: &Place, deadline: &str) {
    let file = place.path("algo/class.toml");
    let text = fs::read_to_string(&file).expect("a class");
    let lines = text.lines().map(|line| match line.starts_with("deadline = ") {
        true => format!("deadline = \"{deadline}\"\n"),
        false => format!("{line}\n"),
    });
    fs::write(&file, lines.collect::<String>()).expect("a class");
}

#[test]
fn a_class_goes_from_its_list_to_grades_that_an_audit_confirms() {
    let place = made(&[]);
    // Each student has a slip with a token of the account; others cannot read it.
    let slips = fs::read_to_string(place.path("algo/slips.html")).expect("slips");
    for name in ["Żółć", "李雷", "O'Neil, Shaun", "Ann, team red", "Ben, team red", "Cid"] {
        assert!(slips.contains(&format!("<h2>{name}</h2>")), "no slip of {name}");
    }
    assert_eq!(slips.matches("<code>").count(), 6, "a token each");
    for secret in ["slips.html", "students.csv"] {
        let mode = fs::metadata(place.path("algo").join(secret)).expect("a file").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{secret} is readable for others");
    }
    let status = place.call(&["class", "status", "algo"]).with_status(0);
    assert!(
        status.out.starts_with("6 students without a bot that counts:\n  Żółć: has handed in nothing\n"),
        "{status:?}"
    );
    place
        .call(&["class", "exam", "algo"])
        .with_status(2)
        .complaining(&["6 students can hand in until 2099-12-15T23:09:00Z"]);
    place
        .call(&["class", "exam", "algo", "--early"])
        .with_status(2)
        .complaining(&["no student has handed in"]);

    for (account, words) in
        [("7", "house greedy"), ("8", "house still"), ("9", "house random"), ("red", "house greedy")]
    {
        hands_in(&place, account, words);
    }
    place.call(&["hill", "run", "algo", "--rounds", "3"]).with_status(0);
    let plan = place.call(&["class", "exam", "algo", "--plan"]).with_status(0);
    assert!(plan.out.contains("4 bots: by the games of practice, about "), "{plan:?}");
    assert!(plan.out.contains(" will be decided after "), "{plan:?}");
    assert!(!place.path("algo/exam").exists(), "a plan that is only shown is no plan");
    let early = place.call(&["class", "grades", "algo", "--student", "7"]).with_status(0);
    assert_eq!(early.out.lines().next(), Some("Żółć (7): not examined yet"), "{early:?}");

    let exam = place.call(&["class", "exam", "algo", "--early", "--jobs", "2"]).with_status(0);
    assert!(exam.err.contains("not in the exam, without a bot that counts: Cid"), "{exam:?}");
    place.call(&["audit", "algo/exam"]).with_status(0);
    let grades = place.call(&["class", "grades", "algo", "--format", "csv"]).with_status(0);
    let grade = |id: &str| {
        let line = grades
            .out
            .lines()
            .find(|line| line.starts_with(&format!("{id},")))
            .expect("a line of each student");
        let header = grades.out.lines().next().expect("a header").split(',');
        let row = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes()).records().next();
        let row = row.expect("a row").expect("a row");
        let cells: std::collections::BTreeMap<String, String> =
            header.map(str::to_owned).zip(row.iter().map(str::to_owned)).collect();
        cells
    };
    // greedy is above still and random, and cannot be above its copy; both of a team have one grade.
    for id in ["7", "10", "11"] {
        let grade = grade(id);
        assert_eq!(
            (&*grade["above"], &*grade["next"], &*grade["points"]),
            ("random", "greedy", "2.0"),
            "{grade:?}"
        );
        assert_eq!(grade["state"], "undecided", "{grade:?}");
    }
    assert_eq!(grade("7")["mail"], "zolc@example.org");
    assert_eq!(grade("7")["games"], "20", "five rounds of four seats");
    assert_eq!((&*grade("8")["above"], &*grade("8")["before_next"]), ("", "0.5"), "level with its copy");
    assert_eq!((&*grade("12")["state"], &*grade("12")["points"]), ("nothing valid", "0.0"));
    let told = place.call(&["class", "grades", "algo", "--student", "O'Neil, Shaun"]).with_status(0);
    assert!(told.out.starts_with("O'Neil, Shaun (9): "), "{told:?}");
    assert!(
        told.out.contains("bot9 version 1 counts. It came at ") && told.out.contains("in time."),
        "{told:?}"
    );
    let game = told.out.lines().find(|line| line.starts_with("A game that it ended after "));
    let game = game.and_then(|line| line.split_once(": referee ")).unwrap_or_else(|| panic!("{told:?}")).1;
    place.call(&game.split(' ').collect::<Vec<&str>>()).with_status(0);

    // Games that are played to see how long they take are those of students who will play more.
    let plan = plan::open(&place.path("algo/exam")).expect("a plan");
    let sampled = |due: &[f64]| -> Vec<String> {
        let games = exam::samples(&plan, 4, due).into_iter();
        let student = |game: Fixture| {
            game.entrants
                .iter()
                .map(|(_, bot)| bot.name.name.clone())
                .find(|bot| ["7", "8", "9", "red"].contains(&&**bot))
        };
        games.map(|game| student(game).expect("a student sits in each game")).collect()
    };
    assert_eq!(sampled(&[]), ["7", "8", "9", "red"]);
    assert_eq!(sampled(&[1.0, 0.0, 0.0, 3.0]), ["7", "red", "red", "red"]);

    // The exam is over: another call plays nothing, and the grades stay.
    let before = fs::read(place.path("algo/exam/results.csv")).expect("results");
    hands_in(&place, "12", "house greedy");
    let again = place.call(&["class", "exam", "algo", "--early"]).with_status(0);
    assert!(again.err.contains("the exam began before the present version of Cid was there"), "{again:?}");
    assert_eq!(fs::read(place.path("algo/exam/results.csv")).expect("results"), before);

    place.call(&["class", "final", "algo", "--early"]).with_status(0);
    place.call(&["audit", "algo/final"]).with_status(0);
    let results = fs::read_to_string(place.path("algo/final/results.csv")).expect("results");
    assert!(
        ["Żółć", "李雷", "O_Neil__Shaun", "red", "Cid", "still"]
            .iter()
            .all(|bot| results.contains(&format!(",{bot},1,"))),
        "one field of all, by names that people know: {results}"
    );
}

#[test]
fn the_last_version_before_each_deadline_counts_and_late_days_are_named() {
    let place = made(&[]);
    hands_in(&place, "7", "house still");
    hands_in(&place, "7", "house greedy");
    hands_in(&place, "8", "house still");
    let row = |id: &str| {
        let status = place.call(&["class", "status", "algo", "--format", "csv"]).with_status(0);
        let line =
            status.out.lines().find(|line| line.starts_with(&format!("{id},"))).expect("a line").to_owned();
        line.split(',').map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(row("7")[4..6], ["bot7", "2"]);
    // All of it came after this deadline. It counts as late within the late days, and not at all behind them.
    set_deadline(&place, "2026-01-01 12:00 UTC");
    assert_eq!(row("7")[4..8], ["", "", "", ""]);
    let file = place.path("algo/class.toml");
    let text = fs::read_to_string(&file).expect("a class");
    fs::write(&file, text.replace("late_days = 0", "late_days = 365")).expect("a class");
    let late: u32 = row("7")[7].parse().expect("a number of days");
    assert!(late > 300, "{late}");
    // An extension is later than what holds, and is for one student.
    let extend = |student: &str, until: &str| place.call(&["class", "extend", "algo", student, until]);
    extend("Żółć", "2025-01-01 12:00")
        .with_status(2)
        .complaining(&["the deadline of Żółć is 2026-01-01T12:00:00Z"]);
    extend("Zoe", "2099-01-01 12:00").with_status(2).complaining(&["no student has the id or the name Zoe"]);
    extend("7", "soon").with_status(2).complaining(&["is not a date, a time and a time zone"]);
    let told = extend("Żółć", "2099-01-01 12:00 Europe/Berlin").with_status(0);
    assert_eq!(told.out, "Żółć: 2099-01-01T11:00:00Z (UTC)\n");
    assert_eq!(row("7")[7], "0");
    assert!(row("8")[7].parse::<u32>().expect("days") > 300);
}

#[test]
fn pages_show_nicknames_and_grades_show_people() {
    let place = made(&["--nicknames"]);
    let students = fs::read_to_string(place.path("algo/students.csv")).expect("students");
    let nickname =
        students.lines().nth(1).and_then(|line| line.split(',').nth(4)).expect("a nickname").to_owned();
    // The lists that pages and records are made of have nothing of a person.
    assert!(!place.path("algo/people.csv").exists(), "no other name than the account");
    let tokens = fs::read_to_string(place.path("algo/tokens.csv")).expect("tokens");
    assert!(tokens.contains(&format!(",invited,{nickname},")), "{nickname} in {tokens}");
    for person in ["Żółć", "Shaun", ",7,", "red"] {
        assert!(!tokens.contains(person), "{person} in {tokens}");
    }
    let slips = fs::read_to_string(place.path("algo/slips.html")).expect("slips");
    assert!(slips.contains(&format!("Pages call you {nickname}.")), "{slips}");
    assert!(place.call(&["class", "grades", "algo"]).with_status(0).out.contains("Żółć"));
    hands_in(&place, &nickname, "house greedy");
    place.call(&["class", "final", "algo", "--early"]).with_status(0);
    let results = fs::read_to_string(place.path("algo/final/results.csv")).expect("results");
    assert!(results.contains(&format!(",{nickname},1,")) && !results.contains("Żółć"), "{results}");
}

#[test]
fn what_is_wrong_with_a_list_is_told_before_there_is_a_class() {
    for (list, said) in [
        ("id,name\n1,Ann\n1,Ben\n", "list.csv, line 3: the id 1 is there twice"),
        ("number;vorname\n1;Ann\n", "list.csv, line 1: the first line names the columns id and name"),
        ("id,name\n", "there is no student"),
    ] {
        let place = Place::new();
        fs::write(place.path("list.csv"), list).expect("a list");
        place.call(&NEW).with_status(2).complaining(&[said]);
        assert!(!place.path("algo").exists(), "{said}");
    }
    let place = Place::new();
    place.call(&NEW).with_status(2).complaining(&["list.csv: there is no such file", "CSV UTF-8"]);
    fs::write(place.path("list.csv"), b"id;name\n1;J\xfcrgen\n").expect("a list");
    place
        .call(&NEW)
        .with_status(2)
        .complaining(&["list.csv: not text in UTF-8: save the list as \"CSV UTF-8\""]);
    let place = made(&[]);
    place.call(&["hill", "new", "plain", "push", "--no-key"]).with_status(0);
    place.call(&["class", "status", "plain"]).with_status(2).complaining(&["a hill without a class"]);
}

#[test]
fn students_who_come_later_get_accounts_and_slips_and_those_who_leave_have_no_grade() {
    let place = made(&["--nicknames"]);
    let students = || fs::read_to_string(place.path("algo/students.csv")).expect("students");
    let before = students();
    place
        .call(&["class", "add", "algo", "--students", "list.csv"])
        .with_status(2)
        .complaining(&["no student that the class does not know"]);
    let shorter = LIST.replace("12;Cid;;\n", "13;Dan;;\n14;Eve;;red\n");
    fs::write(place.path("list.csv"), shorter).expect("a list");
    let added = place.call(&["class", "add", "algo", "--students", "list.csv"]).with_status(0);
    assert!(added.out.starts_with("Added 2 students: Dan, Eve\n"), "{added:?}");
    assert!(added.err.contains("still in the class: Cid (12)"), "{added:?}");
    assert!(students().starts_with(&before), "who was there keeps the account");
    let account = |id: &str| {
        let row = students().lines().find(|line| line.starts_with(&format!("{id},"))).map(str::to_owned);
        row.expect("a student").split(',').nth(4).expect("an account").to_owned()
    };
    assert_eq!(account("14"), account("10"), "one of a team has its account");
    assert!(!before.contains(&format!(",{},", account("13"))), "a nickname that nobody has");
    let slips = fs::read_to_string(place.path("algo/slips2.html")).expect("slips");
    assert_eq!(slips.matches("<code>").count(), 2, "a token for each new student");
    assert!(place.path("algo/slips.html").exists(), "the first slips stay");
    fs::write(place.path("one.csv"), "id;name\n15;Flo\n").expect("a list");
    let alone = place.call(&["class", "add", "algo", "--students", "one.csv"]).with_status(0);
    assert!(alone.out.starts_with("Added 1 student: Flo\n") && alone.err.is_empty(), "{alone:?}");

    let tokens = || fs::read_to_string(place.path("algo/tokens.csv")).expect("tokens");
    place.call(&["class", "drop", "algo", "14"]).with_status(0);
    assert!(!tokens().contains(&format!(",ended,{},", account("10"))), "the team stays");
    let gone = account("13");
    let dropped = place.call(&["class", "drop", "algo", "Dan"]).with_status(0);
    assert!(dropped.out.contains(&format!("the tokens of {gone} have ended")), "{dropped:?}");
    assert!(tokens().contains(&gone), "{}", tokens());
    let grades = place.call(&["class", "grades", "algo", "--format", "csv"]).with_status(0);
    assert!(!grades.out.contains("Dan") && grades.out.contains("Cid"), "{grades:?}");
}

#[test]
fn another_number_is_another_exam_with_other_games() {
    let place = made(&[]);
    hands_in(&place, "7", "house greedy");
    place.call(&["class", "exam", "algo", "--early"]).with_status(0);
    let file = place.path("algo/class.toml");
    let text = fs::read_to_string(&file).expect("a class");
    fs::write(&file, text.replace("\nnumber = 1\n", "\nnumber = 2\n")).expect("a class");
    let grades = place.call(&["class", "grades", "algo", "--format", "csv"]).with_status(0);
    assert!(grades.out.contains("not examined"), "{grades:?}");
    // Nothing was practised: what is known is of the first exam.
    let exam = place.call(&["class", "exam", "algo", "--early"]).with_status(0);
    assert!(exam.out.contains("1 bot: by the games of practice and of earlier exams, about "), "{exam:?}");
    let seeds = |exam: &str| {
        let plan = fs::read_to_string(place.path("algo").join(exam).join("plan.toml")).expect("a plan");
        plan.lines().find(|line| line.starts_with("seed = ")).expect("a seed").to_owned()
    };
    assert_ne!(seeds("exam"), seeds("exam2"));
    place.call(&["audit", "algo/exam2"]).with_status(0);
}

#[test]
fn two_runners_play_an_exam_together() {
    let place = made(&[]);
    for (account, words) in [("7", "house greedy"), ("8", "house still"), ("9", "house random")] {
        hands_in(&place, account, words);
    }
    std::thread::scope(|scope| {
        let first = scope.spawn(|| place.call(&["class", "exam", "algo", "--early", "--jobs", "1"]));
        // The key is made last.
        let key = place.path("algo/exam/proof/key");
        while !key.exists() && !first.is_finished() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        place.call(&["tournament", "run", "algo/exam", "--jobs", "1"]).with_status(0);
        first.join().expect("it ends").with_status(0);
    });
    let audited = place.call(&["audit", "algo/exam"]).with_status(0);
    let grades = place.call(&["class", "grades", "algo", "--format", "csv"]).with_status(0);
    let rows = grades.out.lines().filter(|row| row.contains("undecided") || row.contains("decided")).count();
    assert_eq!(rows, 3, "{audited:?} {grades:?}");
}

#[test]
fn an_exam_that_was_ended_before_it_had_a_key_is_played_and_says_what_is_left() {
    let place = made(&[]);
    hands_in(&place, "7", "house greedy");
    let plan = ["class", "exam", "algo", "--plan", "--early"];
    let planned = place.call(&plan).with_status(0);
    assert!(planned.out.contains("Play it: referee class exam algo --early"), "{planned:?}");
    let played = place.call(&["class", "exam", "algo", "--early"]).with_status(0);
    assert!(played.out.contains("Żółć") && !played.out.contains("mean_"), "grades, no standings: {played:?}");
    let over = place.call(&plan).with_status(0);
    assert!(over.out.contains("of 1 bot decided after") && over.out.contains("The exam is over"), "{over:?}");
    // A kill between the plan and the key.
    for folder in ["logs", "proof", "records", "rounds"] {
        fs::remove_dir_all(place.path("algo/exam").join(folder)).expect("a folder");
    }
    fs::remove_file(place.path("algo/exam/results.csv")).expect("results");
    let left = place.call(&plan).with_status(0);
    assert!(left.out.contains("0 of 1 bot decided after 0 games in 0 rounds"), "{left:?}");
    assert!(left.out.contains("Go on: referee class exam algo\n"), "{left:?}");
    place.call(&["class", "exam", "algo"]).with_status(0);
    place.call(&["audit", "algo/exam"]).with_status(0);
    assert!(place.path("algo/exam/proof/key").exists());
}

#[test]
fn a_version_of_the_host_says_whether_it_counts_and_a_wrong_date_is_corrected() {
    let place = made(&[]);
    let submits = |account: &str, name: &str| {
        let bot = place.guest(name, "house random");
        place.call(&["hill", "submit", "algo", &bot, "--name", name, "--author", account]).with_status(0).out
    };
    assert!(!submits("7", "seven").contains("counts"), "in time");
    assert!(submits("77", "nobody").contains("it counts for nobody: no student has the account 77"));
    set_deadline(&place, "2020-01-01 12:00");
    assert!(
        submits("8", "eight")
            .contains("it does not count: submissions of 8 have ended at 2020-01-01T12:10:00Z")
    );
    let status = place.call(&["class", "status", "algo"]).with_status(0);
    assert!(
        status.out.contains("李雷: what was handed in came too late, after 2020-01-01T12:10:00Z"),
        "{status:?}"
    );
    // A mistake in the year.
    place.call(&["class", "extend", "algo", "8", "2199-01-02 12:00"]).with_status(0);
    let earlier = ["class", "extend", "algo", "8", "2099-01-02 12:00"];
    place.call(&earlier).with_status(2).complaining(&["a new one is later", "--earlier"]);
    let own = place.call(&[&earlier[..], &["--earlier"]].concat()).with_status(0);
    assert!(own.out.contains("2099-01-02T12:00:00Z"), "{own:?}");
    let back = place.call(&["class", "extend", "algo", "8", "2019-01-02 12:00", "--earlier"]).with_status(0);
    assert!(back.out.contains("2020-01-01T12:00:00Z"), "the deadline of all holds: {back:?}");
}

#[test]
fn an_exam_that_is_stopped_says_by_which_command_it_goes_on() {
    let place = made(&[]);
    // Another process plays, so these are programs.
    for account in ["7", "8", "9"] {
        let bot =
            place.program(&format!("bot{account}"), "#!/bin/sh\nwhile read -r question; do echo 4 4; done\n");
        let name = format!("bot{account}");
        place.referee(&["hill", "submit", "algo", &bot, "--name", &name, "--author", account]).with_status(0);
    }
    let mut exam = place.command(&["class", "exam", "algo", "--early", "--jobs", "1"]);
    let mut exam = exam.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the exam");
    let mut told =
        BufReader::new(exam.stderr.take().expect("its output")).lines().map(|line| line.expect("a line"));
    // Signals are watched now.
    let before: Vec<String> =
        told.by_ref().take_while(|line| !line.contains(" to play, 1 at a time")).collect();
    let process = rustix::process::Pid::from_child(&exam);
    rustix::process::kill_process(process, rustix::process::Signal::INT).expect("SIGINT");
    let rest: Vec<String> = told.collect();
    assert_eq!(exam.wait().expect("its end").code(), Some(75), "{before:?} {rest:?}");
    assert_eq!(rest.last().map(|line| line.trim()), Some("referee class exam algo"), "{rest:?}");
    place.referee(&["class", "exam", "algo", "--jobs", "2"]).with_status(0);
    place.referee(&["audit", "algo/exam"]).with_status(0);
}
