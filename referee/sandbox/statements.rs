//! Statements of filters that decide about system calls (BPF).

use seccompiler::sock_filter;

/// Loads a part of the data that a filter sees.
pub(super) fn load(at: u32) -> sock_filter {
    statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, at, 0, 0)
}

/// Removes these bits from what was loaded.
pub(super) fn without(bits: i32) -> sock_filter {
    statement(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, !bits as u32, 0, 0)
}

/// Compares what was loaded with a value, and skips `jt` statements if they are equal, else `jf`.
pub(super) fn is(value: u32, jt: u8, jf: u8) -> sock_filter {
    statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value, jt, jf)
}

/// Skips `jt` statements if what was loaded is below zero, else `jf`.
pub(super) fn is_negative(jt: u8, jf: u8) -> sock_filter {
    statement(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 1 << 31, jt, jf)
}

/// Ends the filter with this action.
pub(super) fn end(action: u32) -> sock_filter {
    statement(libc::BPF_RET | libc::BPF_K, action, 0, 0)
}

fn statement(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code: code as u16, jt, jf, k }
}

/// Offset of a call's number in the data that a filter sees.
pub(super) const NUMBER: u32 = 0;

/// Offset of an argument's lower half in that data.
pub(super) const fn argument(number: u32) -> u32 {
    16 + 8 * number
}
