//! A table of simulated bots in simulated time: every misbehaviour of a real bot and its pipes, from a seed.
//!
//! The collector is the real one. Around it are a model of processes and pipes, and an account of the right
//! verdicts ([`questions`]). The account is kept from the bots' side, with another method than the
//! collector's.

mod bot;
pub mod questions;

use std::time::Duration;

use referee_record::Answer;
use referee_record::play::collect::Collector;
use referee_record::play::table::{Question, Table, TableError};
use referee_rules::moment::Moment;
use referee_rules::{BySeat, Dice, Seat, Seed};

use self::bot::Bot;
use self::questions::{Asked, Expected, SeatQuestions};

/// Simulated bots around one game.
pub struct SimulatedTable {
    now: Moment,
    collector: Collector,
    seats: BySeat<SimulatedSeat>,
    asked: Vec<Seat>,
    /// Between turns the referee is busy for a while.
    dice: Dice,
    think: Think,
}

impl std::fmt::Debug for SimulatedTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SimulatedTable")
            .field("now", &self.now)
            .field("seats", &self.seats)
            .finish_non_exhaustive()
    }
}

/// A bot's answer to a question if everything goes well.
type Think = Box<dyn FnMut(Seat, &[u8]) -> Vec<i64>>;

/// One bot with its pipes.
#[derive(Debug)]
struct SimulatedSeat {
    bot: Bot,
    questions: SeatQuestions,
    /// Number of unread questions that fit into the pipe.
    capacity: usize,
    /// When each question in the pipe is read; those read in the past have left the pipe.
    read_at: Vec<Moment>,
    /// A question that has not fitted into the pipe yet: its limit and its text.
    unsent: Option<(Duration, Vec<u8>)>,
    /// Length of the bot's output that was passed to the collector, in bytes.
    taken: usize,
}

impl SimulatedTable {
    /// Seats bots whose faults, and their frequency, follow from the seed. `think` returns a bot's answer to
    /// a question if everything goes well.
    pub fn new(
        seats: usize,
        seed: Seed,
        think: impl FnMut(Seat, &[u8]) -> Vec<i64> + 'static,
    ) -> SimulatedTable {
        let mut dice = Dice::for_start(seed);
        SimulatedTable {
            now: Moment::default(),
            collector: Collector::new(seats),
            seats: BySeat::from_fn(seats, |_| SimulatedSeat {
                bot: Bot::new(&mut dice),
                questions: SeatQuestions::default(),
                capacity: 1 + dice.below(4) as usize,
                read_at: Vec::new(),
                unsent: None,
                taken: 0,
            }),
            asked: Vec::new(),
            dice,
            think: Box::new(think),
        }
    }

    /// Returns the right verdicts of a seat, by the simulator's own account.
    pub fn expected(&self, seat: Seat) -> Vec<Expected> {
        let simulated = &self.seats[seat];
        simulated.questions.expected(&simulated.bot.lines(), simulated.bot.death())
    }

    /// Returns how many lines of a seat should have been dropped so far, as late, early and extra.
    pub fn expected_dropped(&self, seat: Seat) -> [u32; 3] {
        let simulated = &self.seats[seat];
        simulated.questions.expected_dropped(&simulated.bot.lines(), simulated.taken)
    }

    /// Tells whether a bot keeps to the protocol, even if it is late. Then each answer that counts must be the one to
    /// its own question.
    pub fn keeps_to_the_protocol(&self, seat: Seat) -> bool {
        self.seats[seat].bot.keeps_to_the_protocol()
    }

    fn ask_one(&mut self, question: &Question) {
        let simulated = &mut self.seats[question.seat];
        let (seat, now) = (question.seat, self.now);
        if self.collector.is_gone(seat) || simulated.unsent.is_some() {
            if simulated.room(now) && simulated.unsent.is_some() {
                simulated.deliver(now, now, &mut self.think, seat);
            }
            self.collector.cannot_ask(seat);
            simulated.questions.asked.push(Asked::without_question(now));
            return;
        }
        let unread = simulated.bot.written_by(now) - simulated.taken;
        self.collector.ask(seat, question.limit, now, unread);
        simulated.questions.asked.push(Asked::new(now, question.limit));
        simulated.unsent = Some((question.limit, question.line.clone()));
        if simulated.room(now) {
            simulated.deliver(now, now, &mut self.think, seat);
            self.collector.written(seat, now);
        }
    }

    /// Advances the time to the next event of a seat for which the table waits.
    fn step(&mut self) {
        let next =
            self.waited_for().filter_map(|seat| self.next_of(seat)).min().expect("somebody is waited for");
        self.now = self.now.max(next);
        let waited_for: Vec<Seat> = self.waited_for().collect();
        for seat in waited_for {
            let simulated = &mut self.seats[seat];
            if simulated.unsent.is_some() && simulated.room(self.now) {
                simulated.deliver(self.now, self.now, &mut self.think, seat);
                self.collector.rest_written(seat, self.now);
            }
            let there = simulated.bot.written_by(self.now);
            if there > simulated.taken {
                // At most a chunk at a time, like a read.
                let end = there.min(simulated.taken + 1 + self.dice.below(20_000) as usize);
                self.collector.bytes(seat, &simulated.bot.output()[simulated.taken..end], self.now);
                simulated.taken = end;
            } else if let Some((at, fault)) = simulated.bot.death()
                && Some(at) <= self.collector.deadline(seat)
                && at <= self.now
            {
                self.collector.gone(seat, fault, self.now);
            }
        }
        self.collector.expire(self.now);
    }

    fn waited_for(&self) -> impl Iterator<Item = Seat> {
        self.asked.iter().copied().filter(|seat| self.collector.deadline(*seat).is_some())
    }

    /// Returns the time of a seat's next event: it writes, it dies, it reads (which makes space), its time is
    /// over.
    fn next_of(&self, seat: Seat) -> Option<Moment> {
        let simulated = &self.seats[seat];
        let over = self.collector.deadline(seat)? + Duration::from_nanos(1);
        let writes = simulated.bot.next_write(simulated.taken, self.now);
        let dies = simulated.bot.death().map(|(at, _)| at.max(self.now));
        let reads = simulated.unsent.as_ref().and_then(|_| simulated.room_at());
        [Some(over), writes, dies, reads].into_iter().flatten().min()
    }
}

impl Table for SimulatedTable {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.now = self.now + Duration::from_micros(self.dice.below(3_000).into());
        self.asked.clear();
        self.asked.extend(questions.iter().map(|question| question.seat));
        questions.iter().for_each(|question| self.ask_one(question));
        Ok(())
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        while self.waited_for().next().is_some() {
            self.step();
        }
        answers.resize_with(self.asked.len(), || Answer::empty(Seat::new(0)));
        for (answer, seat) in answers.iter_mut().zip(&self.asked) {
            self.collector.take(*seat, answer);
        }
        Ok(())
    }
}

impl SimulatedSeat {
    fn room(&self, now: Moment) -> bool {
        self.read_at.iter().filter(|at| **at > now).count() < self.capacity
    }

    /// Returns when there will be space, if there is none now: when the first question in the pipe is read.
    fn room_at(&self) -> Option<Moment> {
        let mut read_at = self.read_at.clone();
        read_at.sort_unstable();
        read_at.len().checked_sub(self.capacity).map(|index| read_at[index])
    }

    /// The whole question is in the pipe.
    fn deliver(&mut self, now: Moment, written: Moment, think: &mut Think, seat: Seat) {
        let (limit, line) = self.unsent.take().expect("a question that is not yet in the pipe");
        self.questions.written(written);
        let read_at = self.bot.ask(now, limit, &think(seat, &line));
        self.read_at.push(read_at);
    }
}
