//! The statistics of games, by examples small enough to be computed by hand.

mod affinity;
mod authors;
mod companions;
mod elo;
mod exam;
mod fairness;
mod fields;
mod formats;
mod held;
mod likely;
mod matches;
mod means;
mod opponent_effects;
mod proofs;
mod rank_by;
mod ranked;
mod rounds;
mod sums;

use referee_record::game_result::GameResult;
use referee_record::results::{ResultRow, Scheduled};
use referee_record::{BotName, Digest, Share, Thinking};
use referee_rules::{FaultKind, Seat, Seed};
use referee_testutil::random;

fn bot(number: usize) -> BotName {
    BotName { name: format!("bot{number}"), version: 1, digest: Digest::of(&[number as u8]) }
}

fn scheduled(round: u32, table: u32, rotation: u32) -> Scheduled {
    Scheduled { season: 1, round, table, rotation }
}

/// A game of these bots, by seat, with their shares.
fn game(place: Scheduled, shares: &[(usize, f64)]) -> GameResult {
    let rows = shares.iter().enumerate().map(|(seat, (number, share))| ResultRow {
        game: format!("r{}-t{}-g{}", place.round, place.table, place.rotation),
        started: "2026-01-01T00:00:00Z".to_owned(),
        rules: "football".to_owned(),
        rules_version: 1,
        parameters: String::new(),
        seed: Seed(u64::from(place.round * 1000 + place.table)),
        place_in_schedule: Some(place),
        counts: true,
        clock: "charged".to_owned(),
        sandbox: "off".to_owned(),
        seats: shares.len(),
        seat: Seat::new(seat),
        bot: bot(*number),
        arguments: String::new(),
        score: 10 * (seat as i64 + 1),
        share: Share::of(*share),
        place: 1 + shares.iter().filter(|(_, other)| other > share).count(),
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

fn near(found: f64, due: f64) {
    assert!((found - due).abs() <= 1e-9 * due.abs().max(1.0), "{found}, and not {due}");
}
