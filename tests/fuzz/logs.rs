//! Logs of games, plain and compressed: audited, told as stories, shown, exported, put to a program again.

use std::fs;
use std::io::Write;
use std::path::Path;

use referee_files::audit::audit_log;
use referee_files::beneath::Spot;
use referee_files::export::{Positions, export};
use referee_files::threads::together;
use referee_files::{log, standard_error};
use referee_games::catalog::GAMES;
use referee_record::Answer;
use referee_record::play::replay::rerun::{Comparison, Rerun, RerunObserver, Terms};
use referee_record::play::table::{Question, Table, TableError};
use referee_show::page::html::page;
use referee_show::view::scene::Scene;
use referee_show::view::screen;
use referee_show::view::story::Story;

use super::mutate::mutated;
use super::{names, run};
use crate::random::Random;
use crate::support::{Place, playthrough};

/// The recorded games, cut down to their beginnings if they are long: half a game is a record, too.
fn recorded() -> Vec<Vec<u8>> {
    GAMES.iter().map(|entry| fs::read(playthrough(entry.name)).expect("a log")).collect()
}

#[test]
fn logs() {
    let (place, recorded) = (Place::new(), recorded());
    run("logs", 60, |random, input| {
        let (one, other) = (random.below(recorded.len()), random.below(recorded.len()));
        let text = mutated(&recorded[one], &recorded[other], random);
        let (file, bytes) = match random.below(3) {
            0 => ("log.csv.gz", gzip(&text)),
            1 if random.percent(50) => ("log.csv.gz", mutated(&gzip(&recorded[one]), &gzip(&text), random)),
            _ => ("log.csv", text.clone()),
        };
        input.set(&bytes);
        let log = place.path(file);
        fs::write(&log, &bytes).expect("a log");
        let came = every_reader(&place, &log, random);
        // A log that agrees has the same bytes for the same game: the change cannot be in a part that follows
        // from the rest.
        if audit_log(&log).is_ok()
            && file == "log.csv"
            && bytes != recorded[one]
            && is_same_game(&bytes, &recorded[one])
        {
            let changed = lines_of(&bytes).zip(lines_of(&recorded[one])).filter(|(now, then)| now != then);
            if changed.clone().any(|(now, _)| now.starts_with("end,") || now.starts_with("effect,")) {
                return Err("an audit agrees with what does not follow".to_owned());
            }
        }
        fs::remove_file(&log).expect("removed");
        came
    });
}

/// Tells whether the settings and all answers are the same.
fn is_same_game(one: &[u8], other: &[u8]) -> bool {
    let given = |bytes| -> Vec<String> {
        lines_of(bytes).filter(|line| !line.starts_with("end,") && !line.starts_with("effect,")).collect()
    };
    given(one) == given(other)
}

fn lines_of(bytes: &[u8]) -> impl Iterator<Item = String> + Clone {
    bytes.split(|byte| *byte == b'\n').map(|line| String::from_utf8_lossy(line).into_owned())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).and_then(|()| writer.finish()).expect("memory can be written to")
}

fn every_reader(place: &Place, log: &Path, random: &mut Random) -> Result<(), String> {
    if let Err(error) = audit_log(log) {
        names(&error, log)?;
    }
    if let Err(error) = rows(log) {
        names(&error, log)?;
    }
    if let Err(error) = story(log, random) {
        names(&error, log)?;
    }
    match random.below(3) {
        0 => {
            let spot = Spot::from(log);
            let errors = standard_error::of_log(&spot);
            if let Err(error) = log::open(log).and_then(|log| page(log, &errors, None, &together)) {
                names(&error, log)?;
            }
        }
        1 => {
            let how = if random.percent(50) { Positions::Changes } else { Positions::Whole };
            if let Err(error) = export(log, &place.path("exported"), how) {
                names(&error, log)?;
            }
        }
        _ => {
            let again = log::open(log).and_then(|log| Rerun::open(log, random.below(20)));
            let done =
                again.and_then(|again| again.run(&mut Parrot::default(), Terms::default(), &mut Nobody));
            if let Err(error) = done {
                names(&error, log)?;
            }
        }
    }
    Ok(())
}

fn rows(log: &Path) -> Result<(), referee_record::error::Error> {
    let (mut reader, _) = log::reader(log)?;
    while let Some(row) = reader.peek()? {
        let (_, _, _) = (row.turn()?, row.seat()?, row.thinking()?);
        reader.take();
    }
    Ok(())
}

fn story(log: &Path, random: &mut Random) -> Result<(), referee_record::error::Error> {
    let mut story = log::open(log).and_then(Story::open)?;
    for _ in 0..3 {
        let turns = random.below(story.turns() as usize + 1) as u32;
        let scene = Scene::of(&mut story, turns)?;
        let text = screen::plain(&scene);
        assert!(!text.contains(['\u{1b}', '\u{9b}', '\0']), "raw control characters");
        if let Some(turn) = turns.checked_sub(1) {
            story.question(turn, referee_rules::Seat::new(0))?;
        }
    }
    Ok(())
}

/// A table at which all seats give the same answer.
#[derive(Default)]
struct Parrot(Vec<Question>);

impl Table for Parrot {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.0 = questions.to_vec();
        Ok(())
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        answers.clear();
        answers.extend(
            self.0.iter().map(|question| Answer { integers: vec![4, 4], ..Answer::empty(question.seat) }),
        );
        Ok(())
    }
}

struct Nobody;

impl RerunObserver for Nobody {
    fn after(&mut self, _compared: &Comparison<'_>) {}
}
