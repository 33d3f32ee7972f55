//! Hills with many games, without a process. Shared with `scripts/bench growth`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use referee_contest::fixture::Fixture;
use referee_contest::hill::{Hill, Run};
use referee_files::log::LogFile;
use referee_record::Answer;
use referee_record::game_result::GameResult;
use referee_record::log::GameLog;
use referee_record::play::play;
use referee_record::play::table::{Question, Table, TableError};
use referee_record::results::{self, Circumstances};
use referee_record::{Digest, Heading, identity};
use referee_rules::{Fault, Seat};
use referee_table::process::{Setup, Timekeeping};

/// Enters all games of the first rounds of a hill; `come` returns the result of each. Returns the rows of the
/// last.
pub(crate) fn fill(
    hill: &Hill,
    rounds: u32,
    mut come: impl FnMut(&Run<'_>, &Fixture) -> GameResult,
) -> GameResult {
    let run = hill.begin_run(&Setup::this_program()).expect("a run");
    let path = hill.root().join("results.csv");
    let mut text = BufWriter::new(File::options().append(true).open(path).expect("results"));
    let (mut chain, mut last) = (Digest::of(results::header().as_bytes()), None);
    for fixture in (1..=rounds).flat_map(|round| run.fixtures_of(round)) {
        for row in &*last.insert(come(&run, &fixture)) {
            let row = results::chained(&row.text(), &mut chain);
            text.write_all(row.as_bytes()).expect("room on the disk");
        }
    }
    text.flush().expect("room on the disk");
    last.expect("a game")
}

/// Plays a game of a hill at a table at which no bot is in time. Writes its log, and returns its rows.
pub(crate) fn played(root: &Path, run: &Run<'_>, fixture: &Fixture) -> GameResult {
    let mut game = fixture.entry.start(&fixture.parameters, fixture.seed);
    let bots = fixture.entrants.iter().map(|(_, entrant)| entrant.name.clone()).collect();
    let arguments = fixture.entrants.iter().map(|(_, entrant)| identity::shown(&entrant.program.words()));
    let heading =
        Heading::new(&fixture.id, &*game, &fixture.parameters, bots).with_arguments(arguments.collect());
    let path = run.runner().log_path(&fixture.folder, &fixture.id);
    let mut log = GameLog::begin(&heading, LogFile::create(&path).expect("a log"));
    let outcome = play(&mut *game, &mut Late::default(), &mut log).expect("a game");
    let (file, digest, tally) = log.finish();
    file.publish().expect("a log");
    let circumstances = Circumstances {
        started: "2026-01-01T00:00:00Z".to_owned(),
        scheduled: fixture.scheduled,
        fillers: fixture.fillers.clone(),
        sandbox: "off".to_owned(),
        clock: Timekeeping::default().name().to_owned(),
        rules_digest: None,
        guests: Vec::new(),
        guest_clock: String::new(),
    };
    let name = path.strip_prefix(root).expect("below it").to_string_lossy();
    results::rows_of_game(&heading, &outcome, game.turn(), &tally, (&name, &digest), &circumstances)
}

/// A table at which no bot is in time.
#[derive(Default)]
struct Late(Vec<(Seat, Duration)>);

impl Table for Late {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.0 = questions.iter().map(|question| (question.seat, question.limit)).collect();
        Ok(())
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        let late = |(seat, limit): &(Seat, Duration)| {
            let time = *limit + Duration::from_micros(1);
            Answer { fault: Some(Fault::Late), thinking: time, wall: time, ..Answer::empty(*seat) }
        };
        *answers = self.0.iter().map(late).collect();
        Ok(())
    }
}
