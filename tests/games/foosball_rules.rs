//! The rules of comFoosball, one by one, each in the smallest position that shows it.

use referee_games::foosball::{Action, BENCH, Contest, Foosball, MEN, PARAMETERS, State, strength};
use referee_rules::game::{Game, Playing};
use referee_rules::{
    Codec, Dice, Event, Events, Fault, Malformed, Outcome, Parameters, Resource, Rules, Seat, Seed, ToMove,
};

const HOME: usize = 0;
const AWAY: usize = 1;

/// A game under the control of a test, which decides where the ball goes.
struct Field {
    rules: Foosball,
    state: State,
    events: Events,
    /// The last contest.
    contest: Option<Contest>,
}

impl Field {
    fn new(variant: &str) -> Field {
        let rules = rules(variant);
        let state = rules.start(&mut Dice::for_start(Seed(1)));
        Field { rules, state, events: Events::default(), contest: None }
    }

    fn round(&mut self, home: [i64; MEN], away: [i64; MEN], direction: i64) {
        self.act(Action::Roster(home), Action::Roster(away), direction);
    }

    fn act(&mut self, home: Action, away: Action, direction: i64) {
        let actions = [(Seat::new(HOME), home), (Seat::new(AWAY), away)];
        let (events, seen) = (&mut self.events, &mut self.contest);
        events.clear();
        self.rules.play_round(&mut self.state, &actions, events, |contest| {
            *seen = Some(contest);
            direction
        });
    }

    /// Plays rounds without any movement of men and ball, up to this one.
    fn until(&mut self, round: u32) {
        while self.rules.turn(&self.state) < round {
            let [home, away] = [HOME, AWAY].map(|seat| self.rows(seat));
            self.round(home, away, 0);
        }
    }

    fn question(&self, seat: usize) -> Vec<i64> {
        let mut integers = Vec::new();
        self.rules.write_own(&self.state, Seat::new(seat), &mut integers);
        integers
    }

    fn ball(&self) -> i64 {
        self.question(HOME)[3]
    }

    fn goals(&self) -> [i64; 2] {
        [self.question(HOME)[0], self.question(HOME)[1]]
    }

    fn rows(&self, seat: usize) -> [i64; MEN] {
        self.question(seat)[4..30].try_into().unwrap()
    }

    fn fatigues(&self, seat: usize) -> Vec<i64> {
        self.question(seat)[30..56].to_vec()
    }

    fn check(&self, seat: usize, roster: [i64; MEN]) -> Option<String> {
        let checked = self.rules.check(&self.state, Seat::new(seat), &Action::Roster(roster));
        checked.err().map(|illegal| illegal.to_string())
    }

    fn outcome(&self) -> Option<Outcome> {
        self.rules.outcome(&self.state)
    }

    fn effects(&self) -> Vec<(&'static str, Option<usize>, Vec<i64>)> {
        let effect = |event| match event {
            Event::Effect { name, seat, values } => Some((name, seat.map(Seat::index), values.to_vec())),
            Event::Draw { .. } => None,
        };
        self.events.iter().filter_map(effect).collect()
    }
}

fn rules(variant: &str) -> Foosball {
    let mut parameters = Parameters::defaults(PARAMETERS);
    parameters.set_text("variant", variant).unwrap();
    Foosball::new(&parameters)
}

/// 22 men on one row, the last four on the bench.
pub(crate) fn all_on(row: i64) -> [i64; MEN] {
    std::array::from_fn(|man| if man < 22 { row } else { BENCH })
}

/// The first men on these rows, the others far from the ball's.
fn first_on(rows: &[i64]) -> [i64; MEN] {
    let mut roster = all_on(-4);
    roster[..rows.len()].copy_from_slice(rows);
    roster
}

// Rosters.

#[test]
fn exactly_22_men_stand_on_rows() {
    let field = Field::new("text");
    for (fielded, verdict) in [(21, Some("21 men")), (22, None), (23, Some("23 men")), (26, Some("26 men"))] {
        let roster = std::array::from_fn(|man| if man < fielded { 3 } else { BENCH });
        let says = field.check(HOME, roster);
        match verdict {
            Some(begin) => assert_eq!(says, Some(format!("1 of 1: {begin} on rows instead of 22"))),
            None => assert_eq!(says, None),
        }
    }
}

#[test]
fn rows_go_from_minus_4_to_4_and_all_else_is_the_bench() {
    let field = Field::new("text");
    for row in -4..=4 {
        assert_eq!(field.check(AWAY, all_on(row)), None);
    }
    for bench in [-5, 5, 0x1_0000_0000, i64::MIN, i64::MAX] {
        let mut roster = all_on(0);
        roster[22..].fill(bench);
        assert_eq!(field.check(HOME, roster), None, "{bench}");
        roster[0] = bench;
        assert!(field.check(HOME, roster).is_some(), "{bench}");
    }
}

#[test]
fn within_a_quarter_one_man_goes_one_step() {
    let mut field = Field::new("text");
    field.round(all_on(-4), all_on(-4), 0);
    let with = |changes: &[(usize, i64)]| {
        let mut roster = all_on(-4);
        changes.iter().for_each(|(man, row)| roster[*man] = *row);
        roster
    };
    assert_eq!(field.check(HOME, with(&[])), None);
    assert_eq!(field.check(HOME, with(&[(21, -3)])), None);
    let two = Some("1 of 1: 2 steps within a quarter; 1 is allowed".to_owned());
    assert_eq!(field.check(HOME, with(&[(21, -2)])), two);
    assert_eq!(field.check(HOME, with(&[(0, -3), (21, -3)])), two);
    assert!(field.check(HOME, with(&[(0, BENCH), (22, -4)])).is_some(), "nobody is exchanged");
}

#[test]
fn the_numbers_of_the_benched_count_as_they_were_sent() {
    let mut field = Field::new("text");
    field.round(all_on(-4), all_on(-4), 0);
    let mut roster = all_on(-4);
    roster[25] = BENCH + 1;
    assert_eq!(field.check(HOME, roster), None);
    roster[0] = -3;
    assert!(field.check(HOME, roster).is_some());
    let mut far = all_on(-4);
    (far[22], far[23]) = (i64::MIN, i64::MAX);
    assert!(field.check(HOME, far).is_some());
}

#[test]
fn a_new_quarter_begins_with_any_roster() {
    let mut field = Field::new("text");
    field.round(all_on(0), all_on(0), 0);
    for start in [200, 400, 600] {
        field.until(start - 1);
        assert!(field.check(HOME, all_on(4)).is_some());
        field.until(start);
        assert_eq!(field.check(HOME, all_on(4)), None);
        field.until(start + 1);
        assert!(field.check(HOME, all_on(4)).is_some());
    }
}

#[test]
fn an_invalid_roster_is_a_warning_and_a_null_move() {
    let mut field = Field::new("text");
    field.round(all_on(2), all_on(-4), 0);
    for bad in [Action::Roster([2; MEN]), Action::Roster(all_on(3)), Action::Nonsense] {
        field.act(bad, Action::Roster(all_on(-4)), 0);
        assert_eq!(field.effects(), [("warning", Some(HOME), vec![])]);
        assert_eq!(field.rows(HOME), all_on(2));
        assert_eq!(field.outcome(), None);
    }
}

#[test]
fn after_an_invalid_first_roster_all_are_benched_until_the_next_quarter() {
    let mut field = Field::new("text");
    field.act(Action::Nonsense, Action::Roster(all_on(-4)), 0);
    for _ in 1..200 {
        assert_eq!(field.rows(HOME), [BENCH; MEN]);
        assert!(field.check(HOME, all_on(0)).is_some() && field.check(HOME, [BENCH; MEN]).is_some());
        field.round(all_on(0), all_on(-4), 0);
    }
    field.round(all_on(0), all_on(-4), 0);
    assert_eq!(field.rows(HOME), all_on(0));
}

// The contest, the ball and the goals.

#[test]
fn the_rosters_of_the_round_compete() {
    for variant in ["text", "server2013"] {
        let mut field = Field::new(variant);
        field.round(first_on(&[1, 1, 1]), first_on(&[-1, 0]), 1);
        assert_eq!(field.contest, Some(Contest { row: 0, home: 0, away: strength(0) }));
        field.round(first_on(&[1, 1, 1]), first_on(&[-1, 0]), 1);
        // On the server they were tired before the contest, since they had been waiting for the ball.
        let each = strength(if variant == "text" { 0 } else { 1 });
        assert_eq!(field.contest, Some(Contest { row: 1, home: 3 * each, away: each }));
        let draw = Event::Draw { name: "contest", at: 1, candidates: &[0, 1, 2, 26], drawn: &[1] };
        assert_eq!(field.events.iter().collect::<Vec<_>>(), [draw]);
    }
}

#[test]
fn the_ball_beyond_row_4_is_in_the_goal_of_away_and_goes_to_0() {
    for (direction, scorer, goals) in [(1, HOME, [1, 0]), (-1, AWAY, [0, 1])] {
        let mut field = Field::new("text");
        for rounds in 1..=4 {
            field.round(all_on(-4), all_on(-4), direction);
            assert_eq!((field.ball(), field.goals()), (rounds * direction, [0, 0]));
        }
        field.round(all_on(-4), all_on(-4), direction);
        assert_eq!((field.ball(), field.goals()), (0, goals));
        assert_eq!(field.effects(), [("goal", Some(scorer), goals.to_vec())]);
    }
}

#[test]
fn after_200_rounds_the_ball_goes_to_0() {
    let mut field = Field::new("text");
    field.round(all_on(-4), all_on(-4), 1);
    for quarter in 1..=4 {
        field.until(200 * quarter as u32 - 1);
        let ball = field.ball();
        field.round(all_on(-4), all_on(-4), 1);
        assert_eq!((ball, field.ball()), (1, 0));
        assert_eq!(field.effects(), [("quarter", None, vec![quarter])]);
        if quarter < 4 {
            field.round(all_on(-4), all_on(-4), 1);
        }
    }
}

#[test]
fn r_below_the_share_of_home_sends_the_ball_forward() {
    let one = strength(0);
    assert_eq!(one, 1 << 53);
    let last = one - 1;
    let contest = |home, away| Contest { row: 0, home, away };
    assert_eq!([0, last].map(|r| contest(1, 0).decide(r)), [1, 1]);
    assert_eq!([1, last].map(|r| contest(0, 1).decide(r)), [-1, -1]);
    assert_eq!(contest(0, 1).decide(0), 0, "r = H/(H+A)");
    let quarter = one / 4;
    assert_eq!([quarter - 1, quarter, quarter + 1].map(|r| contest(one, 3 * one).decide(r)), [1, 0, -1]);
    let third = one / 3; // r = H/(H+A) never happens where it is no multiple of 2^-53
    assert_eq!([third, third + 1].map(|r| contest(one, 2 * one).decide(r)), [1, -1]);
}

#[test]
fn strengths_are_these_for_ever() {
    let due = [
        (0, 9_007_199_254_740_992),
        (1, 8_917_127_262_193_582),
        (2, 8_827_955_989_571_646),
        (69, 4_502_131_723_200_015),
        (800, 2_902_321_026_795),
    ];
    for (fatigue, units) in due {
        assert_eq!(strength(fatigue), units, "{fatigue}");
    }
    assert!((1..=800).all(|fatigue| strength(fatigue) < strength(fatigue - 1)));
}

#[test]
fn contests_are_won_as_often_as_the_formula_says() {
    const CONTESTS: u32 = 100_000;
    let tired = |fatigues: &[u32]| fatigues.iter().map(|fatigue| strength(*fatigue)).sum();
    let cases: [(&[u32], &[u32]); 7] = [
        (&[], &[]),
        (&[0], &[0]),
        (&[0], &[0, 0, 0]),
        (&[0; 22], &[50]),
        (&[10, 70, 300], &[100, 5]),
        (&[800], &[799, 0]),
        (&[120, 120], &[0]),
    ];
    for (number, (home, away)) in cases.into_iter().enumerate() {
        let contest = Contest { row: 0, home: tired(home), away: tired(away) };
        let power = |men: &[u32]| men.iter().map(|fatigue| 0.99f64.powi(*fatigue as i32)).sum::<f64>();
        let chance = if home.is_empty() { 0.5 } else { power(home) / (power(home) + power(away)) };
        let mut forward = 0.0;
        for turn in 0..CONTESTS {
            let direction = contest.draw(&mut Dice::for_turn(Seed(number as u64), turn));
            assert_ne!(direction, 0);
            forward += f64::from(u8::from(direction == 1));
        }
        let (due, all) = (chance * f64::from(CONTESTS), f64::from(CONTESTS));
        let chi_squared = (forward - due).powi(2) / due + (forward - due).powi(2) / (all - due);
        assert!(chi_squared < 10.83, "case {number}: {chi_squared} is over the 99.9 % point for 1 degree");
    }
}

#[test]
fn a_team_alone_on_the_row_always_wins_the_contest() {
    for turn in 0..1000 {
        let dice = &mut Dice::for_turn(Seed(5), turn);
        assert_eq!(Contest { row: 0, home: strength(800), away: 0 }.draw(dice), 1);
        assert_eq!(Contest { row: 0, home: 0, away: strength(800) }.draw(dice), -1);
    }
}

// Fatigue.

#[test]
fn by_the_text_those_tire_who_have_competed() {
    let mut field = Field::new("text");
    field.round(first_on(&[0, 1]), first_on(&[0, 0, -1]), 1);
    assert_eq!((&field.fatigues(HOME)[..3], &field.fatigues(AWAY)[..3]), (&[1, 0, 0][..], &[1, 1, 0][..]));
    field.round(first_on(&[1, 1]), first_on(&[0, 0, -1]), 1);
    assert_eq!((&field.fatigues(HOME)[..3], &field.fatigues(AWAY)[..3]), (&[2, 1, 0][..], &[1, 1, 1][..]));
    let tired = strength(1) + strength(1);
    field.round(first_on(&[1, 1]), first_on(&[0, -1, -1]), -1);
    assert_eq!(field.contest, Some(Contest { row: 2, home: 0, away: 0 }));
    field.round(first_on(&[1, 1]), first_on(&[0, -1, -1]), -1);
    assert_eq!(field.contest, Some(Contest { row: 1, home: strength(2) + strength(1), away: tired }));
}

#[test]
fn on_the_server_those_tire_who_stood_there_before_the_rosters() {
    let mut field = Field::new("server2013");
    field.round(first_on(&[0, 1]), first_on(&[0, 0, -1]), 0);
    assert_eq!((&field.fatigues(HOME)[..3], &field.fatigues(AWAY)[..3]), (&[0; 3][..], &[0; 3][..]));
    field.round(first_on(&[1, 1]), first_on(&[0, 0, -1]), 0);
    assert_eq!((&field.fatigues(HOME)[..3], &field.fatigues(AWAY)[..3]), (&[1, 0, 0][..], &[1, 1, 0][..]));
    // They are tired already when they compete.
    assert_eq!(field.contest, Some(Contest { row: 0, home: 0, away: 2 * strength(1) }));
}

#[test]
fn who_is_benched_when_a_quarter_begins_is_fresh_at_once_and_who_is_fielded_is_not() {
    for variant in ["text", "server2013"] {
        let mut field = Field::new(variant);
        field.round(all_on(0), all_on(-4), 0);
        field.until(200);
        let before = field.fatigues(HOME)[0];
        assert!(before >= 199);
        let mut roster = all_on(4);
        (roster[0], roster[25]) = (BENCH, 4);
        field.round(roster, all_on(-4), 0);
        // The server tires the men on row 0 once more: they were there before the rosters.
        let fielded = if variant == "text" { before } else { before + 1 };
        assert_eq!((field.fatigues(HOME)[0], field.fatigues(HOME)[1]), (0, fielded));
    }
}

// What a team is told.

#[test]
fn each_team_sees_itself_attack_upward() {
    let mut field = Field::new("text");
    assert_eq!(field.question(HOME), field.question(AWAY));
    assert_eq!(field.question(HOME)[4..30], [100; 26]);
    assert_eq!(field.question(HOME)[56..82], [-100; 26]);
    for _ in 0..6 {
        field.round(first_on(&[3, -2, 0]), first_on(&[0, 1]), 1);
    }
    let (home, away) = (field.question(HOME), field.question(AWAY));
    assert_eq!((&home[..4], &away[..4]), (&[1, 0, 6, 1][..], &[0, 1, 6, -1][..]));
    assert_eq!((home[4..8].to_vec(), home[29]), (vec![3, -2, 0, -4], 100));
    assert_eq!((away[56..60].to_vec(), away[81]), (vec![-3, 2, 0, 4], -100));
    assert_eq!((&home[30..56], &home[82..]), (&away[82..], &away[30..56]));
    assert_eq!(home[56..82].iter().map(|row| -row).collect::<Vec<_>>(), away[4..30]);
}

#[test]
fn the_least_of_all_numbers_on_the_bench_does_no_harm() {
    let mut field = Field::new("text");
    let mut roster = all_on(0);
    roster[22..].fill(i64::MIN);
    field.round(roster, all_on(0), 0);
    assert_eq!(field.question(HOME)[26], i64::MIN);
    assert_eq!(field.question(AWAY)[78], i64::MAX);
}

#[test]
fn an_answer_has_26_integers() {
    let mut game = Playing::new(rules("text"), Seed(1));
    for length in [0, 25, 27, 108] {
        let verdict = game.answer(Seat::new(0), Ok(&vec![0; length]));
        assert!(matches!(verdict, Some(Fault::Malformed(_))), "{length}: {verdict:?}");
    }
    assert_eq!(game.answer(Seat::new(0), Ok(&all_on(3))), None);
}

// The end.

#[test]
fn after_800_rounds_more_goals_win_and_equal_is_a_tie() {
    for (direction, shares, places) in
        [(1, [1.0, 0.0], [1, 2]), (-1, [0.0, 1.0], [2, 1]), (0, [0.5, 0.5], [1, 1])]
    {
        let mut field = Field::new("text");
        for _ in 0..5 {
            assert_eq!(field.outcome(), None);
            field.round(all_on(-4), all_on(-4), direction);
        }
        field.until(799);
        assert_eq!(field.rules.to_move(&field.state), ToMove::All);
        field.until(800);
        assert_eq!(field.rules.to_move(&field.state), ToMove::Nobody);
        let outcome = field.outcome().unwrap();
        assert_eq!((outcome.reason, outcome.shares.as_slice()), ("full_time", &shares[..]));
        assert_eq!(outcome.scores.as_slice(), field.goals());
        assert_eq!([0, 1].map(|seat| outcome.place(Seat::new(seat))), places);
    }
}

#[test]
fn silence_loses_whatever_the_score_and_of_both_is_a_tie() {
    let late = Fault::Late;
    let silences: [(Fault, &str); 7] = [
        (Fault::Deaf, "out_of_time"),
        (Fault::Exited(0), "forfeit"),
        (Fault::Crashed(11), "forfeit"),
        (Fault::Closed, "forfeit"),
        (Fault::Resource(Resource::Cpu), "forfeit"),
        (Fault::StartFailed("gone".to_owned()), "forfeit"),
        (Fault::Late, "out_of_time"),
    ];
    for (fault, reason) in &silences {
        let mut field = Field::new("text");
        for _ in 0..5 {
            field.round(all_on(4), all_on(4), 1);
        }
        assert_eq!(field.goals(), [1, 0]);
        let mut actions = [Action::default(), Action::default()];
        let ends = [
            ([Some(fault), None], [0.0, 1.0]),
            ([None, Some(fault)], [1.0, 0.0]),
            ([Some(fault), Some(&late)], [0.5, 0.5]),
        ];
        for (faults, shares) in ends {
            let mut field = Field { state: field.state.clone(), ..Field::new("text") };
            for (seat, fault) in faults.iter().enumerate() {
                actions[seat] = Action::Roster(all_on(4));
                if let Some(fault) = fault {
                    field.rules.stand_in(&field.state, Seat::new(seat), fault, &mut actions[seat]);
                }
            }
            let [home, away] = actions.clone();
            field.act(home, away, 1);
            let outcome = field.outcome().unwrap();
            assert_eq!((outcome.shares.as_slice(), outcome.reason), (&shares[..], *reason), "{fault}");
            assert_eq!(outcome.scores.as_slice(), [1, 0]);
            assert_eq!((field.events.iter().count(), field.rules.turn(&field.state)), (0, 6));
        }
    }
}

#[test]
fn nonsense_does_not_lose() {
    for fault in [Fault::Malformed(Malformed::new("words")), Fault::TooLong] {
        let mut action = Action::default();
        let field = Field::new("text");
        field.rules.stand_in(&field.state, Seat::new(0), &fault, &mut action);
        assert_eq!(action, Action::Nonsense);
    }
}
