//! Which opponents make a difference: equal bots have nearly none, a planted one is found.

use referee_record::BotName;
use referee_record::game_result::GameResult;
use referee_record::results::ResultRow;
use referee_statistics::opponent_effects::differences;
use referee_statistics::pairs::Pair;
use referee_testutil::random::Random;
use referee_testutil::season_results::Simulated;

/// Plays rounds of bots. `share` returns the share of a seat: the bot, the bots of the game, a random part from 0 to 1.
/// Returns the pairs, and the mean share of each bot.
fn played(
    bots: usize,
    rounds: u32,
    seed: u64,
    share: impl Fn(usize, &[usize], f64) -> f64,
) -> (Vec<Pair>, Vec<(BotName, f64)>) {
    let simulated = Simulated::new(bots);
    let mut random = Random::new(seed);
    let mut pairs = referee_statistics::pairs::Pairs::default();
    let mut sums = vec![(0.0, 0.0); bots];
    for pairing in simulated.pairings(rounds) {
        let here: Vec<usize> = pairing.entrants.iter().map(|(_, bot)| *bot).collect();
        let game: GameResult = simulated.game(&pairing, |bot, _| {
            let share = share(bot, &here, random.between(0, 1_000_000) as f64 / 1e6);
            sums[bot] = (sums[bot].0 + share, sums[bot].1 + 1.0);
            share
        });
        pairs.add(&game.iter().collect::<Vec<&ResultRow>>());
    }
    let own =
        simulated.bots.iter().cloned().zip(sums).map(|(bot, (sum, games))| (bot, sum / games)).collect();
    (pairs.pairs().collect(), own)
}

/// Returns the pairs that have a colour: bot, opponent, difference.
fn coloured((pairs, own): &(Vec<Pair>, Vec<(BotName, f64)>)) -> Vec<(String, String, f64)> {
    let of = |bot: &BotName| own.iter().find(|(other, _)| other == bot).map(|(_, mean)| *mean);
    let all = pairs.iter().zip(differences(pairs, of));
    all.filter_map(|(pair, difference)| {
        let difference = difference.filter(|difference| *difference != 0.0)?;
        Some((pair.bot.name.clone(), pair.company.name.clone(), difference))
    })
    .collect()
}

/// Shares of equal bots: spread evenly; nothing or all; mostly little, and rarely all.
const SHAPES: [fn(f64) -> f64; 3] =
    [|part| part, |part| f64::from(u8::from(part < 0.25)), |part| part.powi(8)];

#[test]
fn among_37_equal_bots_nearly_no_cell_has_a_colour() {
    // With few games of each pair and with many. The seeds count from one that was never looked at.
    for (kind, shape) in SHAPES.into_iter().enumerate() {
        for rounds in [12, 60] {
            let reports = 8;
            let found: Vec<usize> = (0..reports)
                .map(|seed| coloured(&played(37, rounds, 9_100 + seed, |_, _, part| shape(part))).len())
                .collect();
            // Each report is wholly grey with a probability of 95 % at least.
            let wrong = found.iter().filter(|count| **count > 0).count();
            assert!(wrong <= 2, "shape {kind}, {rounds} rounds: {found:?}");
            assert!(
                found.iter().sum::<usize>() <= 3,
                "shape {kind}, {rounds} rounds: {found:?} of 1,332 cells"
            );
        }
    }
}

#[test]
fn one_pair_that_differs_is_found_among_37_bots() {
    for seed in 9_500..9_504 {
        let found = coloured(&played(37, 300, seed, |bot, here, part| {
            let meets = here.contains(&3) && here.contains(&8);
            0.2 + 0.3 * part + if meets && bot == 3 { 0.4 } else { 0.0 }
        }));
        assert!(
            found.iter().any(|(bot, other, gain)| (&**bot, &**other) == ("bot3", "bot8") && *gain > 0.2),
            "{found:?}"
        );
        assert!(found.len() <= 4, "{found:?}");
    }
}

#[test]
fn a_few_equal_results_are_not_sure_and_a_difference_without_any_spread_is() {
    // With one or two games of each pair, a pair may have equal shares by chance.
    for seed in 0..10 {
        assert_eq!(coloured(&played(8, 1, seed, |_, _, part| f64::from(u8::from(part < 0.5)))), []);
    }
    let found =
        coloured(&played(8, 40, 1, |bot, here, _| if bot == 0 && here.contains(&1) { 0.9 } else { 0.3 }));
    assert!(found.iter().any(|(bot, other, _)| (&**bot, &**other) == ("bot0", "bot1")), "{found:?}");
}
