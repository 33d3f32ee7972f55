//! Invented results of a season, on a hill of bots that were never started.

use referee_contest::fixture::Entrant;
use referee_contest::hill::seasons;
use referee_contest::hill::terms::{GameTerms, Terms};
use referee_contest::hill::{Hill, HillSettings};
use referee_files::results::ResultsFile;
use referee_games::catalog;
use referee_record::game_result::GameResult;
use referee_record::results::ResultRow;
use referee_record::{BotName, Digest, Share, Thinking};
use referee_rules::{FaultKind, Parameters, Seed};
use referee_statistics::fairness::FairnessFinding;
use referee_statistics::rating::Ratings;
use referee_statistics::schedule::deal::{self, Pairing};
use referee_statistics::season::SeasonAccount;
use referee_statistics::stop_rule::StopRule;
use referee_table::process::{Program, Setup};
use tempfile::TempDir;

/// A hill of bots that were never started.
pub struct Simulated {
    folder: TempDir,
    pub hill: Hill,
    pub bots: Vec<BotName>,
    season: u32,
}

impl Simulated {
    pub fn new(bots: usize) -> Simulated {
        let folder = TempDir::new().unwrap();
        let entry = catalog::find("football").unwrap();
        let hill = Hill::create(
            folder.path(),
            entry,
            Parameters::defaults(entry.parameters),
            Seed(11),
            HillSettings::default(),
        )
        .unwrap();
        let mut simulated = Simulated { folder, hill, bots: Vec::new(), season: 0 };
        simulated.change_field((0..bots).map(bot).collect());
        simulated
    }

    /// Begins a season.
    pub fn change_field(&mut self, bots: Vec<BotName>) {
        let program = Program::new("never", Vec::new());
        let entrant =
            |name: &BotName| Entrant { name: name.clone(), program: program.clone(), author: String::new() };
        let field: Vec<Entrant> = bots.iter().map(entrant).collect();
        let games = GameTerms::new(&Setup::this_program(), "one-seating".to_owned(), 1);
        let terms = Terms::new(games, self.hill.settings().rule(), false);
        let root = self.folder.path();
        let before = seasons::read(root).unwrap();
        let current = seasons::of_field(root, &before, &field, &terms, None, true).unwrap();
        self.season = current.number;
        self.bots = bots;
    }

    pub fn pairings(&self, rounds: u32) -> Vec<Pairing> {
        let deal = |round| {
            deal::round(
                Seed(11),
                (self.season, round),
                self.hill.entry(),
                self.hill.parameters(),
                self.bots.len(),
            )
        };
        (1..=rounds).flat_map(deal).collect()
    }

    /// The rows of a game in which each seat has the share that `share` returns for its bot.
    pub fn game(&self, pairing: &Pairing, mut share: impl FnMut(usize, usize) -> f64) -> GameResult {
        let shares: Vec<f64> =
            pairing.entrants.iter().map(|(seat, bot)| share(*bot, seat.index()).clamp(0.0, 1.0)).collect();
        let place = pairing.scheduled;
        let rows = pairing.entrants.iter().map(|(seat, bot)| ResultRow {
            game: format!("s{:03}-r{:05}-t{:03}-g{}", place.season, place.round, place.table, place.rotation),
            started: "2026-01-01T00:00:00Z".to_owned(),
            rules: "football".to_owned(),
            rules_version: 1,
            parameters: pairing.parameters.to_string(),
            seed: pairing.seed,
            place_in_schedule: Some(place),
            counts: !pairing.fillers.contains(&seat),
            clock: "charged".to_owned(),
            sandbox: "off".to_owned(),
            seats: pairing.entrants.len(),
            seat,
            bot: self.bots[*bot].clone(),
            arguments: String::new(),
            score: (shares[seat.index()] * 1020.0) as i64,
            // As in the file.
            share: Share::of_micros((shares[seat.index()] * 1e6).round() as i64),
            place: 1 + shares.iter().filter(|other| **other > shares[seat.index()]).count(),
            end: "no_balls".to_owned(),
            turns: 100,
            faults: [0; FaultKind::ALL.len()],
            thinking: Thinking { total_us: 1000, p99_us: 20, max_us: 30, wall_us: 1000, wall_max_us: 30 },
            log: "logs/none.csv".to_owned(),
            log_digest: Digest::of(b"none"),
            rules_digest: None,
        });
        GameResult::new(rows.collect())
    }

    pub fn enter(&self, games: &[GameResult]) {
        let (mut file, _) = ResultsFile::open(&self.folder.path().join("results.csv")).unwrap();
        games.iter().for_each(|game| file.append(game).unwrap());
    }

    pub fn account(&self) -> (SeasonAccount, Ratings) {
        self.hill.account(None, StopRule::default()).unwrap().expect("games")
    }

    pub fn findings_of(&self, games: &[GameResult]) -> Vec<FairnessFinding> {
        self.enter(games);
        self.account().0.fairness.findings()
    }
}

pub fn bot(number: usize) -> BotName {
    BotName { name: format!("bot{number}"), version: 1, digest: Digest::of(&[number as u8]) }
}
