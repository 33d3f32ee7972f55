//! The memory of bots that request it in ways that their limits do not count.

use std::time::Duration;

use referee_record::play::table::{Question, Table};
use referee_rules::{Fault, Resource, Seat};
use referee_sandbox::{Limits, Tier};
use referee_table::process::{ProcessTable, Program, Setup};

use crate::sandbox::{ask, info, open_place, setup, table};
use crate::support::Place;

/// Bots that may hold 64 MiB, and 24 more for the stack and files.
fn small(tier: Tier) -> Setup {
    Setup { limits: Limits { data_mib: 64, ..Limits::default() }, ..setup(tier) }
}

/// A bot that answers each question, and first, or at any time, holds more and more memory.
fn compiled(place: &Place, body: &str) -> Program {
    let text = format!(
        "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         #include <sys/mman.h>\n#include <sys/wait.h>\n#include <unistd.h>\n#define MIB (1 << 20)\n\
         static char *part(void) {{\n    char *part = mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE,\n\
         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n    if (part == MAP_FAILED) return NULL;\n    memset(part, 1, 4 * MIB);\n    \
         return part;\n}}\n\
         static void keep(void) {{\n    char *kept = part();\n    if (kept) mprotect(kept, 4 * MIB, PROT_READ);\n}}\n\
         int main(void) {{\n    char line[65536];\n    setbuf(stdout, NULL);\n{body}\n    return 0;\n}}\n"
    );
    let source = place.program("holds.c", text);
    let program = place.path("holds");
    let done = std::process::Command::new("cc").arg("-O1").arg("-o").arg(&program).arg(source).status();
    assert!(done.is_ok_and(|status| status.success()), "cc compiles it");
    Program::new(program, Vec::new())
}

/// Asks a bot until it has a fault.
fn first_fault(table: &mut ProcessTable) -> Option<Fault> {
    (0..1_000_000).find_map(|_| ask(table).expect("an answer").fault)
}

fn held_mib(process: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.map_or(0, |line| line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024)
}

#[test]
fn memory_that_no_limit_counts_is_seen_while_a_bot_thinks() {
    let place = open_place();
    let program =
        compiled(&place, "    fgets(line, sizeof line, stdin);\n    for (;;) { keep(); usleep(2000); }");
    for tier in Tier::ALL {
        let mut table = table(program.clone(), &small(tier)).expect("a table");
        assert_eq!(
            ask(&mut table).expect("an answer").fault,
            Some(Fault::Resource(Resource::Memory)),
            "{tier}"
        );
        assert_eq!(first_fault(&mut table), Some(Fault::Resource(Resource::Memory)), "{tier}: it stays out");
    }
}

#[test]
fn and_while_it_answers_at_once_and_while_another_is_asked() {
    let place = open_place();
    let quick = "    while (fgets(line, sizeof line, stdin)) { keep(); puts(\"1\"); }";
    let holder = "    for (;;) { keep(); usleep(2000); }";
    let asked = "    while (fgets(line, sizeof line, stdin)) { puts(\"1\"); }";
    for tier in Tier::ALL {
        let program = compiled(&place, quick);
        let mut alone = table(program, &small(tier)).expect("a table");
        assert_eq!(first_fault(&mut alone), Some(Fault::Resource(Resource::Memory)), "{tier}");
        drop(alone);
        let asked = compiled(&place, asked);
        std::fs::rename(place.path("holds"), place.path("asked")).expect("another name");
        let programs =
            vec![Some(Program { file: place.path("asked"), ..asked }), Some(compiled(&place, holder))];
        let info = referee_rules::Info {
            time: referee_rules::TimeControl { ponder: true, ..info().time },
            ..info()
        };
        let mut both = ProcessTable::open(&info, &programs.into(), &small(tier)).expect("a table");
        let process = both.process(Seat::new(1)).expect("it runs");
        let mut most = 0;
        while held_mib(process) > 0 {
            most = most.max(held_mib(process));
            assert_eq!(
                ask(&mut both).expect("an answer").fault,
                None,
                "{tier}: nothing is wrong with the other"
            );
        }
        let question =
            Question { seat: Seat::new(1), line: b"1 0\n".to_vec(), limit: Duration::from_secs(60) };
        both.ask(&[question]).expect("a question");
        let mut answers = Vec::new();
        both.collect(&mut answers).expect("an answer");
        assert_eq!(answers[0].fault, Some(Fault::Resource(Resource::Memory)), "{tier}, {most} MiB");
    }
}

#[test]
fn memory_of_children_counts() {
    let place = open_place();
    let body = "    fgets(line, sizeof line, stdin);\n    for (int i = 0; i < 4; i++)\n        if (fork() == 0) {\n\
                            if (fork() == 0)\n                for (int j = 0; j < 13; j++) part();\n            \
                pause();\n        }\n    pause();";
    let program = Program { may_fork: true, ..compiled(&place, body) };
    for tier in Tier::ALL {
        let mut table = table(program.clone(), &small(tier)).expect("a table");
        assert_eq!(
            ask(&mut table).expect("an answer").fault,
            Some(Fault::Resource(Resource::Memory)),
            "{tier}"
        );
    }
}

#[test]
fn what_a_bot_shares_with_its_children_counts_once() {
    let place = open_place();
    let body = "    fgets(line, sizeof line, stdin);\n    for (int j = 0; j < 12; j++) part();\n\
                    for (int i = 0; i < 8; i++)\n        if (fork() == 0) { usleep(300000); _exit(0); }\n    \
                while (wait(NULL) > 0) {}\n    puts(\"1\");\n    fgets(line, sizeof line, stdin);";
    let program = Program { may_fork: true, ..compiled(&place, body) };
    for tier in Tier::ALL {
        let mut table = table(program.clone(), &small(tier)).expect("a table");
        assert_eq!(ask(&mut table).expect("an answer").integers, [1], "{tier}");
    }
}
