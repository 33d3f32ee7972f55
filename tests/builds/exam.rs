//! An exam of a class seats what its hill has built: a program with a folder, too.

use std::fs;

use referee_contest::bot::NewBot;
use referee_contest::class::contests::{Kind, make};
use referee_contest::class::roll::Roll;
use referee_contest::class::settings::ClassSettings;
use referee_contest::file::EntrantLine;
use referee_contest::fixture::Fixture;
use referee_contest::folder::Folder;
use referee_contest::runner::GameEnd;
use referee_contest::{exam, plan};
use referee_rules::{FaultKind, Seed};
use referee_sandbox::Tier;

use crate::Test;
use crate::hills::{C, Place};

pub(crate) const TESTS: &[Test] =
    &[("exam::a_folder_sits_in_an_exam_with_its_files", None, folder_is_examined)];

fn folder_is_examined() {
    let mut place = Place::with(&[("turns", 5)]);
    place.setup.sandbox = Tier::Strict;
    let admitted = place.submit_by(Some("7"), "py", &place.python()).expect("admitted").bot;
    let net = place.submit("net", &place.write("net.c", C)).expect("admitted").bot;
    fs::write(place.path("h/students.csv"), "id,name,mail,team,account,format\n7,Ann,,,7,1\n")
        .expect("students");
    let panel = ["a", "b", "c", "d", "net"].map(|bot| format!("staff/{bot}"));
    let class = ClassSettings::new("2099-12-15 23:59".to_owned(), panel.to_vec());
    fs::write(place.path("h/class.toml"), class.text()).expect("a class");
    let roll = Roll::read(place.hill.root()).expect("a roll");
    let made = make(&place.hill, &roll, Kind::Exam).expect("an exam");
    let of_panel = |line: &EntrantLine| NewBot {
        name: line.name.clone(),
        file: place.stored(net.digest.as_str()),
        source: line.name.clone(),
        arguments: Vec::new(),
        allow_fork: false,
        author: String::new(),
        built: None,
    };
    let mut bots: Vec<NewBot> = made.panel().iter().map(of_panel).collect();
    bots.extend(made.bots_of_students(&place.hill));
    let folder = Kind::Exam.folder(&place.hill, &roll.settings);
    let mut plan = plan::first(&folder, &made.tournament, &bots, Seed(0)).expect("a plan");
    let planned = plan.contents.entrant.last().expect("the student");
    assert_eq!(
        (&planned.digest, &planned.source_digest, &planned.toolchain),
        (&admitted.digest, &admitted.source_digest, &admitted.toolchain)
    );
    // The exam has its own copy, read again when it is opened.
    fs::remove_dir_all(place.path("h/store")).expect("removed");
    plan.verify_bots().expect("as planned");
    let mut plan = plan::open(&folder).expect("a plan");
    plan.verify_bots().expect("as planned");
    let (played, _) = Folder::open(&place.path("played")).expect("a folder");
    let mut games = 0;
    let samples = exam::samples(&plan, 2, &[]);
    let report = |_: &Fixture, end: GameEnd| {
        let GameEnd::Over(rows) = end else { panic!("{end:?}") };
        let row = rows.iter().find(|row| row.bot.name == "7").expect("the student sits in each game");
        let others = FaultKind::ALL.iter().zip(row.faults).filter(|(kind, _)| kind.name() != "illegal");
        assert_eq!(
            others.map(|(_, count)| count).sum::<u64>(),
            0,
            "without its files it would stop: {row:?}"
        );
        games += 1;
    };
    played.play_all(samples, &place.setup, 1, None, report).expect("played");
    assert_eq!(games, 2);
    let text = folder.join("store").join(&admitted.digest.as_str()[..2]).join(admitted.digest.as_str());
    fs::remove_file(text.join("data/answer.txt")).expect("removed");
    let why = plan.verify_bots().expect_err("changed").to_string();
    assert!(why.contains("not the program that was planned for 7"), "{why}");
}
