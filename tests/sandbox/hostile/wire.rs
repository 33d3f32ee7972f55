//! Attacks on the protocol: lines that a bot writes instead of an answer, or in addition to it, and the
//! verdicts.
//!
//! The texts are described in `faulty says`.

use std::sync::{Mutex, PoisonError};
use std::thread;

use referee_rules::FaultKind;

use crate::table::faulty_bots::{Case, are_given_at_once, verdicts};

/// The right answers for six turns.
#[derive(Clone, Copy)]
enum Due {
    /// In every third turn.
    Third(&'static str),
    /// From the third turn on.
    FromThird(&'static str),
    /// From the fourth turn on.
    FromFourth(&'static str),
    /// In the last turn only.
    Last(&'static str),
}

use Due::{FromFourth, FromThird, Last, Third};

/// The name of an attack, its output, and the verdicts.
const CASES: [(&str, &str, Due); 81] = [
    // Lines that are valid answers.
    ("a plain answer", r"*\n", Third("ok")),
    ("a Windows line end", r"*\r\n", Third("ok")),
    ("carriage returns and tabs all over", r"\t\r*\r\t\r\n", Third("ok")),
    ("1,000 blanks in front", r"{1000:_}*\n", Third("ok")),
    ("signs and leading zeros", r"+4_+004\n", Third("ok")),
    ("5,000 leading zeros", r"{5000:0}4_4\n", Third("ok")),
    ("a line of 64 KiB", r"{65533:_}4_4\n", Third("ok")),
    ("a slow drip", r"4{wait:15}_{wait:15}4{wait:15}\n", Third("ok")),
    ("two halves", r"<{wait:3}>\n", Third("ok")),
    ("a newline of its own", r"*{wait:3}\n", Third("ok")),
    ("4 MiB on standard error", r"{err:4096}*\n", Third("ok")),
    ("standard error closed", r"{close:2}*\n", Last("ok")),
    ("the program executed anew", r"*\n{again}", Third("ok")),
    // Too many lines.
    ("the answer twice at once", r"*\n*\n", Third("ok")),
    ("a second line 3 ms after a valid one", r"*\n{wait:3}*\n", Third("ok")),
    ("an empty line after the answer", r"*\n\n", Third("ok")),
    ("the answer and a remark", r"*\ndone\n", Third("ok")),
    ("a hundred answers at once", r"{100:*\n}", Third("ok")),
    ("a thousand newlines after the answer", r"*\n{1000:\n}", Third("ok")),
    ("an answer and 1 MiB of nothing", r"*\n{1048576:x}\n", Third("ok")),
    ("a thousand newlines instead of an answer", r"{1000:\n}", Third("malformed")),
    ("a remark, then the answer", r"thinking\n*\n", Third("malformed")),
    // Lines that are not answers.
    ("an empty line", r"\n", Third("malformed")),
    ("blanks alone", r"{10:_}\n", Third("malformed")),
    ("a carriage return alone", r"\r\n", Third("malformed")),
    ("an integer too few", r"4\n", Third("malformed")),
    ("an integer too many", r"4_4_4\n", Third("malformed")),
    ("10,000 integers", r"{10000:4_}\n", Third("malformed")),
    ("a number of 100 digits", r"{100:9}_4\n", Third("malformed")),
    ("one more than the largest integer", r"9223372036854775808_4\n", Third("malformed")),
    ("one less than the smallest integer", r"-9223372036854775809_4\n", Third("malformed")),
    ("the smallest integer", r"-9223372036854775808_-9223372036854775808\n", Third("illegal")),
    ("the largest integer", r"9223372036854775807_9223372036854775807\n", Third("illegal")),
    ("a hexadecimal number", r"0x4_4\n", Third("malformed")),
    ("a fraction", r"4.0_4\n", Third("malformed")),
    ("an exponent", r"4e0_4\n", Third("malformed")),
    ("not a number", r"NaN_4\n", Third("malformed")),
    ("two signs", r"--4_4\n", Third("malformed")),
    ("a sign without a number", r"+_4\n", Third("malformed")),
    ("a sign behind", r"4-_4\n", Third("malformed")),
    ("commas", r"4,4\n", Third("malformed")),
    ("brackets", r"[4_4]\n", Third("malformed")),
    ("quotation marks", "\"4\"_\"4\"\\n", Third("malformed")),
    ("a remark behind the answer", r"*_ok\n", Third("malformed")),
    ("a NUL in front", r"\0*\n", Third("malformed")),
    ("a NUL behind", r"*\0\n", Third("malformed")),
    ("NULs alone", r"{100:\0}\n", Third("malformed")),
    ("digits of another script", "\u{ff14}_\u{664}\\n", Third("malformed")),
    ("a typographic minus", "\u{2212}4_4\\n", Third("malformed")),
    ("a blank that does not break", r"4\xc2\xa04\n", Third("malformed")),
    ("a byte order mark", r"\xef\xbb\xbf4_4\n", Third("malformed")),
    ("bytes that are no text", r"\xff\xfe_4\n", Third("malformed")),
    ("a vertical tab and a form feed", r"4\x0b4\x0c\n", Third("malformed")),
    ("a terminal's escape sequence", r"\x1b[31m4_4\n", Third("malformed")),
    ("a line of 64 KiB and one byte", r"{65534:_}4_4\n", Third("too_long")),
    ("a line of 1 MiB", r"{524288:4_}\n", Third("too_long")),
    ("64 KiB of NULs", r"{70000:\0}\n", Third("too_long")),
    // Lines without an end.
    ("no newline", r"*", Last("late")),
    ("a carriage return for a newline", r"*\r", Last("late")),
    ("half an answer", r"<", Last("late")),
    ("half an answer, and the end", r"<{exit:3}", Last("exited")),
    ("half an answer, and death", r"<{raise:9}", Last("crashed")),
    ("half an answer, and SIGSTOP", r"<{raise:19}", Last("late")),
    ("half an answer, and the output closed", r"<{close:1}{wait:60000}", Last("closed")),
    ("1 MiB without a newline", r"{524288:4_}", Last("too_long")),
    ("a drip that outlasts the limit", r"4{wait:4000}_{wait:4000}4\n", Last("late")),
    // Ends.
    ("SIGSTOP of itself", r"{raise:19}", FromThird("late")),
    ("an answer, then SIGSTOP", r"*\n{raise:19}", FromFourth("late")),
    ("an answer, then the end", r"*\n{exit:0}", FromFourth("exited")),
    ("the end instead of an answer", r"{exit:0}", FromThird("exited")),
    ("output closed", r"{close:1}{wait:60000}", FromThird("closed")),
    ("everything closed", r"{close:2}{close:1}{close:0}{wait:60000}", FromThird("closed")),
    ("input closed, then an answer", r"{close:0}*\n{wait:60000}", FromFourth("deaf")),
    ("SIGHUP", r"{raise:1}", FromThird("crashed")),
    ("SIGILL", r"{raise:4}", FromThird("crashed")),
    ("SIGABRT", r"{raise:6}", FromThird("crashed")),
    ("SIGFPE", r"{raise:8}", FromThird("crashed")),
    ("SIGKILL", r"{raise:9}", FromThird("crashed")),
    ("SIGALRM", r"{raise:14}", FromThird("crashed")),
    ("SIGTERM", r"{raise:15}", FromThird("crashed")),
    ("SIGSYS", r"{raise:31}", FromThird("crashed")),
];

/// The same, by a bot that tags its answers.
const TAGGED: [(&str, &str, Due); 16] = [
    ("the right tag", r"@#_*\n", Third("ok")),
    ("the right tag, with zeros", r"@000#_*\n", Third("ok")),
    ("the same answer twice", r"@#_*\n@#_*\n", Third("ok")),
    ("an old answer after the new one", r"@#_*\n@{n:-1}_*\n", Third("ok")),
    ("an answer in advance", r"@#_*\n@{n:1000}_*\n", Third("ok")),
    ("a line without a tag before the answer", r"thinking\n@#_*\n", Third("ok")),
    ("the tag of the question before", r"@{n:-1}_*\n", Third("late")),
    ("the tag of the next question", r"@{n:1}_*\n", Third("late")),
    ("tag 0", r"@0_*\n", Third("late")),
    ("a negative tag", r"@-1_*\n", Third("late")),
    ("a tag of 20 digits", r"@{20:9}_*\n", Third("late")),
    ("no tag", r"*\n", Third("late")),
    ("a blank in the tag", r"@_#_*\n", Third("late")),
    ("two tags", r"@#_@#_*\n", Third("malformed")),
    ("a tag alone", r"@#\n", Third("malformed")),
    ("a tag behind", r"@#_*_@#\n", Third("malformed")),
];

#[test]
fn each_attack_on_the_protocol_gets_its_verdict_and_harms_nobody_else() {
    let untagged = CASES.iter().map(|case| (case, ""));
    let mut cases: Vec<_> = untagged.chain(TAGGED.iter().map(|case| (case, "--tag "))).collect();
    // They mainly wait: as many run at once as fit on the machine. Those that wait longest begin.
    let at_once = |due: &Due| are_given_at_once(&every_and_verdicts(*due).1);
    cases.sort_by_key(|((_, _, due), _)| (at_once(due), matches!(due, Last(_))));
    let left = Mutex::new(cases.into_iter());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        for _ in 0..34 {
            scope.spawn(|| {
                while let Some(((name, text, due), tag)) = next() {
                    try_one(name, text, *due, tag);
                }
            });
        }
    });
}

/// The interval of the bot's attacks in turns, and the verdicts on its turns.
fn every_and_verdicts(due: Due) -> (u32, Vec<&'static str>) {
    match due {
        Third(verdict) => (3, verdicts(&[(2, "ok"), (1, verdict), (2, "ok"), (1, verdict)])),
        FromThird(verdict) => (3, verdicts(&[(2, "ok"), (4, verdict)])),
        FromFourth(verdict) => (3, verdicts(&[(3, "ok"), (3, verdict)])),
        Last(verdict) => (6, verdicts(&[(5, "ok"), (1, verdict)])),
    }
}

/// A signal that stops the bot itself.
const STOPS_ITSELF: &str = "{raise:19}";

fn try_one(name: &str, text: &str, due: Due, tag: &str) {
    let (every, verdicts) = every_and_verdicts(due);
    let case = Case::new(&format!("says {tag}--every {every} --text {text}"), 6);
    let played = case.with_much_time_if(are_given_at_once(&verdicts)).play();
    println!("{name}: {text}");
    if text.contains(STOPS_ITSELF) {
        // In a long gap the referee stops all bots, and lets them go on afterwards: this one, too.
        let found: Vec<&str> = played.of_the_bot().map(|said| &*said.verdict).collect();
        let first = verdicts.iter().position(|verdict| *verdict == "late").expect("it is late");
        // If it has answered before, it may even go on in time for the next question.
        let certain = first + usize::from(text.starts_with(STOPS_ITSELF));
        assert_eq!(found[..certain], verdicts[..certain], "{name}");
        assert!(found[first..].iter().all(|verdict| ["late", "ok"].contains(verdict)), "{name}: {found:?}");
        return;
    }
    played.assert_verdicts(&verdicts);
    if let Some(signal) = text.strip_prefix("{raise:").and_then(|rest| rest.strip_suffix('}'))
        && matches!(due, FromThird("crashed"))
    {
        let detail = format!("signal {signal}");
        assert!(played.of_the_bot().skip(2).all(|said| said.detail == detail), "{name}");
    }
}

#[test]
fn what_is_written_before_the_first_question_costs_that_question_at_most() {
    for (banner, first) in
        [("hello\\n", "malformed"), ("{100:hello\\n}", "malformed"), ("{70000:x}\\n", "too_long")]
    {
        let played = Case::new(&format!("says --tag --banner {banner} --text @#_*\\n"), 6).play();
        let found: Vec<&str> = played.of_the_bot().map(|said| &*said.verdict).collect();
        // The question comes at once, but not always before the banner.
        assert!(found[0] == first || found[0] == "ok", "{banner}: {found:?}");
        assert_eq!(found[1..], ["ok"; 5], "{banner}");
        assert!(
            played.count(FaultKind::Extra) + played.count(FaultKind::Early) > 0,
            "{banner}: it is counted"
        );
    }
}
