//! The identity of a bot: a program with its arguments, under any name.

use sha2::{Digest as _, Sha256};

use super::Digest;
use crate::text;

/// Returns the digest that identifies a bot in results, logs and seasons: without arguments, its program's digest; else
/// the SHA-256 of the digest of the program and the arguments, each followed by a zero byte.
pub fn bot_digest(program: &Digest, arguments: &[String]) -> Digest {
    if arguments.is_empty() {
        return program.clone();
    }
    of_words([program.as_str()].into_iter().chain(arguments.iter().map(String::as_str)))
}

/// Returns the digest that identifies a house bot, which is the same bot in every build of the referee: the SHA-256 of
/// the words `house`, its game, its name, the version of the rules and further arguments, each followed by a zero byte.
/// `None` if the arguments call no house bot of the game.
pub fn of_house(game: &str, rules_version: u32, arguments: &[String]) -> Option<Digest> {
    let [command, of_game, name, more @ ..] = arguments else { return None };
    let version = rules_version.to_string();
    let words = ["house", game, name, &version].into_iter().chain(more.iter().map(String::as_str));
    (command == "bot" && of_game == game).then(|| of_words(words))
}

fn of_words<'a>(words: impl Iterator<Item = &'a str>) -> Digest {
    let mut hasher = Sha256::new();
    for word in words {
        hasher.update(word.as_bytes());
        hasher.update([0]);
    }
    Digest::finish(hasher)
}

/// Returns arguments as results and logs show them: in one line, cut after 200 characters. They are for readers; the
/// digest tells bots apart.
pub fn shown(arguments: &[String]) -> String {
    const CHARACTERS: usize = 200;
    let words = arguments.join(" ");
    let shown = text::cell(&words);
    match shown.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}...", &shown[..end]),
        None => shown.into_owned(),
    }
}

/// Tells whether a record shows arguments as they are due. Earlier referees wrote `;` for a comma or a quotation mark.
pub fn is_shown(found: &str, expected: &str) -> bool {
    found == expected || found.contains(';') && found == expected.replace([',', '"'], ";")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_bot_is_its_program_with_its_arguments() {
        let (one, other) = (Digest::of(b"one"), Digest::of(b"other"));
        let bots = [
            bot_digest(&one, &[]),
            bot_digest(&other, &[]),
            bot_digest(&one, &words(&["a"])),
            bot_digest(&one, &words(&["a", "b"])),
            bot_digest(&one, &words(&["ab"])),
            bot_digest(&one, &words(&["a b"])),
            bot_digest(&one, &words(&["bot", "push", "random"])),
            of_house("push", 1, &words(&["bot", "push", "random"])).expect("a house bot"),
            of_house("push", 2, &words(&["bot", "push", "random"])).expect("a house bot"),
            of_house("push", 2, &words(&["bot", "push", "random", "2"])).expect("a house bot"),
        ];
        for (index, bot) in bots.iter().enumerate() {
            assert!(!bots[..index].contains(bot), "number {index}");
        }
        assert_eq!(bots[0], one, "without arguments it is the program");
        assert_eq!(of_house("push", 1, &words(&["bot", "football", "random"])), None);
        assert_eq!(of_house("push", 1, &words(&["play"])), None);
        // printf '%s\\0' house push random 1 | sha256sum
        assert_eq!(bots[7].as_str(), "8974d0e0a5cc780216cd00a327dd06efa3019295eeffb0a0d9e63c871c45fb30");
    }

    #[test]
    fn a_digest_is_64_digits_in_lower_case() {
        let digits = "0123456789abcdef".repeat(4);
        assert_eq!(Digest::parse(&digits).map(|digest| digest.as_str().to_owned()), Some(digits.clone()));
        let wrong =
            [&digits[1..], &(digits.clone() + "0"), &digits.replace('a', "A"), &digits.replace('a', "g"), ""];
        for text in wrong {
            assert_eq!(Digest::parse(text), None, "{text}");
        }
    }

    #[test]
    fn arguments_are_shown_in_one_cell() {
        assert_eq!(shown(&[]), "");
        assert_eq!(shown(&words(&["--level", "3"])), "'--level 3");
        let nasty = shown(&words(&["a,b", "\"c\"", "\u{1b}[2J\n"]));
        assert_eq!(nasty, r#"a,b "c" \u{1b}[2J\u{a}"#);
        for (found, is_due) in [
            (&*nasty, true),
            (r"a;b ;c; \u{1b}[2J\u{a}", true),
            (r#"a;b "c" \u{1b}[2J\u{a}"#, false),
            ("a;b", false),
        ] {
            assert_eq!(is_shown(found, &nasty), is_due, "{found}");
        }
        assert_eq!(shown(&words(&[&"x".repeat(500)])).len(), 203);
    }
}
