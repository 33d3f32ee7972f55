//! Standings, pairs, trends and ratings, computed by hand.

use referee_record::Digest;
use referee_record::game_result::GameResult;
use referee_rules::FaultKind;
use referee_statistics::confidence::Interval;
use referee_statistics::pairs::{Pair, Pairs};
use referee_statistics::rating::Ratings;
use referee_statistics::rounds::Field;
use referee_statistics::standings::{Standing, Sums};
use referee_statistics::trends::Trends;

use super::{bot, game, near, scheduled};

fn rows(game: &GameResult) -> Vec<&referee_record::results::ResultRow> {
    game.iter().collect()
}

#[test]
fn standings_have_means_wins_faults_and_the_longest_times() {
    let mut sums = Sums::default();
    let mut first = game(scheduled(1, 1, 1), &[(0, 0.5), (1, 0.5), (2, 0.0)]);
    first[0].faults[FaultKind::Late as usize] = 2;
    first[0].thinking.p99_us = 70;
    first[0].thinking.max_us = 90;
    sums.add(&rows(&first));
    let mut second = game(scheduled(1, 1, 2), &[(0, 0.25), (2, 0.75), (1, 0.0)]);
    second[0].faults[FaultKind::Late as usize] = 3;
    second[2].counts = false;
    sums.add(&rows(&second));
    sums.add_ruled(&bot(1), 1.0);
    let standings = sums.standings();
    let line = |standing: &Standing| {
        let Standing { place, bot, games, mean_share, mean_score, win_share, .. } = standing;
        (*place, bot.name.clone(), *games, *mean_share, *mean_score, *win_share)
    };
    let due = [
        (1, "bot1".to_owned(), 2, 0.75, 20.0, 0.75),
        (2, "bot0".to_owned(), 2, 0.375, 10.0, 0.25),
        (2, "bot2".to_owned(), 2, 0.375, 25.0, 0.5),
    ];
    assert_eq!(standings.iter().map(line).collect::<Vec<_>>(), due);
    let bot0 = &standings[1];
    assert_eq!(bot0.faults[FaultKind::Late as usize], 5);
    assert_eq!((bot0.p99_us, bot0.max_us), (70, 90));
    assert_eq!((standings[0].p99_us, standings[0].max_us, standings[0].points), (20, 30, None));
}

#[test]
fn a_pair_has_the_mean_share_of_all_seats_of_the_bot_and_its_error() {
    let mut pairs = Pairs::default();
    pairs.add(&rows(&game(scheduled(1, 1, 1), &[(0, 0.5), (1, 0.2), (0, 0.3)])));
    let mut filled = game(scheduled(1, 1, 2), &[(1, 0.4), (0, 0.4), (2, 0.2)]);
    filled[2].counts = false;
    pairs.add(&rows(&filled));
    let found: Vec<Pair> = pairs.pairs().collect();
    let names: Vec<_> =
        found.iter().map(|pair| (pair.bot.clone(), pair.company.clone(), pair.games)).collect();
    assert_eq!(names, [(bot(0), bot(1), 2), (bot(1), bot(0), 2)]);
    near(found[0].mean_share, 0.4);
    near(found[1].mean_share, 0.3);
    // The variance of 0.5, 0.3, 0.4 is 0.01; that of 0.2, 0.4 is 0.02.
    // Bot 0 has the best place in the first game, and shares it in the second.
    assert_eq!((found[0].before, found[1].before), (0.75, 0.25));
    near(found[0].error.unwrap(), (0.01_f64 / 3.0).sqrt());
    near(found[1].error.unwrap(), 0.1);
    let mut once = Pairs::default();
    once.add(&rows(&game(scheduled(1, 1, 1), &[(0, 0.5), (1, 0.2)])));
    assert!(once.pairs().all(|pair| pair.error.is_none()), "a single seat has no error");
}

#[test]
fn trends_keep_a_look_a_round_until_there_are_two_hundred_and_then_every_second() {
    let field = Field::new([bot(0), bot(1), bot(2)]);
    let mut trends = Trends::default();
    let mut filled = game(scheduled(1, 1, 1), &[(0, 0.25), (1, 0.75)]);
    filled[1].counts = false;
    let intervals = Some(vec![Interval { lower: 0.0, upper: 1.0 }]);
    trends.add(&field, 1, std::slice::from_ref(&filled), || None);
    trends.add(&field, 1, &[game(scheduled(1, 1, 2), &[(0, 0.75), (1, 0.5)])], || intervals.clone());
    let looks: Vec<_> = trends.looks().cloned().collect();
    assert_eq!(looks.len(), 1, "another look at a round replaces the first");
    assert_eq!((looks[0].round, &looks[0].means), (1, &vec![Some(0.5), Some(0.5), None]));
    assert_eq!(looks[0].intervals, intervals);
    let mut rounds_kept = |last: u32| -> Vec<u32> {
        let next = trends.looks().map(|look| look.round).last().unwrap() + 1;
        (next..=last).for_each(|round| trends.add(&field, round, &[], || None));
        trends.looks().map(|look| look.round).collect()
    };
    assert_eq!(rounds_kept(200), (1..=200).collect::<Vec<u32>>());
    let odd = |to: u32| (1..=to).step_by(2);
    assert_eq!(rounds_kept(201), odd(201).collect::<Vec<u32>>());
    assert_eq!(rounds_kept(202), odd(201).chain([202]).collect::<Vec<u32>>());
    assert_eq!(rounds_kept(399), odd(399).collect::<Vec<u32>>());
    assert_eq!(rounds_kept(401), (1..=401).step_by(4).collect::<Vec<u32>>());
}

#[test]
fn ratings_follow_places_and_a_program_under_two_names_has_the_mean_of_both() {
    let digest = |number: u8| Digest::of(&[number]);
    let rating = |ratings: &Ratings, number| ratings.get(&digest(number)).expect("it has met another").rating;
    let mut two = Ratings::default();
    two.add(&[game(scheduled(1, 1, 1), &[(0, 0.6), (1, 0.4)])]);
    assert!(rating(&two, 0) > 25.0 && rating(&two, 1) < 25.0);
    near(rating(&two, 0) + rating(&two, 1), 50.0);
    let mut drawn = Ratings::default();
    drawn.add(&[game(scheduled(1, 1, 1), &[(0, 0.5), (1, 0.5)])]);
    near(rating(&drawn, 0), 25.0);
    // Bot 0 has 0.6 and 0.0 under two names: less than 0.4.
    let mut named = game(scheduled(1, 1, 1), &[(0, 0.6), (1, 0.4), (2, 0.0)]);
    named[2].bot.digest = digest(0);
    let mut twice = Ratings::default();
    twice.add(&[named]);
    near(rating(&twice, 0), rating(&two, 1));
    // A bot alone is not rated.
    let mut alone = Ratings::default();
    alone.add(&[game(scheduled(1, 1, 1), &[(0, 1.0)])]);
    assert_eq!(alone.get(&digest(0)), None);
}
