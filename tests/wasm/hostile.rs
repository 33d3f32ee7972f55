//! Hostile modules, each with its verdict.

use referee_sandbox::clock::CpuClock;
use referee_wasm::{Compiled, Module, Pause, Trap};

use super::{bot, module, run};

/// The fate of a module.
enum Verdict {
    /// It is refused, and the reason contains these words.
    Refused(&'static str),
    /// It cannot be set up.
    NotSetUp,
    /// It pauses like this at its first question.
    Pauses(Pause),
}

use Verdict::{NotSetUp, Pauses, Refused};

const LATE: Verdict = Pauses(Pause::OutOfUnits);

const fn trap(trap: Trap) -> Verdict {
    Pauses(Pause::Trapped(trap))
}

/// Units for the only question.
const UNITS: u64 = 50_000_000;

/// Bots by their `_start` and the rest of the module.
const BOTS: &[(&str, &str, &str, Verdict)] = &[
    ("an endless loop", "(loop (br 0))", "", LATE),
    ("an endless loop of calls", "(loop (call $nothing) (br 0))", "(func $nothing)", LATE),
    (
        "an endless start that asks the time",
        "(loop (drop (call $clock (i32.const 0) (i64.const 0) (i32.const 64))) (br 0))",
        "",
        LATE,
    ),
    (
        "reads of nothing without end",
        "(loop (drop (call $fd_read (i32.const 7) (i32.const 0) (i32.const 0) (i32.const 0))) (br 0))",
        "",
        LATE,
    ),
    (
        "random numbers without end",
        "(loop (drop (call $random (i32.const 0) (i32.const 65536))) (br 0))",
        "",
        LATE,
    ),
    (
        "copies without end",
        "(loop (memory.copy (i32.const 0) (i32.const 1) (i32.const 65535)) (br 0))",
        "",
        LATE,
    ),
    (
        "fills without end",
        "(loop (memory.fill (i32.const 0) (i32.const 1) (i32.const 65536)) (br 0))",
        "",
        LATE,
    ),
    (
        "tables filled without end",
        "(loop (table.fill $t (i32.const 0) (ref.null func) (i32.const 100000)) (br 0))",
        "(table $t 100000 funcref)",
        LATE,
    ),
    (
        "tables copied without end",
        "(loop (table.copy (i32.const 0) (i32.const 1) (i32.const 99999)) (br 0))",
        "(table 100000 funcref)",
        LATE,
    ),
    ("memory that grows without end", "(loop (drop (memory.grow (i32.const 1))) (br 0))", "", LATE),
    (
        "a table that grows without end",
        "(loop (drop (table.grow $t (ref.null func) (i32.const 1))) (br 0))",
        "(table $t 1 funcref)",
        LATE,
    ),
    (
        "memory beyond all bounds",
        "(if (i32.ne (memory.grow (i32.const 65000)) (i32.const -1)) (then (unreachable))) (drop (call $line))",
        "",
        Pauses(Pause::Exited(0)),
    ),
    (
        "memory up to its bound, and one more",
        "(if (i32.ne (memory.grow (i32.const 1023)) (i32.const 1)) (then (unreachable))) (if (i32.ne (memory.grow (i32.const 1)) (i32.const -1)) (then (unreachable))) (drop (call $line))",
        "",
        Pauses(Pause::Exited(0)),
    ),
    (
        "a table beyond all bounds",
        "(if (i32.ne (table.grow $t (ref.null func) (i32.const 100000)) (i32.const -1)) (then (unreachable))) (drop (call $line))",
        "(table $t 1 funcref)",
        Pauses(Pause::Exited(0)),
    ),
    ("calls without end", "(call $deep)", "(func $deep (call $deep) (call $deep))", trap(Trap::Stack)),
    (
        "calls in turn without end",
        "(call $a)",
        "(func $a (call $b)) (func $b (call $a) (call $b))",
        trap(Trap::Stack),
    ),
    (
        "calls through a table without end",
        "(call_indirect (i32.const 0))",
        "(table funcref (elem $deep)) (func $deep (call_indirect (i32.const 0)) (call $deep))",
        trap(Trap::Stack),
    ),
    (
        "calls with large frames",
        "(drop (call $deep (i64.const 1) (i64.const 1) (i64.const 1)))",
        "(func $deep (param i64 i64 i64) (result i64) (i64.add (call $deep (local.get 0) (local.get 1) (local.get 2)) (call $deep (local.get 2) (local.get 1) (local.get 0))))",
        trap(Trap::Stack),
    ),
    ("unreachable", "(unreachable)", "", trap(Trap::Unreachable)),
    (
        "a quotient by zero",
        "(drop (i32.div_u (i32.const 1) (i32.load (i32.const 64))))",
        "",
        trap(Trap::Arithmetic),
    ),
    (
        "a remainder by zero",
        "(drop (i64.rem_s (i64.const 1) (i64.load (i32.const 64))))",
        "",
        trap(Trap::Arithmetic),
    ),
    (
        "a quotient too large",
        "(drop (i32.div_s (i32.const 0x80000000) (i32.sub (i32.load (i32.const 64)) (i32.const 1))))",
        "",
        trap(Trap::Arithmetic),
    ),
    (
        "no number made whole",
        "(drop (i32.trunc_f32_s (f32.div (f32.load (i32.const 64)) (f32.load (i32.const 64)))))",
        "",
        trap(Trap::Arithmetic),
    ),
    ("a load beyond memory", "(drop (i32.load (i32.const 65533)))", "", trap(Trap::OutOfBounds)),
    ("a store before memory", "(i64.store (i32.const -1) (i64.const 1))", "", trap(Trap::OutOfBounds)),
    (
        "a copy beyond memory",
        "(memory.copy (i32.const 0) (i32.const 65535) (i32.const 2))",
        "",
        trap(Trap::OutOfBounds),
    ),
    (
        "a copy of more than there can be",
        "(memory.copy (i32.const 0) (i32.const 0) (i32.const -1))",
        "",
        LATE,
    ),
    ("a call through null", "(call_indirect (i32.const 0))", "(table 1 funcref)", trap(Trap::BadCall)),
    (
        "a call beyond the table",
        "(call_indirect (i32.const 1))",
        "(table 1 funcref)",
        trap(Trap::OutOfBounds),
    ),
    (
        "a call of another type",
        "(drop (call_indirect (result i32) (i32.const 0)))",
        "(table funcref (elem $deep)) (func $deep)",
        trap(Trap::BadCall),
    ),
    (
        "pieces beyond memory",
        "(if (i32.ne (call $fd_write (i32.const 1) (i32.const 65530) (i32.const 9) (i32.const 0)) (i32.const 21)) (then (unreachable))) (call $proc_exit (i32.const 7))",
        "",
        Pauses(Pause::Exited(7)),
    ),
    (
        "too many pieces",
        "(if (i32.ne (call $fd_write (i32.const 1) (i32.const 0) (i32.const -1) (i32.const 0)) (i32.const 28)) (then (unreachable))) (call $proc_exit (i32.const 7))",
        "",
        Pauses(Pause::Exited(7)),
    ),
    (
        "a line that does not end",
        "(loop (call $say (i32.const 1) (i32.const 1024) (i32.const 60000)) (br 0))",
        "",
        Pauses(Pause::Wrote),
    ),
    (
        "a flood of standard error",
        "(loop (call $say (i32.const 2) (i32.const 1024) (i32.const 60000)) (br 0))",
        "",
        Pauses(Pause::Wrote),
    ),
    (
        "files",
        "(drop (call $open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i64.const 0) (i64.const 0) (i32.const 0) (i32.const 0)))",
        "",
        Refused("imports"),
    ),
    (
        "a table of ten million",
        "",
        "(table 10000000 funcref)",
        Refused("a table begins with 10000000 entries"),
    ),
    (
        "a memory of four gigabytes",
        "",
        "(memory (export \"memory\") 65536)",
        Refused("the memory begins with 65536 pages"),
    ),
    ("data beyond memory", "", "(data (i32.const 65535) \"ab\")", NotSetUp),
    ("elements beyond a table", "", "(table 1 funcref) (elem (i32.const 1) func $line)", NotSetUp),
    ("a start function", "", "(func $early (loop (br 0))) (start $early)", Refused("start function")),
    (
        "a name of the referee",
        "",
        "(func (export \"referee:units\"))",
        Refused("a name that the referee uses"),
    ),
    ("two memories", "", "(memory (export \"memory\") 1) (memory 1)", Refused("not a valid module")),
    ("a memory of 64 bits", "", "(memory (export \"memory\") i64 1)", Refused("not a valid module")),
    ("a shared memory", "", "(memory (export \"memory\") 1 1 shared)", Refused("not a valid module")),
    (
        "tail calls without end",
        "(return_call $deep)",
        "(func $deep (return_call $deep))",
        Refused("not a valid module"),
    ),
    (
        "relaxed SIMD",
        "(drop (f32x4.relaxed_min (v128.const i64x2 0 0) (v128.const i64x2 0 0)))",
        "",
        Refused("not a valid module"),
    ),
    ("an exception", "(throw $e)", "(tag $e)", Refused("not a valid module")),
    ("a reference from outside", "", "(global externref (ref.null extern))", Refused("not a valid module")),
];

/// Whole modules.
const MODULES: &[(&str, &str, Verdict)] = &[
    ("no memory", "(module (func (export \"_start\")))", Refused("no memory")),
    ("no start", "(module (memory (export \"memory\") 1))", Refused("no function `_start`")),
    (
        "a start with parameters",
        "(module (memory (export \"memory\") 1) (func (export \"_start\") (param i32)))",
        Refused("takes or returns"),
    ),
    (
        "a start of the host",
        "(module (import \"wasi_snapshot_preview1\" \"sched_yield\" (func (result i32))) (memory (export \"memory\") 1) (export \"_start\" (func 0)))",
        Refused("an imported function"),
    ),
    (
        "an unknown import",
        "(module (import \"env\" \"system\" (func (param i32))) (memory (export \"memory\") 1) (func (export \"_start\")))",
        Refused("imports env.system"),
    ),
    (
        "more units, please",
        "(module (import \"referee\" \"more\" (func)) (memory (export \"memory\") 1) (func (export \"_start\")))",
        Refused("imports referee.more"),
    ),
    (
        "a socket",
        "(module (import \"wasi_snapshot_preview1\" \"sock_recv\" (func (param i32 i32 i32 i32 i32 i32) (result i32))) (memory (export \"memory\") 1) (func (export \"_start\")))",
        Refused("imports wasi_snapshot_preview1.sock_recv"),
    ),
    (
        "another type",
        "(module (import \"wasi_snapshot_preview1\" \"fd_read\" (func (param i64))) (memory (export \"memory\") 1) (func (export \"_start\")))",
        Refused("with types that differ"),
    ),
    (
        "a memory of the host",
        "(module (import \"env\" \"memory\" (memory 1)) (export \"memory\" (memory 0)) (func (export \"_start\")))",
        Refused("not a function"),
    ),
    (
        "nothing to do",
        "(module (memory (export \"memory\") 1) (func (export \"_start\")))",
        Pauses(Pause::Exited(0)),
    ),
];

fn check(name: &str, bytes: &[u8], verdict: &Verdict) {
    let course = run(bytes, &["1 2 3\n"], UNITS);
    match (verdict, &course) {
        (Refused(words), Err(why)) => assert!(why.contains(words), "{name}: {why}"),
        (NotSetUp, Err(why)) => assert!(why.contains("cannot be set up"), "{name}: {why}"),
        (Pauses(due), Ok(course)) => {
            assert_eq!(course.pauses[0].0, *due, "{name}");
            let (last, units) = *course.pauses.last().expect("a pause");
            // A flood of output uses up the units, too.
            assert!(*due == last || (*due, last) == (Pause::Wrote, Pause::OutOfUnits), "{name}: {last:?}");
            assert!(units < 12 * UNITS, "{name}: {units}");
        }
        _ => panic!("{name}: {course:?}"),
    }
}

#[test]
fn every_hostile_module_gets_its_verdict() {
    assert!(BOTS.len() + MODULES.len() >= 40);
    for (name, start, more, verdict) in BOTS {
        if let Some(text) = start.contains("$open").then_some(FILES) {
            check(name, &module(text), verdict);
        } else {
            check(name, &bot(start, more), verdict);
        }
    }
    for (name, text, verdict) in MODULES {
        check(name, &module(text), verdict);
    }
}

const FILES: &str = "(module (import \"wasi_unstable\" \"path_open\" (func)) (memory (export \"memory\") 1) (func (export \"_start\")))";

#[test]
fn what_is_no_module_is_refused_with_its_place() {
    let whole = bot("(drop (call $line))", "");
    let billions = {
        // A function of two billion locals, in five bytes.
        let mut bytes =
            module("(module (memory (export \"memory\") 1) (func (export \"_start\") (local i64)))");
        let at = bytes.windows(3).rposition(|three| three == [1, 1, 0x7e]).expect("the locals");
        bytes.splice(at + 1..at + 2, [0xff, 0xff, 0xff, 0xff, 0x07]);
        // The lengths of the body and of its section.
        bytes[at - 1] += 4;
        bytes[at - 3] += 4;
        bytes
    };
    let cases: [(&str, Vec<u8>, &str); 5] = [
        ("nothing", Vec::new(), "not a WebAssembly module"),
        ("a text", b"#!/bin/sh\n".to_vec(), "not a WebAssembly module"),
        ("a component", b"\0asm\x0d\0\x01\0".to_vec(), "a component"),
        ("cut off", whole[..whole.len() / 2].to_vec(), "not a valid module"),
        ("billions of locals", billions, "too many locals"),
    ];
    for (name, bytes, words) in cases {
        let why = run(&bytes, &[], 1).expect_err(name);
        assert!(why.contains(words) && why.starts_with("at byte "), "{name}: {why}");
    }
}

#[test]
fn many_locals_and_large_frames_are_paid_for() {
    let locals = "(local i64) ".repeat(9_000);
    let deep = format!("(func $deep {locals} (local.set 8999 (i64.const 1)) (call $deep))");
    check("9,000 locals", &bot("(call $deep)", &deep), &trap(Trap::Stack));
    let leaf = format!("(func $leaf {locals} (local.set 8999 (i64.const 1)))");
    check("9,000 locals without end", &bot("(loop (call $leaf) (br 0))", &leaf), &LATE);
    let long =
        format!("(func $long {})", "(memory.fill (i32.const 0) (i32.const 0) (i32.const 0))".repeat(60_000));
    check("a function of half a megabyte", &bot("", &long), &Refused("a function has "));
    let more = format!("(func $leaf {locals} {locals})");
    check("18,000 locals", &bot("", &more), &Refused("18000 locals and operands"));
}

/// A module in its binary form, from its sections between the imports and the code, and its functions.
pub(super) fn raw(types: &[u8], globals: &[u8], elements: &[u8], body: &[u8], functions: u32) -> Vec<u8> {
    let length = |mut number: usize| {
        let mut bytes = Vec::new();
        while number > 0x7f {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    };
    let section = |id: u8, bytes: &[u8]| [&[id][..], &length(bytes.len()), bytes].concat();
    let count = length(functions as usize + 1);
    let body = [&length(body.len())[..], body].concat().repeat(functions as usize);
    [
        b"\0asm\x01\0\0\0".to_vec(),
        section(1, types),
        section(3, &[&count[..], &vec![0; functions as usize + 1]].concat()),
        section(5, b"\x01\0\x01"),
        if globals.is_empty() { Vec::new() } else { section(6, globals) },
        section(7, b"\x02\x06memory\x02\0\x06_start\0\0"),
        if elements.is_empty() { Vec::new() } else { section(9, elements) },
        section(10, &[&count[..], b"\x02\0\x0b", &body].concat()),
    ]
    .concat()
}

#[test]
fn small_files_that_cost_much_are_refused_with_what_is_too_much() {
    let plain = b"\x01\x60\0\0";
    // The numbers in them: 15,000 and 120,000 in LEB128; 300 and 3,000.
    let locals = b"\x01\x98\x75\x7f\x0b";
    let wide = b"\x01\x98\x75\x7b\x0b";
    let many = b"\xc0\xa9\x07";
    let segments = |each: &[u8], count: usize| [&[0xac, 0x02][..], &each.repeat(count)].concat();
    let segment = [&b"\x01\0\xb8\x17"[..], &[0; 3000]].concat();
    let branches = [&b"\0"[..], &b"\x41\0\x0d\0".repeat(100_000), b"\x0b"].concat();
    let cases: [(&str, Vec<u8>, &str); 7] = [
        ("locals", raw(plain, b"", b"", locals, 20_000), "more than 4000000 locals"),
        ("wide locals", raw(plain, b"", b"", wide, 20_000), "30000 locals and operands"),
        ("functions", raw(plain, b"", b"", b"\0\x0b", 300_000), "300001 functions"),
        ("elements", raw(plain, b"", &segments(&segment, 300), b"\0\x0b", 1), "more than 400000 entries"),
        (
            "globals",
            raw(plain, &[&many[..], &b"\x7f\0\x41\0\x0b".repeat(120_000)].concat(), b"", b"\0\x0b", 1),
            "120000 globals",
        ),
        (
            "types",
            raw(&[&many[..], &b"\x60\0\0".repeat(120_000)].concat(), b"", b"", b"\0\x0b", 1),
            "120000 types",
        ),
        ("branches", raw(plain, b"", b"", &branches, 60), "bytes of code to count its branches"),
    ];
    for (name, bytes, words) in cases {
        let why = Module::new(&bytes).expect_err(name).to_string();
        assert!(why.contains(words), "{name}: {why}");
    }
}

#[test]
fn an_empty_loop_takes_a_few_times_its_units() {
    let module = Module::new(&bot("(loop (br 0))", "")).expect("a module");
    let mut guest = Compiled::new(&module).expect("prepared").start(&[], &[]).expect("a guest");
    let limit = 20_000_000;
    guest.allow(limit);
    let clock = CpuClock::of_this_thread();
    let before = clock.read().expect("a clock");
    while guest.go_on() == Pause::Slice {}
    let took = clock.read().expect("a clock") - before;
    assert!(took.as_nanos() < 8 * u128::from(limit), "{took:?} for {limit} units");
}

#[test]
fn a_module_cut_or_changed_anywhere_never_stops_the_host() {
    let whole = bot("(loop $again (call $say (i32.const 1) (i32.const 1024) (call $line)) (br $again))", "");
    let mut verdicts = [0, 0];
    for at in 8..whole.len() {
        for value in [0, 0x7f, 0xff, whole[at] ^ 1] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            verdicts[usize::from(run(&bytes, &["1\n"], 200_000).is_ok())] += 1;
        }
    }
    assert!(verdicts[0] > 100 && verdicts[1] > 100, "{verdicts:?}");
}
