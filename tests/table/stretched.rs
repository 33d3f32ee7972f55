//! A referee that loses its core again and again, whenever it has just looked at the clock: no bot has time for
//! nothing.

use std::process::{Command, Stdio};

use crate::support::{Place, answers_in, results_in};

/// Uses 14 ms of processor time for each answer.
const BOT: &str = r#"
#include <stdio.h>
#include <time.h>
static double used(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}
int main(void) {
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        double until = used() + 0.014;
        while (used() < until) {}
        puts("31 3");
        fflush(stdout);
    }
}
"#;

/// Stands between the referee and its clock: every eighth time, on average, the referee gets the time 60 ms later than
/// it was read. Bots have no such clock, since their environment is not the referee's.
const SLOW_CLOCK: &str = r#"
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static __thread unsigned seed;
int clock_gettime(clockid_t id, struct timespec *now) {
    int read = syscall(SYS_clock_gettime, id, now);
    if (id == CLOCK_MONOTONIC) {
        if (!seed) seed = 12345u ^ (unsigned)syscall(SYS_gettid);
        struct timespec pause = {0, 60000000};
        if (rand_r(&seed) % 8 == 0) syscall(SYS_nanosleep, &pause, 0);
    }
    return read;
}
"#;

/// Compiles a program in C, with further words.
fn compiled(place: &Place, name: &str, source: &str, words: &[&str]) -> String {
    let [from, to] = [format!("{name}.c"), name.to_owned()].map(|file| place.path(&file));
    std::fs::write(&from, source).expect("a source");
    let cc = Command::new("cc").args(["-O2", "-o"]).args([&to, &from]).args(words).status();
    assert!(cc.expect("a C compiler").success(), "{name}");
    to.display().to_string()
}

#[test]
#[ignore = "slow: a referee that loses its core again and again"]
fn what_a_bot_computes_while_the_referee_has_lost_its_core_is_never_free() {
    let place = Place::new();
    let bot = compiled(&place, "bot", BOT, &[]);
    let clock = compiled(&place, "clock.so", SLOW_CLOCK, &["-shared", "-fPIC"]);
    let game = ["play", "push", &bot, &bot, &bot, "random", "random", "random"];
    let rules =
        ["--turns", "60", "--turn-ms", "10", "--first-ms", "60000", "--sandbox", "off", "--seed", "7"];
    let mut command = place.command(&[&game[..], &rules].concat());
    let referee = command.env("LD_PRELOAD", &clock).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(referee.expect("the referee").success());
    let games = place.path("games");
    let answers = answers_in(&games.join(&results_in(&games)[0].log));
    let (thinkers, quick): (Vec<_>, Vec<_>) =
        answers.into_iter().filter(|answer| answer.turn > 0).partition(|answer| answer.seat < 3);
    assert!(thinkers.len() == 3 * 59 && quick.len() == 3 * 59, "{} {}", thinkers.len(), quick.len());
    // Each answer needs 14 ms of the 10 ms that it has.
    let free: Vec<_> = thinkers.iter().filter(|answer| answer.verdict != "late").collect();
    assert!(free.is_empty(), "{free:#?}");
    // The referee was away in many turns, also while it put the questions. That is charged to hardly any of those who
    // answer at once: to two of five, before it was noticed.
    let charged: Vec<_> = quick.iter().filter(|answer| answer.charged_ms > 25.0).collect();
    assert!(charged.len() * 10 <= quick.len(), "{charged:#?}");
}
