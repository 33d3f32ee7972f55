//! The submissions of a hill, and the order in which those without a verdict are checked. The accounts take turns, and
//! the submissions of an account keep their order: no account can fill a lane of the queue before others.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The request of a submission, as its file `asked.json` has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SubmissionRequest {
    pub(crate) account: String,
    pub(crate) name: String,
    /// The name of the file, if it is a source; empty for a program or an archive.
    #[serde(default, rename = "own")]
    pub(crate) source_name: String,
    /// The ending of the file, where an earlier version of the server has taken the submission.
    #[serde(default)]
    pub(crate) ending: String,
    pub(crate) date: String,
    /// The number and random letters that nobody can guess. Anyone who knows the receipt can see the verdict.
    pub(crate) receipt: String,
}

impl SubmissionRequest {
    /// Returns the name of the file in the folder of the submission.
    pub(crate) fn file(&self) -> String {
        if self.source_name.is_empty() {
            format!("{}{}", self.name, self.ending)
        } else {
            self.source_name.clone()
        }
    }
}

/// The state of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "State")]
pub(crate) enum SubmissionState {
    Waiting,
    Checking,
    Admitted,
    /// The same program plays already, with the same arguments.
    Plays,
    Refused,
    /// The host could not check it.
    Failed,
}

impl SubmissionState {
    /// Tells whether the state is final.
    pub(crate) fn is_over(self) -> bool {
        !matches!(self, SubmissionState::Waiting | SubmissionState::Checking)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            SubmissionState::Waiting => "waiting",
            SubmissionState::Checking => "checking",
            SubmissionState::Admitted => "admitted",
            SubmissionState::Plays => "plays",
            SubmissionState::Refused => "refused",
            SubmissionState::Failed => "failed",
        }
    }
}

/// The two lists of submissions, which are checked beside each other: a program that is ready does not wait for a
/// compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    Ready,
    Compiled,
}

/// A submission.
#[derive(Clone, Debug)]
pub(crate) struct Submission {
    pub(crate) number: u32,
    pub(crate) request: SubmissionRequest,
    pub(crate) lane: Lane,
    pub(crate) state: SubmissionState,
    /// A message about a submission without a verdict. That of a verdict is in a file (`Inbox::message`).
    pub(crate) message: String,
}

/// An hour in seconds.
const HOUR: u64 = 3600;

/// The submissions of a hill, by number.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    all: BTreeMap<u32, Submission>,
    /// The numbers of those without a verdict.
    unchecked: BTreeSet<u32>,
    /// The numbers of those of each account. They are sorted: a server that starts reads the folders in any order.
    by_account: BTreeMap<String, BTreeSet<u32>>,
    /// The number of the last turn of each account that has had one on this server.
    last_turns: BTreeMap<String, u64>,
    /// The number of turns so far.
    turns: u64,
    /// The checks of each account in this server's last hour.
    checks: BTreeMap<String, Vec<Check>>,
}

/// The time of a check.
#[derive(Debug)]
struct Check {
    /// The second in which it ended, counted from 1970.
    end: u64,
    time: Duration,
}

impl Queue {
    pub(crate) fn add(&mut self, submission: Submission) {
        let number = submission.number;
        self.by_account.entry(submission.request.account.clone()).or_default().insert(number);
        if !submission.state.is_over() {
            self.unchecked.insert(number);
        }
        self.all.insert(number, submission);
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Submission> {
        self.all.get(&number)
    }

    /// Returns the highest number.
    pub(crate) fn last(&self) -> Option<u32> {
        self.all.last_key_value().map(|(number, _)| *number)
    }

    /// Lists the submissions without a verdict.
    pub(crate) fn unchecked(&self) -> impl Iterator<Item = &Submission> {
        self.unchecked.iter().filter_map(|number| self.all.get(number))
    }

    /// Lists the submissions of an account, newest first.
    pub(crate) fn by_account(&self, account: &str) -> impl Iterator<Item = &Submission> {
        let numbers = self.by_account.get(account).into_iter().flat_map(|numbers| numbers.iter().rev());
        numbers.filter_map(|number| self.all.get(number))
    }

    /// Returns the submission of a lane to check now, and marks it: the one whose check was begun, else the first of
    /// the account whose last turn is the longest ago.
    pub(crate) fn next(&mut self, lane: Lane) -> Option<Submission> {
        let is_begun = |submission: &&Submission| {
            submission.lane == lane && submission.state == SubmissionState::Checking
        };
        let (number, is_new) = match self.unchecked().find(is_begun) {
            Some(begun) => (begun.number, false),
            None => (self.in_order(lane).into_iter().find(|number| !self.waits_for_earlier(*number))?, true),
        };
        let next = self.all.get_mut(&number)?;
        next.state = SubmissionState::Checking;
        if is_new {
            self.turns += 1;
            self.last_turns.insert(next.request.account.clone(), self.turns);
        }
        Some(next.clone())
    }

    /// Tells whether an earlier submission of the same bot has no verdict yet, in either lane. The later one waits for
    /// it: it would be replaced by the earlier one else.
    fn waits_for_earlier(&self, number: u32) -> bool {
        let Some(Submission { request, .. }) = self.all.get(&number) else { return false };
        let is_same_bot =
            |other: &SubmissionRequest| other.account == request.account && other.name == request.name;
        self.unchecked()
            .take_while(|earlier| earlier.number < number)
            .any(|earlier| is_same_bot(&earlier.request))
    }

    /// Adds a check that ended in this second to those of an account.
    pub(crate) fn charge(&mut self, account: &str, now: u64, time: Duration) {
        let checks = self.checks.entry(account.to_owned()).or_default();
        checks.retain(|check| check.end + HOUR > now);
        checks.push(Check { end: now, time });
    }

    /// Returns the time that the checks of an account took within an hour before this second.
    pub(crate) fn time_used(&self, account: &str, now: u64) -> Duration {
        let checks = self.checks.get(account).into_iter().flatten();
        checks.filter(|check| check.end + HOUR > now).map(|check| check.time).sum()
    }

    /// Lists the numbers of the submissions of a lane without a verdict, in the order of their checks.
    fn in_order(&self, lane: Lane) -> Vec<u32> {
        // For each account, the number of its submissions so far that wait for a turn, and its first submission.
        let mut accounts: BTreeMap<&str, (usize, u32)> = BTreeMap::new();
        let mut keys = Vec::new();
        for submission in self.unchecked().filter(|submission| submission.lane == lane) {
            let account = &*submission.request.account;
            let (waiting, first) = accounts.entry(account).or_insert((0, submission.number));
            let last_turn = self.last_turns.get(account).copied().unwrap_or(0);
            let is_begun = submission.state == SubmissionState::Checking;
            keys.push((!is_begun, *waiting, last_turn, *first, submission.number));
            // The submission that is being checked has had its turn.
            *waiting += usize::from(!is_begun);
        }
        keys.sort_unstable();
        keys.into_iter().map(|(.., number)| number).collect()
    }

    /// Returns the place of a submission in its lane, from 1.
    pub(crate) fn place(&self, number: u32) -> usize {
        let lane = self.all.get(&number).map_or(Lane::Ready, |submission| submission.lane);
        self.in_order(lane).iter().position(|other| *other == number).map_or(1, |at| at + 1)
    }

    /// Sets the state of a submission, and the message about it.
    pub(crate) fn set(&mut self, number: u32, state: SubmissionState, message: &str) {
        if let Some(submission) = self.all.get_mut(&number) {
            (submission.state, submission.message) = (state, message.to_owned());
            if state.is_over() {
                self.unchecked.remove(&number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use referee_table::clock;

    use super::*;

    fn queue(accounts: &[&str]) -> Queue {
        let mut queue = Queue::default();
        for (number, account) in (1..).zip(accounts) {
            let [account, name] = [(*account).to_owned(), format!("bot{number}")];
            let [source_name, ending, date, receipt] = [const { String::new() }; 4];
            let request = SubmissionRequest { account, name, source_name, ending, date, receipt };
            let (lane, message) = (Lane::Ready, String::new());
            queue.add(Submission { number, request, lane, state: SubmissionState::Waiting, message });
        }
        queue
    }

    /// The order in which all are checked.
    fn checked(queue: &mut Queue) -> Vec<u32> {
        let all = std::iter::from_fn(|| {
            let number = queue.next(Lane::Ready)?.number;
            queue.set(number, SubmissionState::Refused, "");
            Some(number)
        });
        all.collect()
    }

    #[test]
    fn accounts_take_turns_and_each_has_its_own_order() {
        let accounts = ["a", "a", "a", "a", "b", "c", "b"];
        let expected = [1, 5, 6, 2, 7, 3, 4];
        assert_eq!(checked(&mut queue(&accounts)), expected);
        let queue = queue(&accounts);
        let places = expected.map(|number| queue.place(number));
        assert_eq!(places, [1, 2, 3, 4, 5, 6, 7], "what an author is told is what happens");
    }

    #[test]
    fn what_needs_a_compiler_waits_in_a_lane_of_its_own() {
        let mut queue = queue(&["a", "b", "c", "d"]);
        for number in [1, 2, 4] {
            queue.all.get_mut(&number).unwrap().lane = Lane::Compiled;
        }
        assert_eq!(queue.next(Lane::Compiled).map(|submission| submission.number), Some(1));
        assert_eq!(
            queue.next(Lane::Ready).map(|submission| submission.number),
            Some(3),
            "beside the one that is built"
        );
        assert_eq!([1, 2, 4, 3].map(|number| queue.place(number)), [1, 2, 3, 1]);
        let now = clock::seconds();
        queue.charge("b", now, Duration::from_secs(120));
        assert_eq!([now, now + HOUR].map(|now| queue.time_used("b", now).as_secs()), [120, 0]);
    }

    #[test]
    fn a_later_submission_of_a_bot_waits_for_the_earlier_in_the_other_lane() {
        for lanes in [[Lane::Compiled, Lane::Ready], [Lane::Ready, Lane::Compiled]] {
            let mut queue = queue(&["a", "a", "b"]);
            let name = queue.all[&1].request.name.clone();
            for (number, lane) in (1..).zip(lanes) {
                let submission = queue.all.get_mut(&number).expect("a submission");
                (submission.lane, submission.request.name) = (lane, name.clone());
            }
            queue.all.get_mut(&3).expect("a submission").lane = lanes[1];
            assert_eq!(
                queue.next(lanes[1]).map(|submission| submission.number),
                Some(3),
                "not the later of a"
            );
            queue.set(3, SubmissionState::Admitted, "");
            assert!(queue.next(lanes[1]).is_none());
            assert_eq!(queue.next(lanes[0]).map(|submission| submission.number), Some(1));
            assert!(queue.next(lanes[1]).is_none());
            queue.set(1, SubmissionState::Admitted, "");
            assert_eq!(queue.next(lanes[1]).map(|submission| submission.number), Some(2));
        }
    }

    #[test]
    fn those_of_an_account_are_newest_first_in_whatever_order_they_were_read() {
        let whole = queue(&["a", "b", "a", "a"]);
        let mut queue = Queue::default();
        for number in [3, 1, 4, 2] {
            queue.add(whole.all[&number].clone());
        }
        assert_eq!(
            queue.by_account("a").map(|submission| submission.number).collect::<Vec<u32>>(),
            [4, 3, 1]
        );
    }

    #[test]
    fn the_one_that_is_checked_is_first_and_its_account_has_had_its_turn() {
        let mut queue = queue(&["a", "a", "b"]);
        assert_eq!(queue.next(Lane::Ready).map(|first| first.number), Some(1));
        assert_eq!([1, 3, 2].map(|number| queue.place(number)), [1, 2, 3]);
        assert_eq!(
            queue.next(Lane::Ready).map(|again| again.number),
            Some(1),
            "a check that is repeated keeps its place"
        );
        queue.set(1, SubmissionState::Admitted, "");
        // Another of the same account, and one of an account that has had no turn yet.
        assert_eq!(checked(&mut queue), [3, 2]);
        assert!(queue.next(Lane::Ready).is_none() && queue.unchecked().next().is_none());
    }

    #[test]
    fn an_account_with_many_is_one_turn_before_anybody_else_at_most() {
        let many: Vec<&str> = std::iter::repeat_n("a", 50).chain(["b"]).collect();
        let mut queue = queue(&many);
        assert_eq!(queue.place(51), 2);
        queue.next(Lane::Ready);
        assert_eq!(queue.place(51), 2);
        queue.set(1, SubmissionState::Refused, "");
        assert_eq!(queue.place(51), 1);
        assert_eq!(queue.by_account("a").count(), 50);
    }
}
