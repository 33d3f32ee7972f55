//! Invented results of tournaments, and the resources of the program to process them. Shared with
//! `scripts/bench tournament`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use referee_contest::batch::results::Batch;
use referee_contest::batch::results_of;
use referee_contest::fixture::{Entrant, Fixture};
use referee_contest::plan::Plan;
use referee_contest::plan::schedule_file::Game;
use referee_contest::runner::GameEnd;
use referee_record::game_result::GameResult;
use referee_record::results::ResultRow;
use referee_record::{Digest, Thinking, identity};
use referee_rules::{BySeat, FaultKind, Seat};
use referee_table::clock::Clock;
use referee_table::process::Timekeeping;

use crate::random::Random;

/// Commits all batches of a plan, as if they had been played: bot 0 is the best by a little, and so on.
pub(crate) fn simulate(plan: &Plan, random: &mut Random) {
    commit(plan, random, |_, rows| GameEnd::Over(rows));
}

/// Commits all batches of a plan, as if they had been played. The given results and invented rows describe
/// the games.
pub(crate) fn commit(plan: &Plan, random: &mut Random, mut came: impl FnMut(&Game, GameResult) -> GameEnd) {
    for batch in 0..plan.index.batches.len() {
        let games = plan.batch(batch).expect("a batch");
        let of_game = |game: Game| {
            let rows = rows_of(&plan.fixture(&game, ""), &game.entrants, random);
            let rows =
                rows.into_iter().map(|row| ResultRow { clock: plan.timekeeping.name().to_owned(), ..row });
            let came = came(&game, GameResult::new(rows.collect()));
            (game, came)
        };
        let games: Vec<(Game, GameEnd)> = games.into_iter().map(of_game).collect();
        let text = Batch::of_ends(plan, games).text(&plan.id, batch);
        // Like a file of the runner, but without the sync.
        let path = results_of(&plan.folder, batch);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a batch");
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
        share: shares[seat.index()],
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

/// Runs a program to its end, which has to be a success. Returns the time that it took, in seconds, and its
/// maximum memory, in KiB.
pub(crate) fn measure(command: &mut Command) -> (f64, u64) {
    let clock = Clock::start();
    let mut referee = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("referee");
    let status = Path::new("/proc").join(referee.id().to_string()).join("status");
    let mut peak = 0;
    let ended = loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let mark = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        peak = peak.max(mark.unwrap_or(0));
        if let Some(ended) = referee.try_wait().expect("a child") {
            break ended;
        }
        thread::sleep(Duration::from_millis(2));
    };
    assert!(ended.success(), "{command:?}: {ended}");
    (clock.now().0.as_secs_f64(), peak)
}
