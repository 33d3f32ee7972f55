//! Retries of void games.

use referee_contest::runner::tries::{LostMax, Tries, row_of_given_up};
use referee_record::voids::{VoidReason, VoidRow};
use referee_rules::Seat;
use referee_sandbox::Tier;

fn void(attempt: u32, reason: VoidReason, seat: Option<u8>) -> VoidRow {
    let bot = seat.map_or(String::new(), |seat| format!("bot{seat}"));
    VoidRow { reason, seat, bot, ..row_of_given_up("game", String::new(), attempt, "of this") }
}

/// The row of a lost attempt whose log tells that a seat was behind in this turn, or none.
fn lost(turn: u32, seat: Option<u8>) -> VoidRow {
    VoidRow { turn, ..void(1, VoidReason::LostInFlight, seat) }
}

fn overload(attempt: u32, seat: u8) -> VoidRow {
    void(attempt, VoidReason::HostOverload, Some(seat))
}

fn seats(seats: &[usize]) -> Vec<Seat> {
    seats.iter().copied().map(Seat::new).collect()
}

#[test]
fn a_seat_that_has_made_its_game_void_is_late_the_next_time_and_only_this_seat() {
    let mut tries = Tries::default();
    assert_eq!((tries.late_if_starved(4), tries.next_attempt()), (seats(&[]), 1));
    tries.add(&overload(1, 2));
    assert_eq!((tries.late_if_starved(4), tries.next_attempt()), (seats(&[2]), 2));
    tries.add(&overload(2, 0));
    assert_eq!((tries.late_if_starved(4), tries.next_attempt()), (seats(&[0, 2]), 3));
    assert_eq!(tries.reason_to_give_up(LostMax(2)), None, "it is played, and somebody is late");
}

#[test]
fn a_large_table_makes_its_game_void_no_more_often_than_one_of_four() {
    let mut tries = Tries::default();
    (0..3).for_each(|seat| tries.add(&overload(1 + u32::from(seat), seat)));
    assert_eq!(tries.late_if_starved(250), seats(&[0, 1, 2]));
    tries.add(&overload(4, 3));
    assert_eq!(tries.late_if_starved(250).len(), 250);
}

#[test]
fn a_game_that_cannot_be_confined_or_is_lost_is_given_up_and_says_why() {
    let mut tries = Tries::default();
    for attempt in 1..=2 {
        tries.add(&void(attempt, VoidReason::SandboxError, Some(1)));
        assert_eq!(tries.reason_to_give_up(LostMax(2)), None);
    }
    tries.add(&void(3, VoidReason::LostInFlight, None));
    assert_eq!(tries.reason_to_give_up(LostMax(2)), None);
    let twice = [&void(4, VoidReason::LostInFlight, None), &void(5, VoidReason::GivenUp, None)];
    let (mut lost, mut confined) = (tries.clone(), tries);
    twice.into_iter().for_each(|row| lost.add(row));
    assert_eq!(
        (lost.reason_to_give_up(LostMax(2)), lost.next_attempt()),
        (Some("lost in flight 2 times".to_owned()), 5)
    );
    assert_eq!(lost.reason_to_give_up(LostMax(0)), None, "played until it counts");
    let [strict, off] = [Tier::Strict, Tier::Off].map(|tier| LostMax::for_tier(None, tier));
    assert!(
        lost.reason_to_give_up(strict).is_none() && lost.reason_to_give_up(off).is_some(),
        "no bot brings down the referee in strict"
    );
    assert_eq!(LostMax::for_tier(Some(3), Tier::Off), LostMax(3));
    confined.add(&void(4, VoidReason::SandboxError, Some(1)));
    assert_eq!(
        confined.reason_to_give_up(LostMax(2)),
        Some("void 3 times; the last reason: of this".to_owned())
    );
    assert_eq!(confined.bots().len(), 1);
    assert_eq!(confined.forgiven().reason_to_give_up(LostMax(2)), None);
    assert_eq!(confined.forgiven().next_attempt(), 5, "no log of an attempt is written over");
}

#[test]
fn a_game_that_is_lost_while_the_same_seat_is_behind_each_time_is_given_up_sooner_also_in_strict() {
    let strict = LostMax::for_tier(None, Tier::Strict);
    let given_up = |rows: &[VoidRow]| {
        let mut tries = Tries::default();
        rows.iter().for_each(|row| tries.add(row));
        assert!(tries.bots().is_empty(), "the bot that was behind is not the machine's trouble");
        tries.reason_to_give_up(strict)
    };
    let unknown = lost(0, None);
    let behind = |seat| lost(7, Some(seat));
    let why = Some("lost in flight 4 times, with seat 1 behind in all 3 that are known".to_owned());
    assert_eq!(given_up(&[unknown.clone(), behind(1), behind(1)]), None);
    assert_eq!(given_up(&[unknown.clone(), behind(1), behind(1), behind(1)]), why);
    for not_it in [lost(7, None), behind(0), behind(2)] {
        for place in 0..=3 {
            let mut rows = vec![behind(1); 6];
            rows[place] = not_it.clone();
            assert_eq!(given_up(&rows), None, "{not_it:?} as loss {place}");
        }
    }
    assert_eq!(given_up(&vec![unknown; 9]), None, "nothing is known");
    let mut tries = Tries::default();
    (0..9).for_each(|_| tries.add(&behind(1)));
    assert_eq!(tries.forgiven().reason_to_give_up(strict), None);
}
