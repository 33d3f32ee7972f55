//! Invented results of tournaments, and the resources of the program to process them. Shared with
//! `scripts/bench tournament`.

use std::fs;
use std::io;

use referee_contest::batch::{list, unit_of};
use referee_contest::fixture::{Entrant, Fixture, game_id};
use referee_contest::plan::Plan;
use referee_contest::runner::GameEnd;
use referee_contest::runner::tries::{bots_of, row_of_given_up};
use referee_record::game_result::GameResult;
use referee_record::results::{Header, ResultRow};
use referee_record::{Digest, Share, Thinking, identity};
use referee_rules::{BySeat, FaultKind, Seat};
use referee_statistics::schedule::deal::Pairing;
use referee_store::{Claim, Disk, RealDisk, Runner};
use referee_table::process::Timekeeping;

use crate::random::Random;

/// Records and lists all games of a plan, as if they had been played: bot 0 is the best by a little, and so on.
pub(crate) fn simulate(plan: &Plan, random: &mut Random) {
    commit(plan, random, |_, rows| GameEnd::Over(rows));
}

/// Records and lists all games of a plan, as if a runner had played them. The given results and invented rows describe
/// the games.
pub(crate) fn commit(
    plan: &Plan,
    random: &mut Random,
    mut came: impl FnMut(&Pairing, GameResult) -> GameEnd,
) {
    let records = plan.folder.join("records");
    fs::create_dir_all(&records).expect("a folder");
    let mut runner = Runner::start(Unsynced(RealDisk::new(&records)), "simulated").expect("a runner");
    runner.note(&["columns".to_owned(), Header::current().names()]).expect("a record");
    let about = ["plan", plan.id.as_str(), "nowhere", "2026-01-01T00:00:00Z"].map(str::to_owned);
    runner.note(&about).expect("a record");
    for (number, games) in plan.batches().enumerate() {
        let names: Vec<String> = games.iter().map(|game| game_id(game.scheduled)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let unit = unit_of(number);
        assert_eq!(runner.claim(&unit, &names).expect("a claim"), Claim::Mine);
        for (game, name) in games.iter().zip(names) {
            let fixture = plan.fixture(game, "");
            let clock = plan.contents.host.clock.name().to_owned();
            let rows = rows_of(&fixture, &game.entrants, random).into_iter();
            let rows = rows.map(|row| ResultRow { clock: clock.clone(), ..row }).collect();
            let begun = runner.at_once(&unit, name).expect("its batch is claimed");
            match came(game, GameResult::new(rows)) {
                GameEnd::Over(rows) => {
                    let cells: Vec<String> = rows.iter().map(ResultRow::text).collect();
                    runner.over(begun, &cells).expect("a record");
                }
                GameEnd::Void(why) => {
                    let row = row_of_given_up(name, bots_of(&fixture), 0, &why);
                    let row = serde_json::to_string(&row).expect("plain values");
                    runner.give_up(begun, &[row]).expect("a record");
                }
            }
        }
    }
    runner.end().expect("a seal");
    list::bring_up(plan).expect("a list");
}

/// A disk that waits for nothing.
#[derive(Clone)]
struct Unsynced(RealDisk);

impl Disk for Unsynced {
    type File = <RealDisk as Disk>::File;

    fn create(&self, name: &str) -> io::Result<Self::File> {
        self.0.create(name)
    }

    fn append(&self, file: &Self::File, bytes: &[u8]) -> io::Result<()> {
        self.0.append(file, bytes)
    }

    fn sync(&self, _: &Self::File) -> io::Result<()> {
        Ok(())
    }

    fn sync_named(&self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn sync_folder(&self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn lock(&self, file: &Self::File) -> io::Result<()> {
        self.0.lock(file)
    }

    fn is_locked(&self, name: &str) -> io::Result<bool> {
        self.0.is_locked(name)
    }

    fn read(&self, name: &str, from: u64, most: u64) -> io::Result<Vec<u8>> {
        self.0.read(name, from, most)
    }

    fn length(&self, name: &str) -> io::Result<u64> {
        self.0.length(name)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        self.0.list(folder)
    }

    fn make_folder(&self, folder: &str) -> io::Result<()> {
        self.0.make_folder(folder)
    }

    fn link(&self, from: &str, to: &str) -> io::Result<()> {
        self.0.link(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove(name)
    }
}

/// Invents the rows of a game between these bots, by their numbers.
pub(crate) fn rows_of(fixture: &Fixture, bots: &BySeat<usize>, random: &mut Random) -> GameResult {
    let share = |bot: usize, random: &mut Random| {
        let noise = random.between(-150_000, 150_000) as f64 / 1e6;
        ((0.35 - 0.02 * bot as f64 + noise).clamp(0.0, 1.0) * 1e6).round() / 1e6
    };
    let shares: Vec<f64> = bots.iter().map(|(_, bot)| share(*bot, random)).collect();
    let info = fixture.entry.start(&fixture.parameters, fixture.seed).info().clone();
    let row = |(seat, bot): (Seat, &Entrant)| ResultRow {
        game: fixture.id.clone(),
        started: "2026-01-01T00:00:00Z".to_owned(),
        rules: fixture.entry.name.to_owned(),
        rules_version: info.version,
        parameters: fixture.parameters.to_string(),
        seed: fixture.seed,
        place_in_schedule: fixture.scheduled,
        counts: !fixture.fillers.contains(&seat),
        clock: Timekeeping::default().name().to_owned(),
        sandbox: "off".to_owned(),
        seats: bots.len(),
        seat,
        bot: bot.name.clone(),
        arguments: identity::shown(&bot.program.words()),
        score: (shares[seat.index()] * 1020.0) as i64,
        share: Share::of(shares[seat.index()]),
        place: 1 + shares.iter().filter(|other| **other > shares[seat.index()]).count(),
        end: "no_balls".to_owned(),
        turns: 100,
        faults: [0; FaultKind::ALL.len()],
        thinking: Thinking { total_us: 1000, p99_us: 20, max_us: 30, wall_us: 1000, wall_max_us: 30 },
        log: "logs/none.csv".to_owned(),
        log_digest: Digest::of(b"none"),
        rules_digest: None,
    };
    GameResult::new(fixture.entrants.iter().map(row).collect())
}
