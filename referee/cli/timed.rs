//! How long the games of a contest take on this machine: house bots play the first rounds of one, which are timed, and
//! the number of turns of a whole game is that of one whose players are silent.

use std::time::Duration;

use referee_contest::admission::by::By;
use referee_contest::hill::{Hill, HillSettings, Replaces, Submission};
use referee_games::catalog::Entry;
use referee_rules::{Events, Fault, Parameters, Seed, Value};
use referee_statistics::season::two_digits;
use referee_statistics::stop_rule::StopRule;
use referee_table::clock::Clock;
use referee_tables::eta;

use crate::bot;
use crate::host::HostOptions;
use crate::progress::Task;

/// Number of rounds that are timed.
const ROUNDS: i64 = 400;

/// Returns a line about the time until equal bots are joint winners; `None` for games of which a round has several
/// tables, or if this machine cannot play one. `bots` is the size of the field; 0: one for each seat.
pub(super) fn joint_winners(
    entry: &'static Entry,
    parameters: &Parameters,
    rule: &StopRule,
    bots: usize,
) -> Option<String> {
    if entry.table(parameters).is_some() {
        return None;
    }
    let mut first = parameters.clone();
    let is_cut =
        |(name, value)| name == "max_rounds" && matches!(value, Value::Integer(rounds) if rounds > ROUNDS);
    let is_cut = parameters.iter().any(is_cut);
    if is_cut {
        first.set("max_rounds", ROUNDS).ok()?;
    }
    let (time, seats) = one_game(entry, &first).ok()?;
    let longer = turns(entry, parameters, seats)? / turns(entry, &first, seats)?.max(1.0);
    let time = time.mul_f64(longer.max(1.0));
    let bots = if bots == 0 { seats } else { bots };
    let copies = seats.div_ceil(bots).max(1) as f64;
    // One of the seats wins, whichever: that is how far two bots differ in a round.
    let deviation = (2.0 / bots as f64).sqrt() / copies;
    let rounds = rule.joint_rounds(bots, deviation)?;
    let epsilon = rule.epsilon;
    let game = match time.as_secs() {
        0 => "a second".to_owned(),
        _ => eta::time(time),
    };
    Some(format!(
        "A game takes about {game} on this machine (house bots in {seats} seats were timed). Until {bots} equal bots \
         are joint winners (epsilon {epsilon}), about {} rounds: about {} if one game is played at a time.",
        two_digits(rounds.ceil() as u64),
        eta::time(time.mul_f64(rounds))
    ))
}

/// Returns the number of turns of a game whose players are silent.
fn turns(entry: &'static Entry, parameters: &Parameters, seats: usize) -> Option<f64> {
    let (seated, _) = entry.seat(parameters, seats).ok()?;
    let (mut game, mut events) = (entry.start(&seated, Seed(1)), Events::default());
    while !game.asked().is_empty() {
        for seat in game.asked().to_vec() {
            game.answer(seat, Err(&Fault::Late));
        }
        events.clear();
        game.resolve(&mut events);
    }
    Some(f64::from(game.turn()))
}

/// Plays a game; returns its time and its seats.
fn one_game(entry: &'static Entry, parameters: &Parameters) -> anyhow::Result<(Duration, usize)> {
    let scratch = tempfile::Builder::new().prefix("referee-timed-").tempdir()?;
    let mut settings = HillSettings::default();
    settings.set("block", "one-game").map_err(|error| anyhow::anyhow!("{error}"))?;
    let hill = Hill::create(&scratch.path().join("hill"), entry, parameters.clone(), Seed(1), settings)?;
    let setup = HostOptions::default().setup_on(&hill)?;
    for house in bot::house_bots(entry.name) {
        let bot = bot::find(entry, house.name)?;
        let submission = Submission {
            replaces: Replaces::Any,
            name: bot.name,
            file: bot.file,
            source: bot.source,
            arguments: bot.arguments,
            may_fork: false,
            author: None,
            contact: None,
            by: By::Host,
        };
        hill.submit(&submission, &setup)?;
    }
    let run = hill.begin_run(&setup)?;
    let fixtures = run.fixtures_of(1);
    let seats = fixtures.first().map_or(0, |game| game.entrants.len());
    let task = Task::new("timing a game".to_owned());
    let clock = Clock::start();
    let mut is_over = false;
    run.play(fixtures, &setup, 1, |_, end| {
        is_over |= matches!(end, referee_contest::runner::GameEnd::Over(_))
    })?;
    let time = clock.now().0;
    drop(task);
    anyhow::ensure!(is_over && seats > 0, "the game did not count");
    Ok((time, seats))
}
