//! Games in each of which the caller plays one seat, and rivals within this process play the others.

use std::collections::TryReserveError;
use std::sync::{Mutex, PoisonError};

use referee_rules::game::Playing;
use referee_rules::{Fault, Seat, Seed};

use super::batch::{
    Autoreset, Batch, Games, Layout, OneGame, Out, Planes, StepOptions, filled, read_numbers,
};
use super::rivals::{Rival, Seated};
use super::workers::Workers;

/// Many such games by the same rules.
pub(crate) struct OneSeatGames<R: Planes> {
    games: Games<R>,
    /// Who plays beside the caller, for each game.
    tables: Vec<Table>,
    /// Who plays each seat; `None` for the caller.
    rivals: Vec<Option<Rival>>,
    own: OwnSeat,
    /// The outputs for all seats.
    shown: Vec<u8>,
    masks: Vec<u8>,
    rewards: Vec<f32>,
    last: Vec<u8>,
}

/// The caller's seat, and the sizes of its inputs and outputs.
#[derive(Clone, Copy)]
struct OwnSeat {
    seat: Seat,
    layout: Layout,
}

/// The rivals in a game.
#[derive(Clone, Default)]
struct Table {
    bots: Vec<Option<Seated>>,
    /// All actions of the caller since the start. Another process plays them again, since bots remember.
    actions: Vec<i32>,
}

impl<R: Planes> OneSeatGames<R> {
    /// `rivals` play their seats. Exactly one seat has none: the caller's.
    ///
    /// # Errors
    ///
    /// There is no memory for so large a number of games.
    pub(crate) fn new(
        rules: R,
        width: usize,
        count: usize,
        rivals: &[Option<Rival>],
    ) -> Result<OneSeatGames<R>, TryReserveError> {
        let (seats, bytes) = (rivals.len(), R::SHAPE.iter().product::<usize>());
        let seat = Seat::new(rivals.iter().position(Option::is_none).expect("the caller's seat"));
        let mask = width * R::CHOICES as usize;
        Ok(OneSeatGames {
            shown: filled(count * bytes, 0)?,
            last: filled(count * bytes, 0)?,
            masks: filled(count * seats * R::MASK, 0)?,
            rewards: filled(count * seats, 0.0)?,
            tables: filled(count, Table::default())?,
            games: Games::new(rules, width, count)?,
            rivals: rivals.to_vec(),
            own: OwnSeat {
                seat,
                layout: Layout { seats: 1, width, choices: R::CHOICES, shape: R::OWN, mask },
            },
        })
    }

    /// Returns a game that was played in another process; `None` if it cannot have been.
    fn played(
        rules: &R,
        rivals: &[Option<Rival>],
        layout: Layout,
        integers: &[i64],
    ) -> Option<OneSeatGames<R>> {
        let [seed, is_over, numbers @ ..] = integers else { return None };
        let Layout { width, choices, shape, mask, .. } = layout;
        let number = |number: &i64| i32::try_from(*number).ok().filter(|each| (0..choices).contains(each));
        let numbers: Vec<i32> = numbers.iter().map(number).collect::<Option<_>>()?;
        let mut replayed = OneSeatGames::new(rules.clone(), width, 1, rivals).ok()?;
        let (mut shown, mut masks) = (vec![0; shape.iter().product()], vec![0; mask]);
        let (mut rewards, mut ended, mut cut) = ([0.0], [false], [false]);
        let mut out = Out {
            shown: &mut shown,
            masks: &mut masks,
            rewards: &mut rewards,
            ended: &mut ended,
            cut: &mut cut,
            last: &mut [],
        };
        replayed.reset(Some(&[*seed as u64]), None, out.reborrow());
        for actions in numbers.chunks(width) {
            if actions.len() != width || replayed.first_over().is_some() {
                return None;
            }
            let how = StepOptions { by_share: false, threads: 1, autoreset: Autoreset::Disabled };
            replayed.step(actions, how, out.reborrow());
        }
        (replayed.first_over().is_some() == (*is_over != 0)).then_some(replayed)
    }
}

impl<R: Planes> Batch for OneSeatGames<R> {
    fn layout(&self) -> Layout {
        self.own.layout
    }

    fn copied(&self) -> Box<dyn Batch> {
        let OneSeatGames { games, tables, rivals, own, shown, masks, rewards, last } = self;
        let (shown, masks, rewards, last) = (shown.clone(), masks.clone(), rewards.clone(), last.clone());
        let (games, tables, rivals) = (games.clone(), tables.clone(), rivals.clone());
        Box::new(OneSeatGames { games, tables, rivals, own: *own, shown, masks, rewards, last })
    }

    fn reset(&mut self, seeds: Option<&[u64]>, which: Option<&[bool]>, out: Out<'_>) {
        let OneSeatGames { games, tables, rivals, own, shown, masks, rewards, .. } = self;
        let Out { shown: own_shown, masks: own_masks, rewards: own_rewards, ended, cut, .. } = out;
        games.reset(seeds, which, Out { shown, masks, rewards, ended, cut, last: &mut [] });
        let (bytes, seats) = (R::SHAPE.iter().product::<usize>(), rivals.len());
        let mut own_shown = own_shown.chunks_mut(own.layout.shape.iter().product());
        let mut own_masks = own_masks.chunks_mut(own.layout.mask);
        for (at, table) in tables.iter_mut().enumerate() {
            let (to, mask) = (own_shown.next().expect("room"), own_masks.next().expect("room"));
            if which.is_some_and(|which| !which[at]) {
                continue;
            }
            table.begin(rivals, games.games[at].seed);
            own.show::<R>(&shown[at * bytes..][..bytes], to);
            let all = &masks[at * seats * R::MASK..][..seats * R::MASK];
            own.mask(&games.rules, &games.games[at].state, all, mask);
            own_rewards[at] = 0.0;
        }
    }

    fn step(&mut self, actions: &[i32], how: StepOptions, out: Out<'_>) {
        let OneSeatGames { games, tables, rivals, own, shown, masks, rewards, last } = self;
        let is_same_step = how.autoreset == Autoreset::SameStep;
        let were_over: Vec<bool> = games.games.iter().map(|one| one.is_over).collect();
        let Games { rules, games: all, workers, .. } = games;
        let each = all.iter_mut().zip(&mut *tables).zip(actions.chunks(own.layout.width));
        on_threads(workers, how.threads, each, |((one, table), numbers)| {
            if !one.is_over {
                table.answer(rules, one, numbers);
            }
        });
        let last = if is_same_step { &mut last[..] } else { &mut [] };
        let (ended, cut) = (out.ended, out.cut);
        games.step(&[], how, Out { shown, masks, rewards, ended, cut, last });

        let Games { rules, games: all, workers, .. } = games;
        let (bytes, seats) = (R::SHAPE.iter().product::<usize>(), rivals.len());
        let size = own.layout.shape.iter().product::<usize>();
        let to = out.shown.chunks_mut(size).zip(out.masks.chunks_mut(own.layout.mask)).zip(out.rewards);
        let mut out_last = out.last.chunks_mut(size);
        let each = all.iter_mut().zip(tables).zip(to).enumerate();
        let each = each.map(|(at, both)| (at, both, out_last.next().unwrap_or_default()));
        on_threads(workers, how.threads, each, |(at, ((one, table), ((to, mask), reward)), to_last)| {
            let has_ended = is_same_step && (ended[at] || cut[at]);
            if has_ended {
                own.show::<R>(&last[at * bytes..][..bytes], to_last);
            }
            if has_ended || were_over[at] {
                table.begin(rivals, one.seed);
            }
            own.show::<R>(&shown[at * bytes..][..bytes], to);
            own.mask(rules, &one.state, &masks[at * seats * R::MASK..][..seats * R::MASK], mask);
            *reward = rewards[at * seats + own.seat.index()];
        });
    }

    fn first_over(&self) -> Option<usize> {
        self.games.first_over()
    }

    fn saved(&self) -> Vec<Vec<i64>> {
        let integers_of = |(one, table): (&OneGame<R>, &Table)| {
            let start = [one.seed.0 as i64, i64::from(one.is_over)];
            start.into_iter().chain(table.actions.iter().map(|number| i64::from(*number))).collect()
        };
        self.games.games.iter().zip(&self.tables).map(integers_of).collect()
    }

    fn restore(&mut self, saved: &[Vec<i64>], threads: usize) -> bool {
        if saved.len() != self.tables.len() {
            return false;
        }
        let mut played: Vec<_> = saved.iter().map(|_| None).collect();
        let Games { rules, workers, .. } = &mut self.games;
        let (rivals, layout) = (&self.rivals, self.own.layout);
        on_threads(workers, threads, played.iter_mut().zip(saved), |(to, integers)| {
            *to = OneSeatGames::played(rules, rivals, layout, integers);
        });
        let Some(played) = played.into_iter().collect::<Option<Vec<_>>>() else { return false };
        self.shown = played.iter().flat_map(|one| &one.shown).copied().collect();
        self.masks = played.iter().flat_map(|one| &one.masks).copied().collect();
        let games_and_tables = played.into_iter().flat_map(|one| one.games.games.into_iter().zip(one.tables));
        (self.games.games, self.tables) = games_and_tables.unzip();
        true
    }
}

impl Table {
    /// Seats the rivals in a game that begins.
    fn begin(&mut self, rivals: &[Option<Rival>], seed: Seed) {
        let seated =
            |(seat, rival): (usize, &Option<Rival>)| rival.map(|rival| Seated::new(rival, seed, seat));
        self.bots = rivals.iter().enumerate().map(seated).collect();
        self.actions.clear();
    }

    /// Writes the actions of all seats: the caller's numbers, and what the rivals think.
    fn answer<R: Planes>(&mut self, rules: &R, one: &mut OneGame<R>, numbers: &[i32]) {
        self.actions.extend_from_slice(numbers);
        let OneGame { state, seed, actions, .. } = one;
        let mut game = Playing::from_state(rules.clone(), *seed, state.clone());
        let mut integers = Vec::new();
        for ((seat, action), bot) in actions.iter_mut().zip(&mut self.bots) {
            let Some(bot) = bot else {
                read_numbers(rules, state, numbers, &mut integers, action);
                continue;
            };
            integers.clear();
            bot.answer(&mut game, *seat, &mut integers);
            if let Err(malformed) = rules.read_action(state, &integers, action) {
                rules.stand_in(state, *seat, &Fault::Malformed(malformed), action);
            }
        }
    }
}

impl OwnSeat {
    /// Writes the seat's observation. `shown` are the bytes of the game.
    fn show<R: Planes>(&self, shown: &[u8], to: &mut [u8]) {
        let mut own = Vec::with_capacity(to.len());
        R::show_own(shown, self.seat, &mut own);
        to.copy_from_slice(&own);
    }

    /// Writes the seat's mask. `all` are the masks of all seats, if the game has such.
    fn mask<R: Planes>(&self, rules: &R, state: &R::State, all: &[u8], to: &mut [u8]) {
        match R::MASK {
            0 => to.fill(0),
            bits => to.copy_from_slice(&all[self.seat.index() * bits..][..bits]),
        }
        rules.mask_own(state, self.seat, to);
    }
}

/// Does some work on each item, on a number of threads.
fn on_threads<T: Send>(
    workers: &mut Workers,
    threads: usize,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) + Sync,
) {
    let items = Mutex::new(items);
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    workers.run(threads, &|_own| {
        while let Some(item) = next() {
            work(item);
        }
    });
}
