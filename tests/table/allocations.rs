//! In a running game, a turn allocates no memory: the referee is as fast in turn 10,000 as in turn 100, and
//! as large.

use allocation_counter::measure;
use referee_files::log::LogFile;
use referee_games::catalog;
use referee_record::Answer;
use referee_record::error::ErrorKind;
use referee_record::log::GameLog;
use referee_record::play::play;
use referee_record::play::table::{Question, Table, TableError};
use referee_record::{BotName, Digest, Heading};
use referee_rules::{BySeat, Parameters, Seed};
use referee_table::process::{ProcessTable, Program, Setup};

use crate::support::{Place, REFEREE};

/// A parameter and its value.
type Set = (&'static str, i64);

/// A table that stops the game after this number of turns.
struct LimitedTable {
    table: ProcessTable,
    turns: u32,
}

impl Table for LimitedTable {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        match self.turns.checked_sub(1) {
            Some(left) => self.turns = left,
            None => return Err(TableError::Stopped),
        }
        self.table.ask(questions)
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        self.table.collect(answers)
    }
}

/// Plays the beginning of a real game, with its record, and counts the allocations.
fn allocations(game: &str, set: &[Set], bots: &[&str], turns: u32) -> u64 {
    let place = Place::new();
    let entry = catalog::find(game).expect("a game");
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in set.iter().chain(&[("first_ms", 600_000)]) {
        parameters.set(name, *value).expect("a parameter");
    }
    let (parameters, _) = entry.seat(&parameters, bots.len()).expect("so many can play");
    let mut game = entry.start(&parameters, Seed(7));
    let anybody = BotName { name: "bot".to_owned(), version: 1, digest: Digest::of(b"") };
    let heading = Heading::new("game", &*game, &parameters, BySeat::from_fn(bots.len(), |_| anybody.clone()));
    let mut log = GameLog::begin(&heading, LogFile::create(&place.path("log.csv")).expect("a log"));
    let program =
        |bot: &&str| Some(Program::new(&REFEREE, ["bot", entry.name, bot].map(Into::into).to_vec()));
    let programs: BySeat<Option<Program>> = bots.iter().map(program).collect();
    let table = ProcessTable::open(game.info(), &programs, &Setup::with(&*REFEREE)).expect("a table");
    let mut table = LimitedTable { table, turns };
    let counted = measure(|| {
        let played = play(&mut *game, &mut table, &mut log);
        assert!(played.as_ref().is_err_and(|error| error.kind() == ErrorKind::Stopped), "{played:?}");
    });
    assert_eq!(game.turn(), turns, "all these turns were played");
    counted.count_total
}

#[test]
fn a_turn_asks_for_no_memory() {
    const TURNS: u32 = 200;
    // Reused buffers grow sometimes, when a turn contains more than ever before.
    const GROWTH: u64 = 8;
    // All times are stored, for the p99: three times as many fill a list that doubles at most twice.
    const DOUBLED: u64 = 2;
    const TRIES: u32 = 5;
    let calm = ("turn_ms", 600_000);
    let games: [(&str, &[Set], &[&str]); 4] = [
        ("football", &[("p", 10), ("k", 10), ("stall_turns", 0), calm], &["random"; 4]),
        ("foosball", &[("bank_ms", 600_000)], &["chaser"; 2]),
        ("push", &[("turns", 1000), calm], &["random"; 6]),
        ("target", &[("idle_rounds", 0), calm], &["random"; 16]),
    ];
    for (game, set, bots) in games {
        let more = GROWTH + DOUBLED * bots.len() as u64;
        // Unexpected things may happen in a turn, on a busy machine. So the minimum over some games counts.
        let mut least = [u64::MAX; 2];
        let is_met = (0..TRIES).any(|_| {
            for (least, turns) in least.iter_mut().zip([TURNS, 3 * TURNS]) {
                *least = allocations(game, set, bots, turns).min(*least);
            }
            least[1] <= least[0] + more
        });
        let [short, long] = least;
        println!("{game}: {short} in {TURNS} turns, {long} in {}", 3 * TURNS);
        assert!(is_met, "{game}: {short} in {TURNS} turns, {long} in {}", 3 * TURNS);
    }
}
