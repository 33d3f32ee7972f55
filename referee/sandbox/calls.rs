//! A system call filter by call numbers alone: a binary search over them.
//!
//! A filter of the library `seccompiler` compares with one number after the other, at five instructions each. The
//! kernel checks and translates a filter anew for every bot, and for such a filter that took as long as all mounts
//! together.

use std::collections::BTreeMap;
use std::io;

use libc::c_long;
use seccompiler::{BpfProgram, SeccompAction, sock_filter};

/// Calls with consecutive numbers that get the same answer. The range ends before the first call of the next one.
#[derive(Clone, Copy)]
struct Range {
    first_call: u32,
    answer: u32,
}

/// Returns a filter that gives these answers to calls, and `otherwise` to all others. It assumes that programs of
/// another architecture, whose numbers mean other calls, are stopped by another filter.
pub(super) fn by_number(
    answers: &BTreeMap<c_long, SeccompAction>,
    otherwise: SeccompAction,
) -> io::Result<BpfProgram> {
    let otherwise = u32::from(otherwise);
    let mut ranges = vec![Range { first_call: 0, answer: otherwise }];
    for (call, answer) in answers {
        let call = u32::try_from(*call).map_err(io::Error::other)?;
        ranges.pop_if(|range| range.first_call == call);
        ranges.push(Range { first_call: call, answer: u32::from(answer.clone()) });
        ranges.push(Range { first_call: call + 1, answer: otherwise });
    }
    ranges.dedup_by_key(|range| range.answer);
    let load_number = statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, NUMBER);
    Ok([vec![load_number], tree(&ranges)?].concat())
}

/// Offset of a call's number in the data that a filter sees.
const NUMBER: u32 = 0;

/// Returns a binary search for the range of the loaded call number.
fn tree(ranges: &[Range]) -> io::Result<BpfProgram> {
    if let [range] = ranges {
        return Ok(vec![statement(libc::BPF_RET | libc::BPF_K, range.answer)]);
    }
    let (lower, upper) = ranges.split_at(ranges.len() / 2);
    let below = tree(lower)?;
    let is_above = sock_filter {
        jt: below.len().try_into().map_err(io::Error::other)?,
        ..statement(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, upper[0].first_call)
    };
    Ok([vec![is_above], below, tree(upper)?].concat())
}

fn statement(code: u32, k: u32) -> sock_filter {
    sock_filter { code: code as u16, jt: 0, jf: 0, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel's translation of it.
    fn run(program: &[sock_filter], number: u32) -> u32 {
        let mut at = 1;
        loop {
            let now = &program[at];
            match u32::from(now.code) {
                code if code == libc::BPF_RET | libc::BPF_K => return now.k,
                code => assert_eq!(code, libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K),
            }
            at += 1 + usize::from(if number >= now.k { now.jt } else { now.jf });
        }
    }

    #[test]
    fn each_number_gets_its_answer_and_all_others_the_other() {
        let [allow, refuse, none] = [SeccompAction::Allow, SeccompAction::Errno(1), SeccompAction::Errno(38)];
        // Neighbours with equal and with different answers, the first number, isolated numbers.
        let answer = |number: c_long| match number {
            0 | 1 | 5..=9 | 11 | 13 | 60..=200 => Some(allow.clone()),
            2 | 12 | 201 | 400 => Some(refuse.clone()),
            number if number > 500 && number % 3 == 0 => Some(allow.clone()),
            _ => None,
        };
        let answers = (0..700).filter_map(|number| Some((number, answer(number)?))).collect();
        let program = by_number(&answers, none.clone()).unwrap();
        // Also the calls of the same machine's other set, which have this bit.
        for number in (0..1000).chain([0x4000_0000, 0x4000_0001, u32::MAX]) {
            let expected = answers.get(&c_long::from(number)).cloned().unwrap_or_else(|| none.clone());
            assert_eq!(run(&program, number), u32::from(expected), "call {number}");
        }
    }
}
