//! Guests that behave: lines in, lines out, units in between.

use referee_wasm::{Compiled, Module, Pause};

use super::{bot, run};

/// Answers each line with itself.
const ECHO: &str = "(loop $again (call $say (i32.const 1) (i32.const 1024) (call $line)) (br $again))";

#[test]
fn a_guest_answers_line_by_line() {
    let course = run(&bot(ECHO, ""), &["1 2\n", "3\n"], 1_000_000).unwrap();
    let pauses: Vec<Pause> = course.pauses.iter().map(|(pause, _)| *pause).collect();
    assert_eq!(pauses, [Pause::Wrote, Pause::Waits, Pause::Wrote, Pause::Waits]);
    assert_eq!(course.output, b"1 2\n3\n");
}

#[test]
fn units_depend_on_the_guest_alone() {
    let start = format!(
        "(local $n i32) (local.set $n (i32.const 12345))
         (loop $down (br_if $down (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) {ECHO}"
    );
    let bytes = bot(&start, "");
    let first = run(&bytes, &["1\n", "2\n"], 1_000_000).unwrap();
    assert_eq!(first, run(&bytes, &["1\n", "2\n"], 1_000_000).unwrap());
    // Five instructions a round, and the counting, before the first call.
    let (_, units) = first.pauses[0];
    assert!((12_345 * 9..12_345 * 9 + 5_000).contains(&units), "{units}");
}

#[test]
fn a_guest_that_is_out_of_units_goes_on_when_it_is_allowed_more() {
    let start = "(local $n i32) (local.set $n (i32.const 1000000))
        (loop $down (br_if $down (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
        (call $say (i32.const 1) (i32.const 1024) (call $line))";
    let course = run(&bot(start, ""), &["1\n", "2\n", "3\n"], 4_000_000).unwrap();
    let pauses: Vec<Pause> = course.pauses.iter().map(|(pause, _)| *pause).collect();
    assert_eq!(pauses, [Pause::OutOfUnits, Pause::OutOfUnits, Pause::Wrote, Pause::Exited(0)]);
    assert_eq!(course.output, b"1\n2\n3\n");
    assert!(course.pauses[0].1 > 4_000_000 && course.pauses[0].1 < 4_000_100, "{course:?}");
}

#[test]
fn the_clock_counts_units_and_the_random_numbers_are_the_same_each_time() {
    let start = "(drop (call $clock (i32.const 1) (i64.const 0) (i32.const 64)))
        (drop (call $random (i32.const 72) (i32.const 8)))
        (drop (call $line))
        (drop (call $clock (i32.const 1) (i64.const 0) (i32.const 80)))
        (call $say (i32.const 1) (i32.const 64) (i32.const 24))
        (drop (call $line))";
    let course = run(&bot(start, ""), &["1\n"], 1_000_000).unwrap();
    let word = |at: usize| u64::from_le_bytes(course.output[at..at + 8].try_into().unwrap());
    assert!(word(0) > 0 && word(0) < word(16), "{course:?}");
    assert!(course.pauses[0].1 >= word(16));
    assert_ne!(word(8), 0);
}

#[test]
fn copies_cost_by_their_length() {
    let units = |length: u32| {
        let start = format!(
            "(memory.fill (i32.const 4096) (i32.const 7) (i32.const {length}))
             (memory.copy (i32.const 8192) (i32.const 4096) (i32.const {length})) (drop (call $line))"
        );
        run(&bot(&start, ""), &[""], 1_000_000).unwrap().pauses[0].1
    };
    assert_eq!(units(40_000) - units(0), 2 * 40_000 / 8);
}

#[test]
fn standard_error_is_kept_apart_and_arguments_are_there() {
    let course = run(
        &bot("(call $say (i32.const 2) (i32.const 1024) (call $line)) (call $proc_exit (i32.const 3))", ""),
        &["x\n"],
        1_000_000,
    );
    let course = course.unwrap();
    assert_eq!((course.pauses.last().unwrap().0, &*course.errors), (Pause::Exited(3), &b"x\n"[..]));
    assert!(course.output.is_empty());
}

#[test]
fn every_branch_is_counted_once() {
    // Each path leaves another number of rounds; a branch that was counted twice, or not at all, would show.
    let start = "(local $n i32) (local $sum i32)
        (loop $next
            (block $done
                (block $two (block $one (block $zero
                    (br_table $zero $one $two $done (i32.rem_u (local.get $n) (i32.const 4))))
                    (local.set $sum (i32.add (local.get $sum) (i32.const 1))) (br $done))
                    (local.set $sum (i32.mul (local.get $sum) (i32.const 3))) (br $done))
                (if (i32.gt_u (local.get $sum) (i32.const 100)) (then (local.set $sum (i32.const 0)))
                    (else (local.set $sum (call $deep (local.get $n))))))
            (br_if $next (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 1000))))
        (drop (call $line))";
    let deep = "(func $deep (param i32) (result i32)
        (if (i32.eqz (local.get 0)) (then (return (i32.const 1))))
        (if (result i32) (i32.and (local.get 0) (i32.const 1))
            (then (call $deep (i32.shr_u (local.get 0) (i32.const 1))))
            (else (i32.const 2))))";
    let course = run(&bot(start, deep), &[""], 10_000_000).unwrap();
    let (pause, units) = course.pauses[0];
    assert_eq!((pause, units), (Pause::Waits, EVERY_BRANCH), "the cost table has changed: raise COSTS");
}

/// The units of that guest: they change only with [`referee_wasm::COSTS`].
const EVERY_BRANCH: u64 = 42_782;

#[test]
fn a_nan_has_one_form() {
    // A quotient with a sign and payload that depend on the machine, and a sum with a payload of its own.
    let start = "(f64.store (i32.const 64) (f64.div (f64.const 0) (f64.const 0)))
        (f64.store (i32.const 72) (f64.add (f64.const nan:0x1234) (f64.load (i32.const 64))))
        (i32.store8 (i32.const 80) (i32.const 10))
        (call $say (i32.const 1) (i32.const 64) (i32.const 17)) (drop (call $line))";
    let course = run(&bot(start, ""), &[""], 1_000_000).unwrap();
    let nan = [0, 0, 0, 0, 0, 0, 0xf8, 0x7f];
    assert_eq!(course.output, [&nan[..], &nan, b"\n"].concat());
}

#[test]
fn many_guests_of_one_module_do_not_meet() {
    let bytes = bot(ECHO, "");
    let module = Module::new(&bytes).unwrap();
    let compiled = Compiled::new(&module).unwrap();
    let mut guests: Vec<_> = (0..20).map(|_| compiled.start(&[b"bot"], &[]).unwrap()).collect();
    for (number, guest) in guests.iter_mut().enumerate() {
        guest.put(format!("{number}\n").as_bytes());
        guest.allow(100_000);
        assert_eq!(guest.go_on(), Pause::Wrote);
    }
    for (number, guest) in guests.iter_mut().enumerate() {
        assert_eq!(guest.take_output(Vec::new()), format!("{number}\n").as_bytes());
    }
    assert_eq!(run(&bytes, &["5\n"], 100_000).unwrap().output, b"5\n");
}
