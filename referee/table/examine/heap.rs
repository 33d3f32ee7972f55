//! Heaps of garbage-collected runtimes. They grow until a collection is necessary, so their growth is no sign
//! of a leak.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Returns how much the memory of a process may grow before its runtime collects garbage, in KiB; 0 for other
/// programs.
pub(super) fn uncollected_kib(process: i32) -> u64 {
    let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
    let name = Path::new(OsStr::from_bytes(words[0])).file_name().unwrap_or_default();
    match name.as_bytes() {
        b"node" | b"nodejs" => NODE_KIB,
        b"sbcl" => SBCL_KIB,
        _ if name == "java" || holds_java(process) => {
            java_kib(&words).unwrap_or_else(quarter_of_the_machine_kib)
        }
        _ => 0,
    }
}

/// V8's memory for young objects: three spaces of 16 MiB.
const NODE_KIB: u64 = 48 * 1024;

/// Memory that SBCL hands out between two collections (51 MiB), and copies.
const SBCL_KIB: u64 = 2 * 51 * 1024;

/// Tells whether the program has loaded a Java of its own, under any name.
fn holds_java(process: i32) -> bool {
    let maps = fs::read(format!("/proc/{process}/maps")).unwrap_or_default();
    maps.windows(JAVA.len()).any(|part| part == JAVA)
}

const JAVA: &[u8] = b"/libjvm.so";

/// Returns the maximum heap among the options of a Java, in KiB. The last one counts.
fn java_kib(words: &[&[u8]]) -> Option<u64> {
    let size_in_kib = |word: &&[u8]| {
        let size = word.strip_prefix(b"-Xmx").or_else(|| word.strip_prefix(b"-XX:MaxHeapSize="))?;
        let digits = size.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let count: u64 = std::str::from_utf8(&size[..digits]).ok()?.parse().ok()?;
        match size[digits..].to_ascii_lowercase().as_slice() {
            b"" => Some(count >> 10),
            b"k" => Some(count),
            b"m" => count.checked_shl(10),
            b"g" => count.checked_shl(20),
            _ => None,
        }
    };
    words.iter().rev().find_map(size_in_kib)
}

/// Returns the maximum heap of a Java without such an option, in KiB.
fn quarter_of_the_machine_kib() -> u64 {
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next());
    total.and_then(|total| total.parse::<u64>().ok()).unwrap_or_default() / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_size_that_java_is_told_counts() {
        let kib = |line: &str| java_kib(&line.split(' ').map(str::as_bytes).collect::<Vec<_>>());
        assert_eq!(kib("java -Xmx256m -jar bot"), Some(256 << 10));
        assert_eq!(kib("java -Xmx256m -XX:+UseSerialGC -Xmx1G -jar bot"), Some(1 << 20));
        assert_eq!(kib("java -XX:MaxHeapSize=2097152 bot"), Some(2048));
        assert_eq!(kib("java -Xmx300K bot"), Some(300));
        assert_eq!([kib("java -Xms256m bot"), kib("java -Xmx bot"), kib("java -Xmx5x bot")], [None; 3]);
    }

    #[test]
    fn a_program_that_is_no_runtime_collects_nothing() {
        assert_eq!(uncollected_kib(std::process::id() as i32), 0);
        assert!(quarter_of_the_machine_kib() > 0);
    }
}
