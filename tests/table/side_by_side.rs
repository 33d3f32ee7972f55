//! Threads that compute side by side: the sum of their CPU times is charged, on however many free cores.

use crate::called::Calls;
use crate::support::{Place, answers_in, faulty, results_in};

/// Plays a game of bots that compute in threads, under a limit of 50 ms.
#[test]
fn no_bot_gets_more_computing_by_more_cores() {
    let place = Place::new();
    let bots = ["--ms 20 --beside 2", "--ms 20 --beside 4", "--ms 20 --threads 2", "--ms 30 --beside 1"];
    let bots = bots.map(|how| faulty(&format!("works {how}")));
    let game = ["play", "football", "-p", "1", "--max-turns", "6", "--stall-turns", "0", "--seed", "7"];
    let limits = ["--turn-ms", "50", "--first-ms", "30000"];
    place.referee(&[&game[..], &limits, &bots.each_ref().map(|bot| &**bot)].concat()).with_status(0);
    let games = place.path("games");
    let log = games.join(&results_in(&games)[0].log);
    for answer in answers_in(&log).iter().filter(|answer| answer.turn > 0) {
        let computed = [40.0, 80.0, 20.0, 30.0][answer.seat];
        // Who is late has not computed all of it when its time is over.
        let least = if answer.verdict == "ok" { computed - 0.001 } else { 0.0 };
        assert!(answer.cpu_ms.is_some_and(|cpu| cpu >= least && cpu <= answer.charged_ms), "{answer:?}");
        assert_eq!(answer.verdict == "late", answer.charged_ms > 50.0, "{answer:?}");
        assert!(answer.seat != 1 || answer.verdict == "late", "80 ms of 50 ms: {answer:?}");
    }
    place.call(&["audit", log.to_str().expect("a name")]).with_status(0);
}
