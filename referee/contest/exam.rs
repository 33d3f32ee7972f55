//! The exam of a tournament's plan: what is known of each student after its games, and who plays on.

use std::collections::BTreeMap;

use crate::fixture::Fixture;
use crate::plan::Plan;
use crate::plan::schedule::{Decided, Following, Stage};
use crate::played;
use crate::runner::GameEnd;
use crate::stages::Stop;
use referee_record::error::Error;
use referee_record::file::Form;
use referee_record::game_result::GameResult;
use referee_record::results::Faults;
use referee_rules::{FaultKind, Seat};
use referee_statistics::exam::{Exam, ExamState, Tally, goal};
use referee_statistics::schedule::deal::Pairing;
use referee_statistics::schedule::format::Ranking;

/// What is known of a student.
#[derive(Clone, Debug)]
pub struct Examined {
    /// The exam: the panel in its order.
    pub exam: Exam,
    /// Number of games.
    pub games: u32,
    /// Number of games that were given up.
    pub lost: u32,
    /// Its faults in all games, by kind.
    pub faults: Faults,
}

/// The exam of all students of a plan.
#[derive(Clone, Debug)]
pub struct ExamAccount {
    /// Number of bots of the panel: the first entrants of the plan.
    pub panel: usize,
    /// The evidence that a claim needs.
    pub goal: f64,
    /// By student, in the order of the plan.
    pub students: Vec<Examined>,
    /// Number of complete rounds.
    pub rounds: u32,
}

impl ExamAccount {
    /// Reads the games of all rounds up to that of a plan.
    ///
    /// # Errors
    ///
    /// Names the first wrong line of the results.
    pub fn read(plan: &Plan) -> Result<ExamAccount, Error> {
        let panel = plan.contents.format.panel();
        let students = plan.entrants.len().saturating_sub(panel);
        let alpha = plan.contents.stop.unwrap_or_default().alpha;
        let none = Examined { exam: Exam::new(panel), games: 0, lost: 0, faults: [0; FaultKind::ALL.len()] };
        let mut account =
            ExamAccount { panel, goal: goal(alpha, students), students: vec![none; students], rounds: 0 };
        let mut round = Round::default();
        let is_whole = played::each_game(plan, |_, game, end| {
            if game.scheduled.round != round.number {
                account.close(std::mem::take(&mut round));
                round.number = game.scheduled.round;
            }
            account.take(&mut round, &game, &end);
            Ok(())
        })?;
        if is_whole {
            account.close(round);
        }
        Ok(account)
    }

    /// Returns the number of students of whom it is sure where they stand.
    pub fn decided(&self) -> usize {
        self.students.iter().filter(|student| student.exam.state() != ExamState::Undecided).count()
    }

    /// Returns a 1 for each student who plays on, and a 0 for each who is decided.
    pub fn undecided(&self) -> Vec<f64> {
        let is_undecided = |student: &Examined| student.exam.state() == ExamState::Undecided;
        self.students.iter().map(|student| f64::from(u8::from(is_undecided(student)))).collect()
    }

    /// Returns the maximum number of games that are left in an exam of this plan.
    pub fn left_max(&self, plan: &Plan) -> u64 {
        let rounds = plan.contents.format.rounds_max().unwrap_or(0).saturating_sub(self.rounds);
        let seats = plan.entry.info(&plan.sets[0]).block as u64;
        (self.students.len() - self.decided()) as u64 * plan.sets.len() as u64 * seats * u64::from(rounds)
    }

    /// Takes a game of a round.
    fn take(&mut self, round: &mut Round, game: &Pairing, end: &GameEnd) {
        let bots: Vec<(Seat, usize)> = game.entrants.iter().map(|(seat, bot)| (seat, *bot)).collect();
        let Some((seat, student)) = bots.iter().copied().find(|(_, bot)| *bot >= self.panel) else { return };
        let examined = &mut self.students[student - self.panel];
        examined.games += 1;
        if let GameEnd::Over(rows) = end {
            let own = row_at(rows, seat);
            examined.faults.iter_mut().zip(own.faults).for_each(|(sum, faults)| *sum += faults);
        } else {
            examined.lost += 1;
        }
        let mut met = vec![false; self.panel];
        for (at, bot) in bots {
            // A second seat only fills the table, and a team has several.
            if bot >= self.panel || game.fillers.contains(&at) || std::mem::replace(&mut met[bot], true) {
                continue;
            }
            let tally = round.tallies.entry((student, bot)).or_default();
            match end {
                GameEnd::Over(rows) => tally.add_places(row_at(rows, seat).place, row_at(rows, at).place),
                GameEnd::Void(_) => tally.lost += 1,
            }
        }
    }

    /// Counts a complete round.
    fn close(&mut self, round: Round) {
        if round.number == 0 {
            return;
        }
        self.rounds = round.number;
        let mut games: BTreeMap<usize, Vec<(usize, Tally)>> = BTreeMap::new();
        for ((student, bot), tally) in round.tallies {
            games.entry(student).or_default().push((bot, tally));
        }
        for (student, games) in games {
            self.students[student - self.panel].exam.add_round(&games, self.goal);
        }
    }

    /// Tells whether a student plays the games with a group of the panel, from 1, in the next round.
    fn plays_on(&self, student: usize, last_of_group: usize) -> bool {
        let exam = &self.students[student].exam;
        exam.state() == ExamState::Undecided && exam.passed() < last_of_group
    }
}

/// Returns some games of the first round, to see how long they take. `due` has the number of games that each student
/// will play, in the order of the plan: who will play more is there more often. Without it, all are alike.
pub fn samples(plan: &Plan, count: usize, due: &[f64]) -> Vec<Fixture> {
    let panel = plan.contents.format.panel();
    let mut of_students: BTreeMap<Option<usize>, Vec<Pairing>> = BTreeMap::new();
    for game in plan.schedule.games() {
        let is_student = |entrant: &usize| panel > 0 && *entrant >= panel;
        let student = game.entrants.iter().map(|(_, entrant)| *entrant).find(is_student);
        of_students.entry(student.map(|entrant| entrant - panel)).or_default().push(game);
    }
    let weight = |student: &Option<usize>| student.and_then(|number| due.get(number)).copied().unwrap_or(1.0);
    let total: f64 = of_students.keys().map(weight).sum();
    let (mut sum, mut taken) = (0.0, 0);
    let mut chosen = Vec::new();
    for (number, (student, games)) in of_students.iter().enumerate() {
        sum += weight(student);
        let upto = (sum / total * count as f64).round() as usize;
        // Each student begins with another seat.
        let order = games.iter().cycle().skip(number % games.len());
        chosen.extend(order.take((upto - taken).min(games.len())));
        taken = upto;
    }
    let fixture = |game| Fixture::new(game, plan.entry, &plan.entrants, String::new(), Form::Plain);
    chosen.into_iter().map(fixture).collect()
}

/// The games of a round.
#[derive(Debug, Default)]
struct Round {
    number: u32,
    /// By student and bot of the panel, as entrants.
    tallies: BTreeMap<(usize, usize), Tally>,
}

fn row_at(rows: &GameResult, seat: Seat) -> &referee_record::results::ResultRow {
    rows.iter().find(|row| row.seat == seat).expect("a game has a row for each seat")
}

/// Returns the next step of an exam after these games: the next rounds of the students who are undecided.
///
/// # Errors
///
/// As for [`ExamAccount::read`].
pub(crate) fn following(plan: &Plan, stop: &Stop) -> Result<Following, Error> {
    let account = ExamAccount::read(plan)?;
    let format = &plan.contents.format;
    let rounds_max = format.rounds_max().unwrap_or(0);
    let groups = plan.sets.len();
    let rounds = (account.rounds + 1, stop.end_of_stage(account.rounds, rounds_max));
    let mut stage = Vec::new();
    for group in (0..groups).filter(|_| account.rounds < rounds_max) {
        let last_of_group = (group + 1) * account.panel / groups;
        let playing = (0..account.students.len()).filter(|student| account.plays_on(*student, last_of_group));
        let racing: Vec<String> =
            playing.map(|student| plan.contents.entrant[account.panel + student].name.clone()).collect();
        if !racing.is_empty() {
            stage.push(Stage { set: group as u32 + 1, rounds, racing: Some(racing) });
        }
    }
    Ok(match stage.is_empty() {
        true => Following::Over(vec![ranking(&account)], Vec::new()),
        false => Following::Round(Decided { stage, meeting: Vec::new() }),
    })
}

/// Ranks students by the number of bots of the panel that each is surely above. The panel is behind them.
fn ranking(account: &ExamAccount) -> Ranking {
    let mut places: Vec<Vec<usize>> = vec![Vec::new(); account.panel + 1];
    for (number, student) in account.students.iter().enumerate() {
        places[account.panel - student.exam.passed()].push(account.panel + number);
    }
    places.push((0..account.panel).collect());
    places.retain(|bots| !bots.is_empty());
    let undecided =
        account.students.iter().filter(|student| student.exam.state() == ExamState::Undecided).count();
    let reason = match undecided {
        0 => format!("each student is decided after round {}", account.rounds),
        some => format!("the last round, {}, has been played; {some} undecided", account.rounds),
    };
    Ranking { places, points: None, opponents: None, numbers: None, reason }
}
