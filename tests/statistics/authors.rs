//! What `author_seats` does to the bots of an author, by deals of the program and shares from strengths alone.

use referee_games::catalog;
use referee_rules::{Parameters, Seed};
use referee_statistics::schedule::deal::{Apart, Block, round_of_blocks};

/// The mean shares of eight bots at tables of four, of which the first three are equal and twice as strong as the
/// others; a table's shares are proportional to strength. The first two bots are of one author, who has this number
/// of seats.
fn means(most: usize, strong: f64) -> Vec<f64> {
    let entry = catalog::find("football").expect("a game");
    let parameters = Parameters::defaults(entry.parameters);
    let authors: Vec<String> = ["a", "a", "", "", "", "", "", ""].map(str::to_owned).to_vec();
    let strength = |bot: usize| if bot < 3 { strong } else { 1.0 };
    let (mut sums, rounds) = (vec![0.0; 8], 20_000);
    for round in 1..=rounds {
        let apart = Apart { authors: &authors, at_table_max: most };
        for game in round_of_blocks(Seed(7), (1, round), entry, &parameters, 8, apart, Block::OneGame) {
            let all: f64 = game.entrants.iter().map(|(_, bot)| strength(*bot)).sum();
            game.entrants.iter().for_each(|(_, bot)| sums[*bot] += strength(*bot) / all);
        }
    }
    sums.iter().map(|sum| sum / f64::from(rounds)).collect()
}

#[test]
fn two_strong_bots_of_one_author_gain_by_not_meeting_each_other_and_a_third_like_them_does_not() {
    let (free, apart) = (means(0, 2.0), means(1, 2.0));
    println!("any number of seats: {free:.3?}; one seat: {apart:.3?}");
    // The figures of docs/guides/hill.md.
    let about = |found: f64, due: f64| (found - due).abs() < 0.002;
    assert!((0..3).all(|bot| about(free[bot], 0.346)), "{free:?}");
    assert!(about(apart[0], 0.367) && about(apart[1], 0.367) && about(apart[2], 0.333), "{apart:?}");
    // Weak ones lose by it.
    let (free, apart) = (means(0, 0.5), means(1, 0.5));
    assert!(apart[0] < free[0] - 0.003 && apart[1] < free[1] - 0.003, "{free:?} {apart:?}");
}
