//! `racing = true`: bots that cannot be the best any more leave the race. Tables are dealt as always, those
//! without a bot in the race are not played, and a bot that left fills seats and no longer counts.

use std::collections::BTreeSet;
use std::fs;

use referee_contest::file::{self, Tournament};
use referee_contest::fixture::game_id;
use referee_contest::plan::schedule::{self, Following, Schedule};
use referee_contest::plan::{Plan, open};
use referee_contest::runner::GameEnd;
use referee_files::results;
use referee_record::game_result::GameResult;
use referee_record::results::ResultRow;
use referee_record::{BotName, Share};
use referee_rules::{Seat, Seed};
use referee_statistics::schedule::deal::Pairing;
use referee_statistics::schedule::format::Contest;
use referee_statistics::stop_rule::Verdict;

use crate::called::Calls;
use crate::random::Random;
use crate::support::{Place, football};

use super::plan_by_call;
use super::simulated::{commit, rows_of};

const BOTS: usize = 16;

fn text(rounds: u32, racing: bool) -> String {
    let still = football("still").expect("a house bot");
    let entrants: String =
        (0..BOTS).map(|bot| format!("[[entrant]]\nname = \"b{bot:02}\"\nprogram = \"{still}\"\n")).collect();
    format!(
        "name = \"x\"\ngame = \"football\"\nseed = \"3\"\nsandbox = \"off\"\n[format]\nkind = \"rounds\"\n\
         rounds = {rounds}\nblock = \"one-game\"\n[stop]\nlook_every = 5\nracing = {racing}\n{entrants}"
    )
}

/// The bots of a table share by their strengths, and luck.
fn shares(strengths: &[f64], bots: &[usize], random: &mut Random) -> Vec<f64> {
    let all: f64 = bots.iter().map(|bot| strengths[*bot]).sum();
    let luck = |random: &mut Random| random.between(-80_000, 80_000) as f64 / 1e6;
    let share = |bot: &usize| strengths[*bot] / all * 0.9 + luck(random);
    bots.iter().map(share).map(|share| (share.clamp(0.0, 1.0) * 1e6).round() / 1e6).collect()
}

/// Bot 0 is the best, bot 1 close to it, and all others are well behind.
fn two_ahead() -> Vec<f64> {
    (0..BOTS).map(|bot| [1.1, 1.0][..].get(bot).copied().unwrap_or(0.7 - 0.02 * bot as f64)).collect()
}

fn commit_shares(plan: &Plan, strengths: &[f64], random: &mut Random) {
    let mut own = Random::new(u64::from(plan.contents.round));
    commit(plan, random, |game, rows| {
        let bots: Vec<usize> = game.entrants.iter().map(|(_, bot)| *bot).collect();
        let shares = shares(strengths, &bots, &mut own);
        let rows =
            rows.into_iter().zip(shares).map(|(row, share)| ResultRow { share: Share::of(share), ..row });
        GameEnd::Over(GameResult::new(rows.collect()))
    });
}

#[test]
fn who_left_the_race_fills_tables_and_tables_without_a_racer_are_not_played() {
    let place = Place::new();
    fs::write(place.path("x.toml"), text(2000, true)).expect("a file");
    plan_by_call(&place, "x.toml", "T");
    let mut round = 1;
    let mut sizes = Vec::new();
    loop {
        let plan = open(&place.path("T")).expect("a plan");
        sizes.push(u64::from(plan.contents.games));
        commit_shares(&plan, &two_ahead(), &mut Random::new(round));
        round += 1;
        let next =
            place.call(&["tournament", "plan", "--dir", "T", "--round", &round.to_string()]).with_status(0);
        if next.out.contains("over") {
            break;
        }
    }
    let verdicts = fs::read_to_string(place.path("T/verdicts.csv")).expect("verdicts");
    assert!(verdicts.contains(",clear_king,b00 1,"), "{verdicts}");
    // A round of all has four games; at the end only two bots are in the race.
    let rows: Vec<ResultRow> = listed(&place);
    let last = rows.last().and_then(|row| row.place_in_schedule).expect("a round").round;
    let of_round = |round: u32| -> Vec<&ResultRow> {
        rows.iter().filter(|row| row.place_in_schedule.is_some_and(|at| at.round == round)).collect()
    };
    assert_eq!(of_round(1).len(), BOTS);
    let racing: BTreeSet<&str> =
        of_round(last).into_iter().filter(|row| row.counts).map(|row| &*row.bot.name).collect();
    assert_eq!(racing, BTreeSet::from(["b00", "b01"]));
    assert!(of_round(last).len() <= 8, "a table of each, or one of both");
    let games: u64 = sizes.iter().sum();
    assert!(games * 10 < u64::from(last) * 4 * 7, "{games} games in {last} rounds");

    // The standings show the number of counted games of each bot, and everything agrees with the plan.
    let standings = place.call(&["tournament", "standings", "--dir", "T", "--format", "csv"]).with_status(0);
    assert!(standings.out.lines().nth(1).is_some_and(|line| line.starts_with("1,b00,")), "{}", standings.out);
}

fn listed(place: &Place) -> Vec<ResultRow> {
    let rows = results::read(&place.path("T/results.csv")).expect("the results");
    rows.into_iter().map(|(_, row)| row).collect()
}

/// A season, by its games.
#[derive(Debug)]
struct Season {
    verdict: Verdict,
    games: usize,
    /// The mean of the counted shares of the first bots, and their number.
    means: [(f64, u32); 2],
}

/// Plays a season without processes: games come from the schedule, and shares from strengths and luck.
fn season(stop_file: &Tournament, seed: u64, strengths: &[f64], template: &ResultRow) -> Season {
    let Tournament { entry, sets, settings, entrants, .. } = stop_file;
    let (format, stop) = (&settings.format, &settings.stop);
    let stop = stop.as_ref().expect("a stop rule");
    let authors = vec![String::new(); entrants.len()];
    let contests: Vec<Contest> = schedule::contests(entry, Seed(seed), sets, authors).collect();
    let bot = |bot: usize| BotName { name: format!("b{bot:02}"), ..template.bot.clone() };
    let bots: Vec<BotName> = (0..entrants.len()).map(bot).collect();
    let names: Vec<&str> = bots.iter().map(|bot| &*bot.name).collect();
    let mut accounts = schedule::accounts(format, stop, &contests, &bots);
    let games_of = |decided| -> Vec<Pairing> {
        let dealt = Schedule::new(format, &decided, &contests, &names, 1, u32::MAX);
        dealt.expect("rounds").games().collect()
    };
    let mut stage = games_of(schedule::first(format, Some(stop), &contests, &names));
    let mut random = Random::new(seed);
    let (mut games, mut means) = (0, [(0.0, 0); 2]);
    loop {
        games += stage.len();
        for of_round in stage.chunk_by(|one, other| one.scheduled.round == other.scheduled.round) {
            accounts[0].shorten(of_round[0].scheduled.round, of_round.len());
        }
        for pairing in &stage {
            let table: Vec<usize> = pairing.entrants.iter().map(|(_, bot)| *bot).collect();
            let shares = shares(strengths, &table, &mut random);
            let row = |((seat, index), share): ((Seat, &usize), f64)| {
                let counts = !pairing.fillers.contains(&seat);
                if let (Some((sum, count)), true) = (means.get_mut(*index), counts) {
                    (*sum, *count) = (*sum + share, *count + 1);
                }
                ResultRow {
                    game: game_id(pairing.scheduled),
                    place_in_schedule: Some(pairing.scheduled),
                    seed: pairing.seed,
                    bot: bots[*index].clone(),
                    seat,
                    share: Share::of(share),
                    counts,
                    ..template.clone()
                }
            };
            accounts[0].add(GameResult::new(pairing.entrants.iter().zip(shares).map(row).collect()));
        }
        match schedule::after_stage(format, stop, &names, &accounts) {
            Following::Round(next) => stage = games_of(next),
            Following::Over(..) => {
                let verdict = accounts[0].verdict().expect("it is over");
                return Season {
                    verdict,
                    games,
                    means: means.map(|(sum, count)| (sum / f64::from(count), count)),
                };
            }
        }
    }
}

/// Plays seasons with and without a race, from the same seeds.
fn seasons(count: u64, rounds: u32, strengths: &[f64]) -> [Vec<Season>; 2] {
    let place = Place::new();
    [false, true].map(|racing| {
        fs::write(place.path("x.toml"), text(rounds, racing)).expect("a file");
        let dir = format!("T{racing}");
        plan_by_call(&place, "x.toml", &dir);
        let planned = open(&place.path(&dir)).expect("a plan");
        let game = planned.batch(0).expect("a batch").remove(0);
        let rows = rows_of(&planned.fixture(&game, ""), &game.entrants, &mut Random::new(1));
        let template = rows.into_iter().next().expect("a row");
        let tournament = file::read(&place.path("x.toml")).expect("a tournament");
        (0..count).map(|seed| season(&tournament, seed, strengths, &template)).collect()
    })
}

#[test]
fn a_race_finds_the_same_king_in_far_fewer_games_and_keeps_the_mean_of_the_whole_field() {
    let [all, race] = seasons(12, 4000, &two_ahead());
    let games = |seasons: &[Season]| seasons.iter().map(|season| season.games).sum::<usize>();
    let right = |seasons: &[Season]| seasons.iter().all(|season| season.verdict == Verdict::ClearKing(0));
    assert!(right(&all) && right(&race), "{all:?} {race:?}");
    // A race may take some rounds more or less: after its first stage, luck is distributed differently.
    assert!(games(&race) * 10 < games(&all) * 7, "{} {}", games(&all), games(&race));
    println!("a race: {} of {} games", games(&race), games(&all));
    // A bot in the race scores what it scores against the whole field: standard errors are below 0.003.
    for bot in 0..2 {
        let mean = |seasons: &[Season]| {
            let sums = seasons.iter().map(|season| season.means[bot]);
            let (sum, count) = sums.fold((0.0, 0.0), |(sum, count), (mean, games)| {
                (sum + mean * f64::from(games), count + f64::from(games))
            });
            sum / count
        };
        assert!((mean(&all) - mean(&race)).abs() < 0.012, "{bot}: {} {}", mean(&all), mean(&race));
    }
}

#[test]
fn a_race_of_equals_errs_no_more_often_than_alpha_allows() {
    let [_, race] = seasons(40, 150, &[1.0; BOTS]);
    let wrong = race.iter().filter(|season| matches!(season.verdict, Verdict::ClearKing(_))).count();
    // At alpha 0.05, more than 6 of 40 occur in one of 250 suites at most.
    assert!(wrong <= 6, "{wrong} of 40");
}
