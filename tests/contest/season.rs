//! Statistics of a season's results: standings, intervals, ratings, pairs, fairness. The results are
//! simulated, so the right values are known.

use referee_contest::stages;
use referee_record::{BotName, Digest};
use referee_rules::{FaultKind, Seat, Seed};
use referee_statistics::fairness::{Fairness, FairnessFinding};
use referee_statistics::rating::Ratings;
use referee_statistics::rounds::Round;
use referee_statistics::schedule::deal::Pairing;
use referee_statistics::schedule::format::{Contest, Format};
use referee_statistics::season::{Dealt, SeasonAccount};
use referee_statistics::stop_rule::{StopRule, Verdict};

use crate::random::Random;
use crate::season_results::{Simulated, bot};

/// Noise about 0.
fn noise(random: &mut Random) -> f64 {
    random.between(-100, 100) as f64 / 1000.0
}

fn strength(bot: usize) -> f64 {
    0.4 - 0.05 * bot as f64
}

fn signs(findings: &[FairnessFinding]) -> Vec<&str> {
    findings.iter().filter(|finding| finding.suspicious).map(|finding| finding.question).collect()
}

#[test]
fn a_lead_that_is_too_small_for_a_forecast_is_one_and_level_means_equal() {
    for (lead, due) in [
        // Nobody is ahead: no proof is told.
        (0.0, "bot0 and bot1 are level so far."),
        (
            0.0002,
            "Proof: 1.0 : 1 of the 60 : 1 that are needed against bot1, the nearest of 3 open rivals. Too close for a forecast.",
        ),
        (
            0.02,
            "Proof: 1.1 : 1 of the 60 : 1 that are needed against bot1, the nearest of 3 open rivals. About ",
        ),
    ] {
        let simulated = Simulated::new(4);
        let share = |bot: usize, _| if bot < 2 { 0.4 - lead * bot as f64 } else { 0.1 };
        let pairings = simulated.pairings(12);
        simulated.enter(&pairings.iter().map(|at| simulated.game(at, share)).collect::<Vec<_>>());
        let told = simulated.account().0.outlook().expect("a forecast");
        assert!(told.starts_with(due), "{told}");
        // A lead of 0.02 is found before a difference of 0.01 is ruled out.
        let joint = "Joint kings: 6 of 6 pairs are not known to be within 0.01; about ";
        assert_eq!(told.contains(joint), lead < 0.01, "{told}");
    }
}

#[test]
fn bots_with_the_same_shares_in_another_order_are_level_though_their_sums_are_rounded() {
    for seed in 1..20 {
        let mut random = Random::new(seed);
        let rounds: u32 = 13;
        let shares: Vec<f64> = (0..rounds).map(|_| random.below(400_000) as f64 / 1e6).collect();
        let simulated = Simulated::new(4);
        let games = simulated.pairings(rounds);
        let games = games.iter().map(|at| {
            let round = at.scheduled.round;
            let place = |bot: usize| if bot == 0 { round - 1 } else { rounds - round };
            simulated.game(at, |bot, _| if bot < 2 { shares[place(bot) as usize] } else { 0.001 })
        });
        simulated.enter(&games.collect::<Vec<_>>());
        let told = simulated.account().0.outlook().expect("a forecast");
        let due = ["bot0 and bot1 are level so far.", "bot1 and bot0 are level so far."];
        assert!(due.iter().any(|due| told.contains(due)), "seed {seed}: {told}");
    }
}

#[test]
fn the_account_of_a_season_does_not_depend_on_who_finished_first() {
    let mut random = Random::new(1);
    let (one, other) = (Simulated::new(6), Simulated::new(6));
    let mut games: Vec<_> =
        one.pairings(30).iter().map(|at| one.game(at, |bot, _| strength(bot) + noise(&mut random))).collect();
    games.truncate(games.len() - 3); // and the last round is not complete
    one.enter(&games);
    for index in 1..games.len() {
        games.swap(index, random.below(index + 1));
    }
    other.enter(&games);
    let ((one, one_ratings), (other, other_ratings)) = (one.account(), other.account());
    assert_eq!(one.sums.standings(), other.sums.standings());
    assert_eq!(one.race.rounds(), 29);
    assert_eq!(other.race.rounds(), 29);
    for bot in one.field.bots() {
        assert_eq!(one.mean(bot), other.mean(bot));
        assert_eq!(one.likely(bot), other.likely(bot));
        assert_eq!(one_ratings.get(&bot.digest), other_ratings.get(&bot.digest));
    }
    assert_eq!(one.fairness.findings(), other.fairness.findings());
}

#[test]
fn a_void_game_may_have_come_to_anything_and_holds_nobody_up() {
    let simulated = Simulated::new(4);
    let (rule, dealt) = (StopRule { max_rounds: 4, ..StopRule::default() }, Dealt::Uniform(4));
    let mut account = SeasonAccount::new(1, &simulated.bots, dealt, rule, rule.alpha);
    let mut played = stages::StagesPlayed::new(1, &simulated.bots, dealt, rule, Vec::new());
    let mut ratings = Ratings::default();
    for pairing in simulated.pairings(4) {
        let place = pairing.scheduled;
        // One game of the second round is void, and all of the third.
        if place.round == 3 || (place.round, place.rotation) == (2, 3) {
            account.leave_out(place, simulated.bots.clone(), &mut ratings);
            played.leave_out(place, simulated.bots.clone());
        } else {
            let game = simulated.game(&pairing, |bot, _| strength(bot));
            account.add(game.clone(), &mut ratings);
            played.add(game);
        }
    }
    assert_eq!(account.race.rounds(), 4);
    assert!(account.sums.standings().iter().all(|line| line.games == 4 + 3 + 4));
    assert_eq!(played.last_round(), 4);
    assert_eq!(played.verdict(), Some(Verdict::NotSeparated(vec![0, 1, 2, 3])), "no round is left");
    let places = played.ranking(&Verdict::JointKings(vec![1, 2])).places;
    assert_eq!(places, [vec![1, 2], vec![0], vec![3]]);
}

#[test]
fn intervals_hold_the_means_and_likely_places_the_places() {
    let mut random = Random::new(2);
    let simulated = Simulated::new(4);
    let games: Vec<_> = simulated
        .pairings(300)
        .iter()
        .map(|at| simulated.game(at, |bot, _| strength(bot) + noise(&mut random)))
        .collect();
    simulated.enter(&games);
    let (account, ratings) = simulated.account();
    for (index, standing) in account.sums.standings().iter().enumerate() {
        let bot = &standing.bot;
        assert_eq!(bot.name, format!("bot{index}"));
        let mean = account.mean(bot).unwrap();
        assert!(mean.lower < strength(index) && strength(index) < mean.upper, "{mean:?}");
        assert!(mean.upper - mean.lower < 0.1, "{mean:?}");
        assert_eq!(account.likely(bot), Some((index + 1, index + 1)));
    }
    let rating = |number| ratings.get(&bot(number).digest).expect("it has met others").rating;
    assert!(rating(0) > rating(1) && rating(1) > rating(2) && rating(2) > rating(3));
}

#[test]
fn a_win_is_shared_by_those_who_share_the_first_place() {
    let simulated = Simulated::new(4);
    let shares = [0.4, 0.4, 0.1, 0.1];
    let games: Vec<_> =
        simulated.pairings(1).iter().map(|at| simulated.game(at, |bot, _| shares[bot])).collect();
    simulated.enter(&games);
    let standings = simulated.account().0.sums.standings();
    let wins: Vec<f64> = standings.iter().map(|standing| standing.win_share).collect();
    assert_eq!(wins, [0.5, 0.5, 0.0, 0.0]);
    assert_eq!(standings.iter().map(|standing| standing.place).collect::<Vec<_>>(), [1, 1, 3, 3]);
}

#[test]
fn what_a_filler_scores_counts_for_nobody() {
    let simulated = Simulated::new(5);
    let pairings = simulated.pairings(1);
    let fillers = |at: &Pairing| -> Vec<(usize, usize)> {
        at.entrants
            .iter()
            .filter(|(seat, _)| at.fillers.contains(seat))
            .map(|(seat, bot)| (seat.index(), *bot))
            .collect()
    };
    assert!(pairings.iter().any(|at| !fillers(at).is_empty()), "five bots need fillers");
    let ranked = |of_filler: f64| {
        let mut ratings = Ratings::default();
        let mut account =
            SeasonAccount::new(1, &simulated.bots, Dealt::Uniform(pairings.len()), StopRule::default(), 0.05);
        for at in &pairings {
            let fillers = fillers(at);
            let share = |bot, seat| if fillers.contains(&(seat, bot)) { of_filler } else { strength(bot) };
            account.add(simulated.game(at, share), &mut ratings);
        }
        let ratings: Vec<_> = simulated.bots.iter().map(|bot| ratings.get(&bot.digest)).collect();
        let means: Vec<_> =
            account.sums.standings().into_iter().map(|line| (line.bot, line.mean_share)).collect();
        (ratings, means, account.sums.standings().iter().map(|line| line.games).collect::<Vec<_>>())
    };
    assert_eq!(ranked(0.0), ranked(1.0));
    assert_eq!(ranked(0.0).2, [4; 5]);
}

#[test]
fn the_longest_turn_is_that_of_any_game() {
    let simulated = Simulated::new(4);
    let mut games: Vec<_> =
        simulated.pairings(1).iter().map(|at| simulated.game(at, |bot, _| strength(bot))).collect();
    games[1].iter_mut().for_each(|row| (row.thinking.p99_us, row.thinking.max_us) = (400, 500));
    simulated.enter(&games);
    for standing in simulated.account().0.sums.standings() {
        assert_eq!((standing.p99_us, standing.max_us), (400, 500));
    }
}

#[test]
fn a_rating_carries_on_over_seasons_under_the_digest_of_the_program() {
    let mut simulated = Simulated::new(4);
    let first: Vec<_> =
        simulated.pairings(5).iter().map(|at| simulated.game(at, |bot, _| strength(bot))).collect();
    simulated.enter(&first);
    let before = simulated.account().1.get(&bot(0).digest);
    // The same program under another name, and a new one.
    let renamed = BotName { name: "fox".to_owned(), ..bot(0) };
    simulated.change_field(vec![renamed, bot(1), bot(2), bot(9)]);
    let second: Vec<_> =
        simulated.pairings(1).iter().map(|at| simulated.game(at, |bot, _| strength(bot))).collect();
    simulated.enter(&second);
    let (account, ratings) = simulated.account();
    assert_eq!((account.number, account.race.rounds()), (2, 1));
    let (after, new) = (ratings.get(&bot(0).digest), ratings.get(&bot(9).digest));
    let (before_it, after, new) = (before.unwrap(), after.unwrap(), new.unwrap());
    assert!(after.rating > before_it.rating && after.uncertainty < before_it.uncertainty, "{after:?}");
    assert!(new.uncertainty > after.uncertainty, "{new:?}");
    let (old, ratings_then) = simulated.hill.account(Some(1), StopRule::default()).unwrap().unwrap();
    assert_eq!(old.number, 1);
    assert_eq!(ratings_then.get(&bot(0).digest), before);
}

#[test]
fn pairs_tell_who_scores_how_much_in_whose_company() {
    let simulated = Simulated::new(5);
    let games: Vec<_> = simulated
        .pairings(40)
        .iter()
        .map(|at| {
            let is_there = at.entrants.iter().any(|(seat, bot)| *bot == 4 && !at.fillers.contains(&seat));
            // At tables with bot 4, bot 0 scores half.
            simulated.game(
                at,
                |bot, _| if bot == 0 && is_there { 0.2 } else { 0.4 - 0.1 * (bot == 4) as u8 as f64 },
            )
        })
        .collect();
    simulated.enter(&games);
    let (account, _) = simulated.account();
    let pairs: Vec<_> = account.pairs.pairs().collect();
    let share = |one: &str, other: &str| {
        let pair = pairs.iter().find(|pair| pair.bot.name == one && pair.company.name == other).unwrap();
        (pair.mean_share * 1e6).round() / 1e6
    };
    assert_eq!(pairs.len(), 20);
    assert_eq!(share("bot0", "bot4"), 0.2);
    assert_eq!(share("bot4", "bot0"), 0.3);
    assert!(share("bot0", "bot1") > 0.2, "not always at a table with bot 4");
    assert_eq!(share("bot2", "bot1"), 0.4);
}

#[test]
fn a_fair_season_shows_no_sign_of_unfairness() {
    for seed in 0..5 {
        let mut random = Random::new(seed);
        let simulated = Simulated::new(8);
        let games: Vec<_> = simulated
            .pairings(100)
            .iter()
            .map(|at| simulated.game(at, |bot, _| strength(bot) + noise(&mut random)))
            .collect();
        let findings = simulated.findings_of(&games);
        assert_eq!(signs(&findings), [""; 0], "{findings:#?}");
        let tests = findings.iter().filter(|finding| finding.p_value.is_some()).count();
        assert_eq!(tests, 3, "seats, meetings and company were tested: {findings:#?}");
    }
}

#[test]
fn a_seat_that_is_better_than_others_is_found_out() {
    let mut random = Random::new(3);
    let simulated = Simulated::new(8);
    let share =
        |bot, seat, random: &mut Random| strength(bot) + noise(random) + if seat == 2 { 0.03 } else { 0.0 };
    let games: Vec<_> = simulated
        .pairings(100)
        .iter()
        .map(|at| simulated.game(at, |bot, seat| share(bot, seat, &mut random)))
        .collect();
    let findings = simulated.findings_of(&games);
    let found = findings.iter().find(|finding| finding.question == "mean share of a seat").unwrap();
    assert!(found.p_value.unwrap() < 0.001, "{found:?}");
    assert!(found.found.ends_with("; each bot had each seat equally often, so it cancels out"), "{found:?}");
    assert_eq!(signs(&findings), [""; 0], "a block gives each bot each seat");

    // Without the last two games of some blocks, there is no answer.
    let halves: Vec<_> = games.chunks(4).flat_map(|block| block[..2].to_vec()).collect();
    let mut fairness = Fairness::new(Dealt::Uniform(4));
    for block in halves.chunks(2) {
        let round = Round::new(1, block.to_vec(), Vec::new());
        block.iter().for_each(|game| fairness.add(&game.iter().collect::<Vec<_>>()));
        fairness.add_round(&round);
    }
    assert!(signs(&fairness.findings()).contains(&"mean share of a seat"), "{:#?}", fairness.findings());
}

/// The expected shares of some bots, and their shares beside each other.
fn with_company(
    seed: u64,
    bots: usize,
    rounds: u32,
    company: impl Fn(usize, usize) -> f64,
) -> Vec<FairnessFinding> {
    let mut random = Random::new(seed);
    let simulated = Simulated::new(bots);
    let game = |at: &Pairing, random: &mut Random| {
        let there: Vec<usize> = at.entrants.iter().map(|(_, bot)| *bot).collect();
        let beside = |bot: usize| there.iter().map(|other| company(bot, *other)).fold(1.0, f64::min);
        simulated.game(at, |bot, _| (0.15 + 0.02 * bot as f64) * beside(bot) + 0.3 * noise(random))
    };
    let games: Vec<_> = simulated.pairings(rounds).iter().map(|at| game(at, &mut random)).collect();
    simulated.findings_of(&games)
}

const COMPANY: &str = "the pair with the most unusual shares";

#[test]
fn bots_that_score_nothing_beside_one_other_are_found_out() {
    // Bots 0 and 1 are aides of bot 5: beside it they score nothing.
    let aides = |bot, other| if bot < 2 && other == 5 { 0.0 } else { 1.0 };
    let findings = with_company(21, 6, 120, aides);
    assert_eq!(signs(&findings), [COMPANY], "{findings:#?}");
    let found = &findings.iter().find(|finding| finding.question == COMPANY).unwrap().found;
    assert!(
        found.starts_with("bot0 beside bot5: 0.0") || found.starts_with("bot1 beside bot5: 0.0"),
        "{found}"
    );
}

#[test]
fn honest_bots_that_suit_each_other_badly_are_no_sign_of_anything() {
    for seed in 22..25 {
        let findings = with_company(seed, 6, 60, |_, _| 1.0);
        assert_eq!(signs(&findings), [""; 0], "{findings:#?}");
        // A sixth less beside one other bot: clear, but a matter of style.
        let findings =
            with_company(seed, 6, 60, |bot, other| if (bot, other) == (1, 5) { 0.84 } else { 1.0 });
        assert_eq!(signs(&findings), [""; 0], "{findings:#?}");
    }
}

#[test]
fn where_all_meet_in_each_block_nothing_is_said_of_pairs() {
    let findings = with_company(25, 4, 30, |bot, other| if (bot, other) == (1, 3) { 0.0 } else { 1.0 });
    let company = findings.iter().find(|finding| finding.question == COMPANY).unwrap();
    assert_eq!((company.p_value, company.suspicious), (None, false));
}

#[test]
fn a_program_under_two_names_is_found_out() {
    let mut simulated = Simulated::new(4);
    let mut bots = simulated.bots.clone();
    bots[3].digest = bots[0].digest.clone();
    simulated.change_field(bots);
    let games: Vec<_> =
        simulated.pairings(2).iter().map(|at| simulated.game(at, |bot, _| strength(bot))).collect();
    let findings = simulated.findings_of(&games);
    assert_eq!(signs(&findings), [""; 0], "there can be reasons for it");
    assert!(
        findings.iter().any(|finding| ["bot0 = bot3", "bot3 = bot0"].contains(&&*finding.found)),
        "{findings:#?}"
    );
}

#[test]
fn what_a_gauntlet_makes_unequal_is_no_sign_of_unfairness() {
    let simulated = Simulated::new(7);
    // Bot 0 sits at every table, with three others.
    let format = {
        let mut format = Format::new("gauntlet").unwrap();
        format.set("rounds", "6").unwrap();
        format
    };
    let (entry, parameters) = (simulated.hill.entry(), simulated.hill.parameters().clone());
    let contest = Contest { entry, parameters, entrants: 7, authors: Vec::new(), seed: Seed(11), season: 1 };
    let account = |dealt| {
        let (mut account, mut ratings) =
            (SeasonAccount::new(1, &simulated.bots, dealt, StopRule::default(), 0.05), Ratings::default());
        for at in format.fixed(&contest).unwrap().flatten() {
            account.add(simulated.game(&at, |bot, _| strength(bot)), &mut ratings);
        }
        account.close(&mut ratings);
        account.fairness.findings()
    };
    let findings = account(format.dealt(&contest));
    assert_eq!(signs(&findings), [""; 0], "{findings:#?}");
    assert!(
        findings.iter().any(|finding| finding.found == "6 to 12 (because of the format)"),
        "{findings:#?}"
    );
    assert_eq!(signs(&account(Dealt::EvenlyWithoutRounds)), ["blocks of a bot"]);
}

#[test]
fn a_block_is_one_result_of_a_rating_and_who_has_met_nobody_has_none() {
    let simulated = Simulated::new(5);
    let games: Vec<_> =
        simulated.pairings(1).iter().map(|at| simulated.game(at, |bot, _| strength(bot))).collect();
    let (mut by_block, mut by_game) = (Ratings::default(), Ratings::default());
    by_block.add(&games[..4]);
    games[..4].iter().for_each(|game| by_game.add(std::slice::from_ref(game)));
    let first = games[0].iter().find(|row| row.counts).unwrap().bot.digest.clone();
    assert!(by_block.get(&first).unwrap().uncertainty > by_game.get(&first).unwrap().uncertainty);
    let mut once = Ratings::default();
    once.add(&games[..1]);
    assert_eq!(by_block.get(&first), once.get(&first), "these bots always come in the same order");
    assert_eq!(by_block.get(&Digest::of(b"another")), None);
}

#[test]
fn bots_that_do_not_change_seats_are_found_out() {
    let mut random = Random::new(4);
    let simulated = Simulated::new(8);
    let mut pairings = simulated.pairings(100);
    for block in pairings.chunks_mut(4) {
        let first = block[0].entrants.clone();
        block.iter_mut().for_each(|game| game.entrants = first.clone());
    }
    let games: Vec<_> =
        pairings.iter().map(|at| simulated.game(at, |bot, _| strength(bot) + noise(&mut random))).collect();
    assert!(signs(&simulated.findings_of(&games)).contains(&"games of a bot in a seat"));
}

#[test]
fn two_bots_that_are_kept_apart_are_found_out() {
    let mut random = Random::new(5);
    let simulated = Simulated::new(8);
    let mut pairings = simulated.pairings(100);
    for round in pairings.chunks_mut(8) {
        // Wherever bots 0 and 1 meet, bot 1 changes places with a bot of the other table.
        let sits = |game: &Pairing, bot| game.entrants.iter().any(|(_, other)| *other == bot);
        let meet = (0..2).find(|table| sits(&round[4 * table], 0) && sits(&round[4 * table], 1));
        let Some(meet) = meet else { continue };
        let change = round[4 * (1 - meet)].entrants[Seat::new(0)];
        for game in round.iter_mut() {
            let swapped = game.entrants.iter().map(|(_, bot)| match *bot {
                1 => change,
                bot if bot == change => 1,
                bot => bot,
            });
            game.entrants = swapped.collect();
        }
    }
    let games: Vec<_> =
        pairings.iter().map(|at| simulated.game(at, |bot, _| strength(bot) + noise(&mut random))).collect();
    assert_eq!(signs(&simulated.findings_of(&games)), ["tables at which two bots met"]);
}

#[test]
fn a_podium_that_silence_has_made_is_named_and_faults_in_one_seat_are() {
    let simulated = Simulated::new(4);
    let games: Vec<_> = simulated
        .pairings(20)
        .iter()
        .map(|at| {
            let mut rows =
                simulated.game(at, |bot, seat| if bot == 0 && seat == 1 { 0.0 } else { strength(bot) });
            for row in rows.iter_mut().filter(|row| row.bot == bot(0) && row.seat == Seat::new(1)) {
                row.faults[FaultKind::Late as usize] = 100;
            }
            for row in rows.iter_mut().filter(|row| row.seat == Seat::new(1)) {
                row.faults[FaultKind::Illegal as usize] += 1;
            }
            rows
        })
        .collect();
    let signs_found = simulated.findings_of(&games);
    let signs = signs(&signs_found);
    assert!(signs.contains(&"the podium if games with a silent bot are left out"), "{signs_found:#?}");
    assert!(signs.contains(&"games with a fault in a seat"), "{signs_found:#?}");
}

#[test]
fn a_large_file_is_taken_round_by_round() {
    // 3,000 games by default; with `REFEREE_GAMES=100000` and `--nocapture` it prints how long a large file takes.
    let count: u32 = std::env::var("REFEREE_GAMES").ok().and_then(|count| count.parse().ok()).unwrap_or(3000);
    let mut random = Random::new(6);
    let simulated = Simulated::new(8);
    for chunk in simulated.pairings(count / 8).chunks(4000) {
        let games: Vec<_> =
            chunk.iter().map(|at| simulated.game(at, |bot, _| strength(bot) + noise(&mut random))).collect();
        simulated.enter(&games);
    }
    let clock = referee_table::clock::Clock::start();
    let (account, _) = simulated.account();
    println!("{count} games, of which {} rounds: {:?}", account.race.rounds(), clock.now().0);
    assert_eq!(account.race.rounds(), count / 8);
    assert_eq!(account.likely(&bot(0)), Some((1, 1)));
}

#[test]
fn the_place_of_a_bot_is_among_its_likely_places_whatever_round_has_begun() {
    // Ten rounds that are all alike leave one place to each; one game of the next turns the order round.
    let simulated = Simulated::new(8);
    let close = |bot: usize, _| 0.4 - 0.001 * bot as f64;
    let pairings = simulated.pairings(11);
    let is_last = |at: &Pairing| at.scheduled.round == 11;
    let mut games: Vec<_> =
        pairings.iter().filter(|at| !is_last(at)).map(|at| simulated.game(at, close)).collect();
    let last = pairings.iter().find(|at| is_last(at)).expect("a game");
    games.push(simulated.game(last, |bot, _| 0.1 * bot as f64));
    simulated.enter(&games);
    let (account, _) = simulated.account();
    for line in account.standings() {
        let (first, last) = account.likely(&line.bot).expect("likely places");
        assert!((first..=last).contains(&line.place), "{line:?} {first} {last}");
    }
    let is_turned = account.standings().windows(2).any(|two| two[0].bot.name > two[1].bot.name);
    assert!(is_turned, "the last game has changed the order");
}

/// Plays rounds of the season in progress, with noise.
fn play_on(simulated: &Simulated, rounds: u32, random: &mut Random) -> usize {
    let games: Vec<_> = simulated
        .pairings(rounds)
        .iter()
        .map(|at| {
            let of = |bot: usize| simulated.bots[bot].name["bot".len()..].parse::<usize>().expect("a number");
            simulated.game(at, |bot, _| strength(of(bot)) + noise(random))
        })
        .collect();
    simulated.enter(&games);
    games.len()
}

#[test]
fn a_new_bot_does_not_blind_the_board() {
    let (mut random, mut simulated) = (Random::new(4), Simulated::new(8));
    let before = play_on(&simulated, 60, &mut random);
    let (alone, _) = simulated.account();
    assert_eq!((alone.number, alone.carried()), (1, 0));
    assert!(alone.likely(&bot(0)).unwrap().1 <= 2, "{:?}", alone.likely(&bot(0)));
    // A ninth bot comes.
    simulated.change_field((0..9).map(bot).collect());
    play_on(&simulated, 1, &mut random);
    let (account, _) = simulated.account();
    assert_eq!((account.number, account.race.rounds(), account.carried()), (2, 1, before as u64));
    let old = alone.sums.standings();
    for standing in account.sums.standings() {
        let (ranks, mean) = (account.likely(&standing.bot).unwrap(), account.mean(&standing.bot).unwrap());
        match old.iter().find(|old| old.bot == standing.bot) {
            Some(old) => {
                assert_eq!(standing.games, old.games + 4);
                let former = alone.likely(&standing.bot).unwrap();
                // There are nine places now, and the ninth bot can have any.
                assert!(ranks.0 <= former.0 && ranks.1 <= former.1 + 1, "{former:?} {ranks:?}");
                assert!(mean.upper - mean.lower < 0.3, "{mean:?}");
            }
            None => {
                assert_eq!((standing.bot, standing.games, ranks), (bot(8), 4, (1, 9)));
                assert!(mean.upper - mean.lower > 0.5, "{mean:?}");
            }
        }
    }
    assert!(account.watch.is_none() && account.race.unbeaten().len() == 9, "a verdict begins anew");
}

#[test]
fn what_a_bot_did_that_is_gone_or_changed_counts_no_more_and_neither_do_the_games_with_it() {
    let (mut random, mut simulated) = (Random::new(5), Simulated::new(8));
    let helped = |at: &Pairing| at.entrants.iter().any(|(_, bot)| *bot == 7);
    let games = simulated.pairings(30).into_iter().map(|at| {
        // Bot 7 helps bot 0.
        let share = |bot, _| if bot == 0 && helped(&at) { 0.95 } else { strength(bot) + noise(&mut random) };
        simulated.game(&at, share)
    });
    simulated.enter(&games.collect::<Vec<_>>());
    let changed = BotName { version: 2, digest: Digest::of(b"new"), ..bot(7) };
    simulated.change_field((0..7).map(bot).chain([changed.clone()]).collect());
    play_on(&simulated, 1, &mut random);
    let (account, _) = simulated.account();
    // Of two tables in a round, one has all games without the changed bot.
    assert_eq!(account.carried(), 30 * 4);
    let standings = account.sums.standings();
    let games: u64 = standings.iter().map(|standing| standing.games).sum();
    assert_eq!(games, (30 * 4 + 8) * 4);
    assert_eq!(standings.iter().find(|line| line.bot == changed).unwrap().games, 4);
    let (first, mean) = (&standings[0], account.mean(&bot(0)).unwrap());
    assert!(first.bot == bot(0) && first.mean_share < 0.5, "{first:?}");
    assert!(mean.lower < first.mean_share && first.mean_share < mean.upper && mean.upper < 0.8, "{mean:?}");
}

#[test]
fn a_season_that_was_just_begun_and_an_earlier_one_have_their_boards_too() {
    let (mut random, mut simulated) = (Random::new(6), Simulated::new(4));
    play_on(&simulated, 20, &mut random);
    simulated.change_field((0..5).map(bot).collect());
    play_on(&simulated, 20, &mut random);
    let account = |season| simulated.hill.account(season, StopRule::default()).unwrap().unwrap().0;
    assert_eq!(account(None).carried(), 80);
    assert_eq!((account(Some(1)).carried(), account(Some(2)).carried()), (0, 80));
    let shown = account(None).sums.standings();
    // The third season has no game so far.
    simulated.change_field((0..6).map(bot).collect());
    let account = |season| simulated.hill.account(season, StopRule::default()).unwrap().unwrap().0;
    assert_eq!((account(None).number, account(None).carried()), (2, 80));
    assert_eq!(account(None).sums.standings(), shown);
}

#[test]
fn the_hundredth_season_says_as_much_as_the_first() {
    let (mut random, mut simulated) = (Random::new(7), Simulated::new(4));
    let widths = |simulated: &Simulated| {
        let (account, _) = simulated.account();
        let width = |bot: &BotName| {
            let mean = account.mean(bot).unwrap();
            let (first, last) = account.likely(bot).unwrap();
            (mean.upper - mean.lower, last - first)
        };
        simulated.bots.iter().map(width).collect::<Vec<_>>()
    };
    play_on(&simulated, 60, &mut random);
    let first = widths(&simulated);
    // Bots of the same names and strengths, so nothing of the first season counts.
    for season in 1..100 {
        let other = |number| BotName { digest: Digest::of(&[season, number as u8]), ..bot(number) };
        simulated.change_field((0..4).map(other).collect());
    }
    play_on(&simulated, 60, &mut random);
    for ((width, ranks), (former_width, former_ranks)) in widths(&simulated).into_iter().zip(first) {
        assert!((width / former_width - 1.0).abs() < 0.05, "{width} {former_width}");
        assert!(ranks.abs_diff(former_ranks) <= 1, "{ranks} {former_ranks}");
    }
}

#[test]
fn equal_bots_have_intervals_of_like_width_that_contain_their_means() {
    let (mut random, simulated) = (Random::new(8), Simulated::new(12));
    let games: Vec<_> = simulated
        .pairings(30)
        .iter()
        .map(|at| simulated.game(at, |_, _| if random.percent(25) { 0.9 } else { 0.03 }))
        .collect();
    simulated.enter(&games);
    let (account, _) = simulated.account();
    let mut widths = Vec::new();
    for standing in account.sums.standings() {
        let mean = account.mean(&standing.bot).unwrap();
        assert!(mean.lower <= standing.mean_share && standing.mean_share <= mean.upper);
        widths.push(mean.upper - mean.lower);
    }
    widths.sort_by(f64::total_cmp);
    println!("{widths:?}");
    assert!(widths[11] < 1.5 * widths[0], "{widths:?}");
}
