//! Mistakes of bots, each with its fix.

use referee_rules::Fault;

use crate::examine::Grade;

macro_rules! mistakes {
    ($($variant:ident, $name:literal, $grade:ident, $about:literal, $cure:literal;)*) => {
        /// A mistake of a program.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Mistake {
            $(#[doc = $about] $variant,)*
        }

        impl Mistake {
            /// All of them.
            pub const ALL: &[Mistake] = &[$(Mistake::$variant),*];

            /// Returns the word for it in tables.
            pub const fn name(self) -> &'static str {
                match self { $(Mistake::$variant => $name,)* }
            }

            /// Returns how grave it is.
            pub const fn grade(self) -> Grade {
                match self { $(Mistake::$variant => Grade::$grade,)* }
            }

            /// Returns its description.
            pub const fn about(self) -> &'static str {
                match self { $(Mistake::$variant => $about,)* }
            }

            /// Returns the fix, as advice to the author. `{game}` and `{protocol}` are the places of their texts.
            pub(super) const fn cure(self) -> &'static str {
                match self { $(Mistake::$variant => $cure,)* }
            }
        }
    };
}

mistakes! {
    NotStarted, "start_failed", Failed, "it cannot be started",
        "a bot is an executable file, a script with #! and an interpreter of the host, or a module for wasm32-wasip1";
    Library, "missing_library", Failed, "its loader, or a library that it needs, is not here",
        "link it statically (-static), or submit its source, which is built here";
    Silent, "silent", Failed, "it does not answer at all",
        "read one line, write one line, until the input ends; {protocol} has an example";
    NeedsOption, "needs_option", Failed, "it stops before its first answer, but answers once an option is set",
        "if you are the host, set the option named above: --allow-fork with `hill submit`, limits in \
         hill.toml";
    NotFlushed, "not_flushed", Failed, "the answer comes only after its input is closed",
        "flush standard output after each answer: flush=True, fflush(stdout), std::endl, System.out.flush()";
    ReadsAll, "reads_to_the_end", Failed, "it answers only when its input has ended",
        "read one line, answer it, flush the answer, then read the next line: the next question comes only after the \
         answer";
    LateStart, "late_start", Failed, "the first answer comes after its time limit",
        "do less before the first answer, or do it later; the host can set first_ms";
    NoNewline, "no_newline", Failed, "the answer has no newline at its end",
        "end each answer with a newline";
    CarriageReturn, "carriage_return", Failed, "the answer ends with a carriage return alone",
        "end each answer with a newline, \\n; \\r is read as a blank";
    NumberALine, "one_number_a_line", Failed, "it expects one number per line",
        "a question is one line: read the whole line, then split it at the blanks";
    Pieces, "reads_pieces", Failed, "it reads part of a question as if it were all of it",
        "read until the newline: a pipe can deliver a line in pieces";
    Text, "text", Failed, "it writes text to standard output",
        "write only answers to standard output, and everything else to standard error";
    ExtraLines, "extra_lines", Failed, "it writes more lines than it has questions",
        "write one line for each question and everything else to standard error, or begin each answer with @i, \
         the question's number";
    Count, "count", Failed, "an answer has too many or too few integers",
        "{game} says how many integers each question requires; a bot for another game is sent to a hill of that game";
    NoIntegers, "no_integers", Failed, "an answer is not made of integers",
        "write decimal integers with blanks between them, and nothing else; in Python, int(x) makes one of np.int64(30) or \
         30.0";
    Range, "out_of_range", Failed, "an integer has more than 64 bits",
        "look for the mistake in your arithmetic; {game} says which numbers an answer has";
    ByteOrderMark, "byte_order_mark", Failed, "the output begins with a byte order mark",
        "write plain ASCII or UTF-8 without a mark: in C#, new UTF8Encoding(false); in Python, encoding=\"utf-8\", not \
         utf-8-sig";
    TooLong, "too_long", Failed, "an answer is longer than 64 KiB",
        "write one short line of integers for each question";
    Illegal, "illegal", Warning, "orders that the position does not allow",
        "check orders before you write them: {game} says which are allowed";
    SlowStart, "slow_start", Warning, "the first answer takes more than half of its time limit",
        "do less before the first answer, or do it later";
    Late, "late", Failed, "answers come too late",
        "compute less, or check the clock while you compute";
    Tight, "tight", Warning, "answers come close to the limit",
        "leave a margin: other machines are slower";
    Crashed, "crashed", Failed, "it crashes",
        "run it by hand in a debugger, with a question as its input: {game} has one";
    Instruction, "illegal_instruction", Failed, "it ends at an instruction that this processor does not have, or at a trap",
        "build it without -march=native (Rust: target-cpu=native), or submit its source, which is built here";
    Exited, "exited", Failed, "it ends by itself in the middle of a game",
        "answer until the input ends, as the example in {protocol} does";
    Deaf, "deaf", Failed, "it does not read its input, which is full",
        "read each question, also while you compute: a pipe holds some 64 KiB";
    Closed, "closed", Failed, "it closes its input or output",
        "keep both open until the end of input";
    Resource, "resource", Failed, "it exceeds a limit of memory, processes, files or processor time",
        "the limits are listed in {protocol}, section Surroundings";
    Memory, "memory_grows", Warning, "its memory grows from turn to turn",
        "free the data of old turns: a game can have 50,000 turns";
    Stays, "stays", Warning, "it does not exit at the end of input",
        "exit at the end of input; a program that stays is killed after a second";
    BadEnd, "bad_end", Warning, "it fails at the end of input",
        "exit with status 0 at the end of input";
}

impl Mistake {
    /// Returns the mistake behind a fault.
    pub fn behind(fault: &Fault) -> Mistake {
        match fault {
            Fault::Late => Mistake::Late,
            Fault::Exited(_) => Mistake::Exited,
            Fault::Crashed(SIGILL) => Mistake::Instruction,
            Fault::Crashed(_) => Mistake::Crashed,
            Fault::Closed => Mistake::Closed,
            Fault::Deaf => Mistake::Deaf,
            Fault::Early | Fault::Extra => Mistake::ExtraLines,
            Fault::TooLong => Mistake::TooLong,
            Fault::Illegal(_) => Mistake::Illegal,
            Fault::Resource(_) => Mistake::Resource,
            Fault::StartFailed(why) if LIBRARY.iter().any(|word| why.contains(word)) => Mistake::Library,
            Fault::StartFailed(_) => Mistake::NotStarted,
            Fault::Malformed(malformed) => behind_malformed(&malformed.to_string()),
        }
    }
}

/// The number of the signal of an illegal instruction.
const SIGILL: i32 = 4;

/// Words in the reason of a program that did not start for want of a library.
const LIBRARY: [&str; 2] = ["a shared library ", "a program loader or library"];

/// Returns the mistake behind a malformed answer, by the description of the fault.
fn behind_malformed(what: &str) -> Mistake {
    let Some((place, word)) = what.split_once(" is not an integer: ") else { return Mistake::Count };
    let digits = word.trim_start_matches(['-', '+']).trim_end_matches("...");
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Mistake::Range;
    }
    const VALUES: [&str; 9] = ["nan", "inf", "infinity", "none", "null", "nil", "undefined", "true", "false"];
    // A number in another notation, such as `np.int64(30)`, and not a word of a sentence.
    let is_value = word.contains(['(', '[', '{']) && word.contains(|c: char| c.is_ascii_digit())
        || VALUES.contains(&word.trim_end_matches(',').to_ascii_lowercase().as_str());
    let is_text = place == "word 1" && word.starts_with(char::is_alphabetic) && !is_value;
    if is_text { Mistake::Text } else { Mistake::NoIntegers }
}

#[cfg(test)]
mod tests {
    use referee_rules::Malformed;

    use super::*;

    #[test]
    fn numbers_in_another_form_are_told_from_text() {
        for (word, expected) in [
            ("word 1 is not an integer: np.int64(30)", Mistake::NoIntegers),
            ("word 2 is not an integer: np.float64(30.0)", Mistake::NoIntegers),
            ("word 1 is not an integer: tensor([30,", Mistake::NoIntegers),
            ("word 1 is not an integer: [30,", Mistake::NoIntegers),
            ("word 1 is not an integer: NaN", Mistake::NoIntegers),
            ("word 1 is not an integer: None,", Mistake::NoIntegers),
            ("word 1 is not an integer: 30.0", Mistake::NoIntegers),
            ("word 1 is not an integer: 1e20", Mistake::NoIntegers),
            ("word 1 is not an integer: 100000000000000000000", Mistake::Range),
            ("word 3 is not an integer: -99999999999999999999999...", Mistake::Range),
            ("word 1 is not an integer: thinking", Mistake::Text),
            ("word 1 is not an integer: depth=3", Mistake::Text),
            ("2 integers, and not 3", Mistake::Count),
        ] {
            assert_eq!(Mistake::behind(&Fault::Malformed(Malformed::new(word))), expected, "{word}");
        }
        let failed = |why: &str| Mistake::behind(&Fault::StartFailed(why.to_owned()));
        assert_eq!(failed("a shared library is too old: /lib/libc.so.6"), Mistake::Library);
        assert_eq!(failed("needs a program loader or library that is not here"), Mistake::Library);
        assert_eq!(failed("not executable; chmod +x it"), Mistake::NotStarted);
        assert_eq!(Mistake::behind(&Fault::Crashed(4)), Mistake::Instruction);
    }
}
