//! Exams, simulated: the strength of each student is known, so each grade is right or wrong.

use referee_rules::Seed;
use referee_statistics::exam::{Exam, ExamState, Size, Tally, evidence, expected, goal};

use crate::fields::normal;
use crate::random::Random;

/// A kind of game: its seats, and how chance comes to a score.
#[derive(Clone, Copy, Debug)]
struct Kind {
    seats: usize,
    /// What the first seat is worth, in scatters of a game; the last is worth nothing.
    seat_effect: f64,
    luck: Luck,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Luck {
    Normal,
    /// Mostly small, sometimes very large, as in a game in which one stroke decides.
    Skewed,
    /// Scores are whole scatters, so that many games end level.
    Ties,
    /// A student who was lucky in a game is rather lucky in the next.
    Memory,
}

/// All four kinds of game, with the number of their seats.
const KINDS: [Kind; 5] = [
    Kind { seats: 6, seat_effect: 1.0, luck: Luck::Normal },
    Kind { seats: 4, seat_effect: 0.0, luck: Luck::Skewed },
    Kind { seats: 2, seat_effect: 1.0, luck: Luck::Ties },
    Kind { seats: 16, seat_effect: 0.5, luck: Luck::Normal },
    Kind { seats: 2, seat_effect: 0.0, luck: Luck::Normal },
];

const STUDENTS: usize = 30;

/// Plays an exam; returns what is known of each student, and the number of games.
fn play(random: &mut Random, kind: Kind, panel: &[f64], students: &[f64], rounds: u32) -> (Vec<Exam>, u32) {
    let groups = panel.len().div_ceil(kind.seats - 1);
    let goal = goal(0.05, students.len());
    let mut games = 0;
    let exams = students.iter().map(|strength| {
        let (mut exam, mut last) = (Exam::new(panel.len()), 0.0);
        for _ in 0..rounds {
            let start = |group: usize| group * panel.len() / groups;
            let mut round = vec![Tally::default(); panel.len()];
            for group in 0..groups {
                // A group that is passed is not played any more.
                if start(group + 1) <= exam.passed() {
                    continue;
                }
                for seat in 0..kind.seats {
                    games += 1;
                    let own = *strength + luck(random, kind, seat, &mut last);
                    for bot in start(group)..start(group + 1) {
                        let at = (seat + 1 + (bot - start(group))) % kind.seats;
                        let other = panel[bot] + luck(random, kind, at, &mut 0.0);
                        let (own, other) = match kind.luck {
                            Luck::Ties => (own.round(), other.round()),
                            _ => (own, other),
                        };
                        let tally = &mut round[bot];
                        if own > other {
                            tally.before += 1;
                        } else if own < other {
                            tally.after += 1;
                        } else {
                            tally.level += 1;
                        }
                    }
                }
            }
            let played: Vec<(usize, Tally)> = round.into_iter().enumerate().collect();
            exam.add_round(&played, goal);
            if exam.state() != ExamState::Undecided {
                break;
            }
        }
        exam
    });
    (exams.collect(), games)
}

/// Draws the chance of a score, in scatters, with what the seat is worth.
fn luck(random: &mut Random, kind: Kind, seat: usize, last: &mut f64) -> f64 {
    let chance = match kind.luck {
        Luck::Skewed => -(random.below(1 << 20) as f64 + 1.0).ln() + 20.0 * 2f64.ln() - 1.0,
        Luck::Memory => {
            *last = 0.3 * *last + (1.0f64 - 0.09).sqrt() * normal(random);
            *last
        }
        Luck::Normal | Luck::Ties => normal(random),
    };
    chance + kind.seat_effect * (1.0 - seat as f64 / (kind.seats - 1) as f64)
}

/// Tells whether what is said of a student is wrong.
fn is_wrong(exam: &Exam, strength: f64, panel: &[f64]) -> bool {
    let passed_wrongly = panel[..exam.passed()].iter().any(|bot| *bot >= strength);
    let below_wrongly = exam.state() == ExamState::Below && strength >= panel[exam.passed()];
    passed_wrongly || below_wrongly
}

/// Counts classes with a wrong grade, of this number.
fn wrong_classes(
    kind: Kind,
    panel: usize,
    classes: u64,
    student: impl Fn(&mut Random, &[f64]) -> f64,
) -> u32 {
    let panel: Vec<f64> = (0..panel).map(|bot| bot as f64 * 0.8).collect();
    let mut wrong = 0;
    for class in 0..classes {
        let mut random = Random::new(class + 1);
        let students: Vec<f64> = (0..STUDENTS).map(|_| student(&mut random, &panel)).collect();
        let (exams, _) = play(&mut random, kind, &panel, &students, 30);
        let is_any = exams.iter().zip(&students).any(|(exam, strength)| is_wrong(exam, *strength, &panel));
        wrong += u32::from(is_any);
    }
    wrong
}

#[test]
fn at_most_one_class_in_twenty_has_a_wrong_grade_though_all_are_copies_of_the_panel() {
    for kind in KINDS {
        for panel in 3..=6 {
            let wrong = wrong_classes(kind, panel, 60, |random, panel| panel[random.below(panel.len())]);
            println!("{kind:?}, panel of {panel}: {wrong} of 60 classes have a wrong grade");
            // By chance alone, 8 of 60 if one class in twenty is wrong: once in 120.
            assert!(wrong < 8, "{kind:?}, {panel}: {wrong}");
        }
    }
}

#[test]
fn at_most_one_class_in_twenty_has_a_wrong_grade_of_any_strength() {
    for kind in KINDS {
        let wrong = wrong_classes(kind, 4, 60, |random, panel| {
            random.below(1000) as f64 / 1000.0 * (panel[panel.len() - 1] + 1.6) - 0.8
        });
        println!("{kind:?}: {wrong} of 60 classes have a wrong grade");
        assert!(wrong < 8, "{kind:?}: {wrong}");
    }
}

/// Bots start anew for each game, so that luck does not last. If it did, more classes than promised would be wrong, but
/// not many more.
#[test]
fn luck_that_lasts_from_game_to_game_makes_one_class_in_ten_wrong() {
    let kind = Kind { luck: Luck::Memory, ..KINDS[0] };
    let wrong = wrong_classes(kind, 4, 60, |random, panel| panel[random.below(panel.len())]);
    println!("memory: {wrong} of 60 classes have a wrong grade");
    assert!(wrong < 12, "{wrong}");
}

#[test]
fn a_class_is_decided_sooner_the_further_students_are_from_the_panel() {
    // Panel bots 2 scatters apart; students by this number of scatters above one of them.
    let panel: Vec<f64> = (0..4).map(|bot| f64::from(bot) * 2.0).collect();
    for kind in KINDS {
        let mut needed = Vec::new();
        for above in [0.5, 1.0] {
            let mut random = Random::new(5);
            let students: Vec<f64> = (0..STUDENTS).map(|student| panel[student % 4] - 2.0 + above).collect();
            let (exams, games) = play(&mut random, kind, &panel, &students, 100);
            let decided = exams.iter().filter(|exam| exam.state() != ExamState::Undecided).count();
            println!("{kind:?}, {above} scatters: {decided} of 30 decided after {games} games");
            // A round of two seats has two games with a bot of the panel, one of six has six.
            let least = if kind.seats == 2 && above < 1.0 { 8 } else { 28 };
            assert!(decided >= least, "{kind:?}, {above}: {decided}");
            needed.push(games);
        }
        assert!(needed[0] > needed[1], "{kind:?}: {needed:?}");
    }
}

#[test]
fn evidence_follows_from_two_counts() {
    // By hand: the mean of 2^3 and the 63 smaller stakes.
    let by_hand = (1..=64).map(|number| (1.0 + f64::from(number) / 64.0).powi(3)).sum::<f64>() / 64.0;
    assert!((evidence(3, 0) - by_hand).abs() < 1e-9);
    assert_eq!(evidence(0, 0), 1.0);
    // A fair coin: the expectation of the evidence after any number of games is 1.
    let mean: f64 = (0..=10u32)
        .map(|won| {
            let ways = (1..=won).fold(1.0, |ways, k| ways * f64::from(10 - won + k) / f64::from(k));
            ways / 1024.0 * evidence(won, 10 - won)
        })
        .sum();
    assert!((mean - 1.0).abs() < 1e-9, "{mean}");
    // Thirteen games won in a row are enough for one of thirty students.
    assert!(evidence(13, 0) >= goal(0.05, 30) && evidence(12, 0) < goal(0.05, 30));
}

#[test]
fn lost_games_count_against_whatever_is_claimed() {
    let tally = Tally { before: 20, level: 0, after: 0, lost: 0 };
    let doubtful = Tally { lost: 6, ..tally };
    assert_eq!(doubtful.evidence_above(), Tally { after: 6, ..tally }.evidence_above());
    assert_eq!(doubtful.evidence_below(), Tally { after: 0, before: 26, ..tally }.evidence_below());
    assert_eq!((doubtful.games(), doubtful.part()), (26, Some(1.0)));
}

#[test]
fn a_forecast_is_the_number_of_games_that_are_needed_at_the_rate_so_far() {
    let goal = goal(0.05, 30);
    let tally = Tally { before: 15, level: 0, after: 5, lost: 0 };
    let left = tally.games_left(goal).expect("it grows");
    let whole = 20 + left;
    let at = Tally { before: whole * 3 / 4, after: whole / 4, ..tally };
    assert!(at.evidence_above() >= goal * 0.5, "{left}: {}", at.evidence_above());
    assert_eq!(Tally { before: 5, after: 5, ..tally }.games_left(goal), None, "it does not grow");
    assert_eq!(Tally { before: 14, after: 0, ..tally }.games_left(goal), Some(0));
}

#[test]
fn bots_of_the_panel_count_in_their_order_and_what_is_sure_stays_sure() {
    let goal = goal(0.05, 1);
    let won = Tally { before: 12, ..Tally::default() };
    let lost = Tally { after: 12, ..Tally::default() };
    let mut exam = Exam::new(2);
    exam.add_round(&[(0, Tally::default()), (1, won)], goal);
    assert_eq!((exam.passed(), exam.state()), (0, ExamState::Undecided), "the second counts after the first");
    exam.add_round(&[(0, won), (1, Tally::default())], goal);
    assert_eq!((exam.passed(), exam.state()), (2, ExamState::Passed));
    exam.add_round(&[(0, lost), (1, lost)], goal);
    assert_eq!((exam.passed(), exam.state()), (2, ExamState::Passed), "luck that turns takes nothing away");
    assert!(exam.tallies()[0].evidence_above() < goal && exam.decisive(0).evidence_above() >= goal);
    let mut exam = Exam::new(2);
    exam.add_round(&[(0, won), (1, lost)], goal);
    assert_eq!((exam.passed(), exam.state()), (1, ExamState::Below));
    exam.add_round(&[(0, won), (1, won)], goal);
    exam.add_round(&[(0, won), (1, won)], goal);
    assert_eq!((exam.passed(), exam.state()), (1, ExamState::Below), "and neither does it give anything");
}

/// The table of the guide: of ten games, how often a student finishes before a bot, and games until that is sure.
const UNTIL_SURE: [(u32, u32); 4] = [(9, 20), (8, 50), (7, 100), (6, 430)];

#[test]
fn the_guide_says_after_how_many_games_half_of_the_students_are_above() {
    let guide = include_str!("../../docs/guides/class.md");
    let mut random = Random::new(7);
    let mut exams = |percent: i64| {
        let mut games: Vec<u32> = (0..400).map(|_| games_until_sure(&mut random, percent)).collect();
        games.sort_unstable();
        games
    };
    for (of_ten, told) in UNTIL_SURE {
        let row = format!("| {of_ten} of 10{} | about {told} |", if of_ten == 9 { " games" } else { "" });
        assert!(guide.contains(&row), "{row}");
        let half = exams(i64::from(of_ten) * 10)[200];
        assert!(told.abs_diff(half) <= told / 5, "{of_ten} of 10: {half} games");
    }
    assert!(exams(75)[360] <= 120, "nine of ten are decided");
}

/// Plays rounds of six games in which a student finishes before a bot with this probability, until it is surely above.
fn games_until_sure(random: &mut Random, percent: i64) -> u32 {
    let mut tally = Tally::default();
    while tally.evidence_above() < goal(0.05, STUDENTS) && tally.games() < 2_000 {
        let before = (0..6).filter(|_| random.percent(percent)).count() as u32;
        tally.add(Tally { before, after: 6 - before, ..Tally::default() });
    }
    tally.games()
}

#[test]
fn a_forecast_of_an_exam_draws_what_practice_leaves_open() {
    let size = Size { seats: 6, groups: 1, rounds: 20, goal: goal(0.05, STUDENTS) };
    let tally = |before, after| Tally { before, after, ..Tally::default() };
    let alone = |met: [Tally; 2]| expected(&[&met], size, Seed(1))[0];
    // Much practice: above the first bot in 9 of 10 games, and level with the second.
    let sure = alone([tally(900, 100), tally(500, 500)]);
    assert!(sure.decided < 0.1 && sure.games > 100.0, "{sure:?}");
    let clear = alone([tally(900, 100), tally(100, 900)]);
    assert!(clear.decided > 0.9 && clear.games < 60.0, "{clear:?}");
    // Without practice any chance is as likely as another: most are clear, some are not.
    let unknown = alone([Tally::default(); 2]);
    assert!((0.3..0.95).contains(&unknown.decided), "{unknown:?}");
    assert!(unknown.games > clear.games && unknown.games < sure.games, "{unknown:?}");
    // Games without a winner take time and decide nothing.
    let drawish = alone([tally(900, 100), tally(100, 900)].map(|tally| Tally { level: 3_000, ..tally }));
    assert!(drawish.games > 2.0 * clear.games, "{drawish:?}");
}

/// How the chances of a class against a panel of three are spread: all alike, most alike and some undecided for long,
/// by strength, or each by itself.
const CLASSES: [&str; 6] = ["weak", "strong", "even", "a tail", "by strength", "any"];

/// Draws the chances of a student of a class, in percent.
fn student_of(class: &str, random: &mut Random) -> [i64; 3] {
    match class {
        "weak" => [4, 2, 1],
        "strong" => [97, 92, 85],
        "even" => [75, 60, 50],
        "a tail" if random.percent(20) => [random.between(50, 75), 2, 1],
        "a tail" => [97, 2, 1],
        "by strength" => {
            let strength = random.between(10, 90);
            [strength, (strength - 20).max(2), (strength - 40).max(2)]
        }
        _ => [(); 3].map(|()| random.between(2, 98)),
    }
}

/// Plays games of a student who has these chances.
fn games_of(chances: &[i64; 3], number: u32, random: &mut Random) -> [Tally; 3] {
    chances.map(|percent| {
        let before = (0..number).filter(|_| random.percent(percent)).count() as u32;
        Tally { before, after: number - before, ..Tally::default() }
    })
}

/// Plays the exam of a class. Returns its number of games.
fn exam_of(class: &[[i64; 3]], size: Size, random: &mut Random) -> f64 {
    let mut played = 0;
    for chances in class {
        let mut exam = Exam::new(3);
        for _ in 0..size.rounds {
            let round = games_of(chances, size.seats, random);
            exam.add_round(&[(0, round[0]), (1, round[1]), (2, round[2])], size.goal);
            played += size.seats;
            if exam.state() != ExamState::Undecided {
                break;
            }
        }
    }
    f64::from(played)
}

/// After twenty games of practice with each bot of the panel, the number of games is forecast within a fifth for
/// nineteen of twenty classes.
#[test]
fn a_forecast_of_a_class_is_within_a_fifth() {
    let mut random = Random::new(12);
    let (mut classes, mut within) = (0, 0);
    for (seats, students) in [(6, 30), (4, 30), (2, 20)] {
        let size = Size { seats, groups: 1, rounds: 120 / seats, goal: goal(0.05, students) };
        for kind in CLASSES {
            for seed in 0..5 {
                let class: Vec<[i64; 3]> = (0..students).map(|_| student_of(kind, &mut random)).collect();
                let met: Vec<[Tally; 3]> =
                    class.iter().map(|chances| games_of(chances, 20, &mut random)).collect();
                let met: Vec<&[Tally]> = met.iter().map(|met| &met[..]).collect();
                let games: f64 = expected(&met, size, Seed(seed)).iter().map(|one| one.games).sum();
                let ratio = games / exam_of(&class, size, &mut random);
                classes += 1;
                within += u32::from((0.8..1.2).contains(&ratio));
            }
        }
    }
    assert!(20 * within >= 19 * classes, "{within} of {classes}");
}
