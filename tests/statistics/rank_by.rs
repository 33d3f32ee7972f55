//! What counts for places and verdicts: score, place or win.

use referee_record::Share;
use referee_record::game_result::GameResult;
use referee_record::results::ResultRow;
use referee_statistics::confidence::Interval;
use referee_statistics::rank_by::RankBy;
use referee_statistics::rating::Ratings;
use referee_statistics::rounds::{Field, Round};
use referee_statistics::schedule::format::Format;
use referee_statistics::season::{Dealt, SeasonAccount};
use referee_statistics::stop_rule::{StopRule, Until, VerdictKind};
use referee_statistics::teams;

use crate::fields::normal;
use crate::random::Random;
use crate::{bot, game, near, scheduled};

fn counted(by: RankBy, shares: &[f64]) -> Vec<f64> {
    let shares: Vec<(usize, f64)> = shares.iter().copied().enumerate().collect();
    by.counted(game(scheduled(1, 1, 0), &shares)).iter().map(|row| row.share.value()).collect()
}

#[test]
fn a_place_counts_as_the_part_of_opponents_that_are_beaten_and_winners_share_a_win() {
    let shares = [0.4, 0.1, 0.3, 0.1];
    assert_eq!(counted(RankBy::Score, &shares), shares);
    for (found, due) in
        counted(RankBy::Place, &shares).into_iter().zip([1.0, 1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0])
    {
        assert!((found - due).abs() < 1e-6, "{found} {due}");
    }
    assert_eq!(counted(RankBy::Win, &shares), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(counted(RankBy::Win, &[0.3, 0.3, 0.2]), [0.5, 0.5, 0.0]);
    assert_eq!(counted(RankBy::Place, &[0.3, 0.3, 0.2]), [0.75, 0.75, 0.0]);
    assert_eq!(counted(RankBy::Place, &[0.3]), [1.0], "nobody else is there");
    // Whatever the scores, the shares of a game are in [0, 1], and places share out half of all pairs.
    let mut random = Random::new(1);
    for _ in 0..200 {
        let shares: Vec<f64> = (0..6).map(|_| random.between(0, 3) as f64 / 10.0).collect();
        for (by, sum) in [(RankBy::Place, 3.0), (RankBy::Win, 1.0)] {
            let counted = counted(by, &shares);
            assert!(counted.iter().all(|share| (0.0..=1.0).contains(share)), "{counted:?}");
            assert!((counted.iter().sum::<f64>() - sum).abs() < 1e-5, "{by:?}: {counted:?}");
        }
    }
}

#[test]
fn statistics_know_a_team_as_one_seat() {
    let teams = [0, 1, 0, 1];
    let rows = game(scheduled(1, 1, 0), &[(0, 0.2), (1, 0.3), (0, 0.6), (1, 0.4)]);
    let merged = teams::merged(rows.clone(), &teams);
    let line = |row: &ResultRow| {
        (row.bot.name.clone(), row.seat.index(), row.seats, row.score, row.share, row.place)
    };
    let [first, second] = &merged[..] else { panic!("two teams: {merged:?}") };
    assert_eq!(line(first), ("bot0".to_owned(), 0, 2, 20, Share::of(0.4), 1));
    assert_eq!(line(second), ("bot1".to_owned(), 1, 2, 30, Share::of(0.35), 2));
    assert_eq!(teams::merged(rows.clone(), &[]), rows);
    // A season of teams is that of the merged games: also where the losing seat of a bot comes first.
    for by in RankBy::ALL {
        let rule = StopRule { rank_by: by, ..StopRule::default() };
        let field = [bot(0), bot(1)];
        let mut of_teams =
            SeasonAccount::new(1, &field, Dealt::Uniform(1), rule, 0.05).with_teams(teams.into());
        let mut of_two = SeasonAccount::new(1, &field, Dealt::Uniform(1), rule, 0.05);
        for round in 1..30 {
            let rows = game(scheduled(round, 1, 0), &[(0, 0.2), (1, 0.3), (0, 0.6), (1, 0.4)]);
            of_two.add(teams::merged(rows.clone(), &teams), &mut Ratings::default());
            of_teams.add(rows, &mut Ratings::default());
        }
        let bots = [0, 1, 0, 1].map(bot).to_vec();
        of_teams.leave_out(scheduled(30, 1, 0), bots, &mut Ratings::default());
        of_two.leave_out(scheduled(30, 1, 0), vec![bot(0), bot(1)], &mut Ratings::default());
        assert_eq!(of_teams.standings(), of_two.standings(), "{by:?}");
        assert_eq!(of_teams.standings()[0].games, 29);
        assert_eq!((of_teams.mean(&bot(0)), of_teams.lost(&bot(0))), (of_two.mean(&bot(0)), 1));
        assert_eq!(of_teams.behind(&bot(0)), of_two.behind(&bot(0)));
    }
}

#[test]
fn who_wins_may_have_lost_with_an_earlier_seat() {
    // Invisible Target seats a small field several times.
    let mut account = SeasonAccount::new(1, &[bot(0), bot(1)], Dealt::Uniform(1), StopRule::default(), 0.05);
    account.add(game(scheduled(1, 1, 0), &[(0, 0.0), (1, 0.0), (0, 1.0), (1, 0.0)]), &mut Ratings::default());
    let lines = account.standings();
    assert_eq!((lines[0].mean_share, lines[0].win_share, lines[0].games), (0.5, 0.5, 2));
}

/// A game of one seat, in which this bot had this score.
fn task(round: u32, bot: usize, score: i64) -> GameResult {
    let mut rows = game(scheduled(round, bot as u32 + 1, 1), &[(bot, 1.0)]);
    rows[0].score = score;
    rows
}

#[test]
fn bots_that_play_alone_are_compared_round_by_round_by_their_scores() {
    let field: Vec<_> = (0..3).map(bot).collect();
    let mut account = SeasonAccount::new(1, &field, Dealt::Uniform(3), StopRule::default(), 0.05);
    let add = |account: &mut SeasonAccount, games: Vec<GameResult>| {
        games.into_iter().for_each(|game| account.add(game, &mut Ratings::default()));
    };
    // Scores have no bounds, and rounds differ in what can be reached.
    add(&mut account, vec![task(1, 2, -9_000_000), task(1, 0, -4), task(1, 1, -77)]);
    add(&mut account, vec![task(2, 0, 800), task(2, 1, 900), task(2, 2, 800)]);
    let shares = |account: &SeasonAccount| {
        let lines = account.standings();
        lines.iter().map(|line| (line.bot.name.clone(), line.games, line.mean_share)).collect::<Vec<_>>()
    };
    let due = [("bot0", 2, 0.625), ("bot1", 2, 0.75), ("bot2", 2, 0.125)];
    for (name, games, share) in due {
        assert!(shares(&account).contains(&(name.to_owned(), games, share)), "{:?}", shares(&account));
    }
    // Half a round is not compared with anything.
    let before = shares(&account);
    add(&mut account, vec![task(3, 0, 1), task(3, 1, 0)]);
    assert_eq!((shares(&account), account.games(), account.is_alone()), (before, 8, true));
    // A share that a game gives goes before the score: who gave up is last.
    let mut lost = task(3, 2, 9);
    lost[0].share = Share::of(0.0);
    add(&mut account, vec![lost]);
    assert!(
        shares(&account).contains(&("bot0".to_owned(), 3, (0.625 * 2.0 + 1.0) / 3.0)),
        "{:?}",
        shares(&account)
    );
    let interval = account.mean(&bot(0)).expect("an interval");
    assert!(interval.lower < 0.75 && 0.75 < interval.upper, "{interval:?}");
}

#[test]
fn a_place_beside_a_lost_game_is_known_within_bounds() {
    let field = Field::new((0..3).map(bot));
    let mut round = Round::new(1, vec![task(1, 0, 5), task(1, 1, 9)], vec![vec![bot(2)]]);
    round.place_alone(RankBy::Score);
    let interval = |lower, upper| Some(Interval { lower, upper });
    assert_eq!(round.block_means(&field), [interval(0.0, 0.5), interval(0.5, 1.0), interval(0.0, 1.0)]);
    let mut account = SeasonAccount::new(1, field.bots(), Dealt::Uniform(3), StopRule::default(), 0.05);
    for game in [task(1, 0, 5), task(1, 1, 9)] {
        account.add(game, &mut Ratings::default());
    }
    account.leave_out(scheduled(1, 3, 1), vec![bot(2)], &mut Ratings::default());
    assert_eq!(
        (account.standings(), account.rounds()),
        (Vec::new(), 1),
        "no table of places that are not known"
    );
}

#[test]
fn shares_of_a_task_go_before_its_scores_whatever_counts() {
    for (by, due) in
        [(RankBy::Score, [1.0, 0.5, 0.0]), (RankBy::Place, [1.0, 0.5, 0.0]), (RankBy::Win, [1.0, 0.0, 0.0])]
    {
        let rule = StopRule { rank_by: by, ..StopRule::default() };
        let mut account = SeasonAccount::new(1, &[bot(0), bot(1), bot(2)], Dealt::Uniform(3), rule, 0.05);
        for (number, share) in [0.9, 0.5, 0.1].into_iter().enumerate() {
            // The lowest score is the best.
            let mut rows = task(1, number, number as i64);
            rows[0].share = Share::of(share);
            account.add(rows, &mut Ratings::default());
        }
        let lines = account.standings();
        let shares = lines.iter().map(|line| (line.bot.name.clone(), line.mean_share)).collect::<Vec<_>>();
        assert_eq!(shares, [0, 1, 2].map(|at| (format!("bot{at}"), due[at])), "{by:?}");
    }
}

/// A season among four bots of which the first is ahead of the second by some hundredths, until there is a verdict.
fn season(rule: StopRule, seed: u64) -> (VerdictKind, u32, SeasonAccount) {
    let (mut random, bots) = (Random::new(seed), (0..4).map(bot).collect::<Vec<_>>());
    let mut account = SeasonAccount::new(1, &bots, Dealt::Uniform(1), rule, 0.05);
    account.watch_for(rule);
    for round in 1.. {
        let mut share = |mean: f64| (mean + 0.05 * normal(&mut random)).clamp(0.0, 1.0);
        let game: GameResult = game(
            scheduled(round, 1, 0),
            &[(0, share(0.331)), (1, share(0.3)), (2, share(0.2)), (3, share(0.169))],
        );
        account.add(game, &mut Ratings::default());
        if let Some(verdict) = account.watch.as_ref().expect("a watch").verdict() {
            return (verdict.verdict, round, account.clone());
        }
    }
    unreachable!("a rule has a last round")
}

#[test]
fn verdicts_standings_and_ranks_are_of_what_counts() {
    for by in RankBy::ALL {
        let winner = StopRule { rank_by: by, ..StopRule::default() };
        let ranked = StopRule { until: Until::Ranked, ..winner };
        let mut rounds: Vec<u32> = (0..15).map(|seed| season(winner, seed).1).collect();
        rounds.sort_unstable();
        let (kind, until_ranked, account) = season(ranked, 3);
        println!(
            "by {}: a king after a median of {} games, ranked after {until_ranked}",
            by.name(),
            rounds[7]
        );
        assert_eq!(kind, VerdictKind::Ranked);
        let row = account.watch.as_ref().and_then(|watch| watch.verdict()).expect("a verdict");
        assert_eq!((row.rank_by, row.rule().rank_by), (by, by));
        let (least, most) = match by {
            RankBy::Score => (140, 200),
            RankBy::Place => (50, 110),
            RankBy::Win => (70, 139),
        };
        assert!((least..=most).contains(&rounds[7]), "{by:?}: {rounds:?}");
        let lines = account.standings();
        let mean = lines[0].mean_share;
        match by {
            RankBy::Score => assert!((0.3..0.36).contains(&mean), "{mean}"),
            RankBy::Place => assert!((0.7..1.0).contains(&mean), "{mean}"),
            RankBy::Win => near(mean, lines[0].win_share),
        }
        let interval = account.mean(&lines[0].bot).expect("an interval");
        assert!(interval.lower <= mean && mean <= interval.upper);
    }
}

#[test]
fn a_format_of_rounds_says_what_counts_and_one_of_matches_does_not() {
    let format: Format = toml::from_str("kind = \"round-robin\"\nrank_by = \"place\"").unwrap();
    assert_eq!(format.rank_by(), RankBy::Place);
    assert_eq!(Format::default().rank_by(), RankBy::Score);
    assert!(toml::from_str::<Format>("kind = \"knockout\"\nrank_by = \"win\"").is_err());
    let wrong = toml::from_str::<Format>("kind = \"rounds\"\nrank_by = \"goals\"").unwrap_err();
    assert!(wrong.to_string().contains("rank_by"), "{wrong}");
}
