//! Names from strangers: which ones are allowed, and which look like others.
//!
//! A name is shown in a CSV cell, a line of a terminal, an address and a page. So each of its letters is visible at its
//! place, there is only one way to write it (NFC), and its letters are of one script. The rules are those of Unicode
//! for identifiers (UAX 31) and for their security (UTS 39).

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{UnicodeNormalization, is_nfc};
use unicode_security::MixedScript;
use unicode_security::confusable_detection::skeleton;
use unicode_security::mixed_script::AugmentedScriptSet;

use crate::letters::is_foreign_letter;
use crate::text;

/// Maximum length of a bot's name, in letters.
const NAME_MAX: usize = 32;

/// Maximum length of a bot's name, in bytes of UTF-8. A file name has 255 bytes, which leaves much room around it.
const NAME_BYTES_MAX: usize = 96;

/// Maximum length of a game's name, in characters.
const ID_MAX: usize = 64;

/// Maximum part of a wrong text that an error shows, in characters.
const SHOWN: usize = 60;

/// Returns the name if a bot can have it: 1 to 32 letters and digits of one script, `-` and `_`.
///
/// # Errors
///
/// Says what a name is, and which letter does not fit.
pub fn check(name: &str) -> Result<&str, String> {
    // Nearly all names are plain.
    if (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(is_plain) {
        return Ok(name);
    }
    match mistake_in(name) {
        None => Ok(name),
        Some(why) => Err(refusal(NAME_OF_BOT, name, &format!("{RULE}{why}"))),
    }
}

const NAME_OF_BOT: &str = "a name for a bot";

const RULE: &str = "1 to 32 letters, digits, - and _";

/// Words that pandas, R and others read as a missing value, in any case.
const MISSING: [&str; 5] = ["na", "nan", "none", "null", "nil"];

/// Names of devices of Windows, besides COM1 and LPT1 and so on.
const DEVICES: [&str; 4] = ["aux", "con", "nul", "prn"];

/// Tells whether a name is one of these, whatever its case.
fn is_any(name: &str, words: &[&str]) -> bool {
    words.iter().any(|other| name.eq_ignore_ascii_case(other))
}

/// Returns the name of a new bot, composed (NFC). It must be none that a spreadsheet would change, that a reader of
/// tables takes for a missing value, or that a system keeps for a device. Records of earlier versions can have such
/// names.
///
/// # Errors
///
/// Says what a name is, and which letter does not fit.
pub fn check_new(name: &str) -> Result<String, String> {
    let composed = composed(name);
    check(&composed)?;
    if composed.starts_with('-') {
        return Err(refusal(NAME_OF_BOT, name, "it must begin with a letter, a digit or _"));
    }
    if is_changed_by_spreadsheets(&composed) {
        let why = "a spreadsheet would show it as another number or a date: add a letter";
        return Err(refusal(NAME_OF_BOT, name, why));
    }
    if is_any(&composed, &MISSING) {
        return Err(refusal(
            NAME_OF_BOT,
            name,
            "a program that reads a table takes it for a missing value: add a letter",
        ));
    }
    let device = composed.trim_end_matches(|digit: char| digit.is_ascii_digit());
    if is_any(&composed, &DEVICES)
        || composed.len() == 4 && device.len() == 3 && is_any(device, &["com", "lpt"])
    {
        return Err(refusal(NAME_OF_BOT, name, "Windows has no file of this name: add a letter"));
    }
    Ok(composed.into_owned())
}

/// Returns a name in the form that names have here (NFC): a letter with an accent is one letter, even if it came as
/// two, as file names of a Mac do.
pub fn composed(name: &str) -> Cow<'_, str> {
    if name.is_ascii() || is_nfc(name) { Cow::Borrowed(name) } else { Cow::Owned(name.nfc().collect()) }
}

/// How two names can be taken for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alike {
    /// They differ in case alone.
    InCase,
    /// Their letters look the same: of two scripts, or of one, as `l`, `I` and `1`, `O` and `0`, `m` and `rn` do.
    InLooks,
}

/// Returns the form that names have in common that differ in case alone: in large letters, then in small ones, composed
/// (NFC). Letters with several small or large forms become one so.
fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.to_uppercase().to_lowercase().nfc().collect()
}

/// Tells how two different names can be taken for each other, if they can.
pub fn alike(one: &str, other: &str) -> Option<Alike> {
    if one.is_ascii() && other.is_ascii() {
        if one == other || one.eq_ignore_ascii_case(other) {
            return (one != other).then_some(Alike::InCase);
        }
        // Without a copy: a tournament compares each two of its names.
        let is_alike = looks_of_ascii(one, false).eq(looks_of_ascii(other, false))
            || looks_of_ascii(one, true).eq(looks_of_ascii(other, true));
        return is_alike.then_some(Alike::InLooks);
    }
    let [one_folded, other_folded] = [folded(one), folded(other)];
    if one == other {
        return None;
    }
    if one_folded == other_folded {
        return Some(Alike::InCase);
    }
    let looks = |one: &str, other: &str| skeleton(one).eq(skeleton(other));
    let is_alike = looks(one, other) || looks(&one_folded, &other_folded);
    is_alike.then_some(Alike::InLooks)
}

/// Returns in which letters two names differ: those of the one, and those of the other in their place. If they are not
/// of ASCII alone, they are written as their numbers.
pub fn difference(one: &str, other: &str) -> (String, String) {
    let [mut one, mut other]: [Vec<char>; 2] = [one, other].map(|name| name.chars().collect());
    // From both ends, as long as they are the same.
    for _ in 0..2 {
        let same = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
        (one, other) = (one.split_off(same), other.split_off(same));
        one.reverse();
        other.reverse();
    }
    let shown = |letters: Vec<char>| {
        if letters.iter().all(char::is_ascii) {
            return letters.into_iter().collect();
        }
        letters.into_iter().map(numbered).collect::<Vec<String>>().join(" ")
    };
    (shown(one), shown(other))
}

/// Returns the letters that a name of ASCII looks like, in small letters if `is_lower`.
fn looks_of_ascii(name: &str, is_lower: bool) -> impl Iterator<Item = u8> {
    let cased = move |byte: u8| if is_lower { byte.to_ascii_lowercase() } else { byte };
    name.bytes()
        .map(cased)
        .flat_map(|byte| match byte {
            b'0' | b'o' => [b'O', 0],
            b'1' | b'I' => [b'l', 0],
            b'm' => [b'r', b'n'],
            other => [other, 0],
        })
        .filter(|byte| *byte != 0)
}

/// Returns the name of something that is no bot (`what`, such as `an account`) if it can have it: 1 to 32 letters and
/// digits of ASCII, `-` and `_`. It is part of headers, of jobs of clusters and of command lines.
pub fn check_plain<'a>(what: &str, name: &'a str) -> Result<&'a str, String> {
    let fits = (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(is_plain);
    if fits {
        Ok(name)
    } else {
        Err(refusal(&format!("a name for {what}"), name, &format!("{RULE}, of ASCII")))
    }
}

/// Returns a name for a bot, made from the name of its file: a character that no name has becomes `_`.
pub fn tidy(stem: &str) -> String {
    let composed = composed(stem);
    let plain = |c: char| c.is_ascii() && is_plain(c as u8);
    let tidied = |fits: &dyn Fn(char) -> bool| {
        let name = composed.chars().map(|c| if fits(c) { c } else { '_' }).take(NAME_MAX).collect::<String>();
        // A spreadsheet would read a `-` in front as the start of a formula.
        if name.starts_with('-') { name.replacen('-', "_", 1) } else { name }
    };
    let name = tidied(&|c| plain(c) || is_foreign_letter(c));
    let name = if check(&name).is_ok() { name } else { tidied(&plain) };
    if name.is_empty() { "bot".to_owned() } else { name }
}

/// Returns what is wrong with a name, if anything is, as the end of a sentence.
fn mistake_in(name: &str) -> Option<String> {
    let is_fine = |letter: char| letter.is_ascii() && is_plain(letter as u8) || is_foreign_letter(letter);
    if let Some(bad) = name.chars().find(|letter| !is_fine(*letter)) {
        return Some(match bad {
            '!'..='~' => format!("; not {bad}"),
            ' ' => "; not a blank".to_owned(),
            bad => format!("; not {}", numbered(bad)),
        });
    }
    let letters = name.chars().count();
    if letters == 0 || letters > NAME_MAX {
        return Some(String::new());
    }
    if name.len() > NAME_BYTES_MAX {
        return Some(format!(", up to {NAME_BYTES_MAX} bytes; it has {}", name.len()));
    }
    if !is_nfc(name) {
        return Some("; its letters are not composed, as in the form NFC".to_owned());
    }
    let mut visible = text::VisibleLetters::default();
    if let Some(mark) = name.chars().find(|letter| !visible.takes(*letter)) {
        let what =
            "a mark needs a letter before it that is not one of ASCII, and a letter has at most 4 marks";
        return Some(format!("; not {} here: {what}", numbered(mark)));
    }
    if !name.chars().any(|letter| letter.is_alphabetic() && !is_combining_mark(letter)) {
        return Some("; one at least must be a letter".to_owned());
    }
    let is_digit = |letter: &char| letter.is_numeric() && !letter.is_alphabetic();
    let digits: Vec<char> = name.chars().filter(is_digit).collect();
    if let Some(other) = digits.iter().find(|digit| !digit.is_ascii() && digits.iter().any(char::is_ascii)) {
        return Some(format!("; digits of one kind alone, not {} beside others", numbered(*other)));
    }
    if !is_of_one_script(name) {
        return Some("; all letters of one script, such as Latin or Cyrillic".to_owned());
    }
    None
}

/// Returns the number of a letter, and the letter itself if it is visible: `U+0431 (б)`.
fn numbered(letter: char) -> String {
    let shown = if text::is_visible(letter) { format!(" ({letter})") } else { String::new() };
    format!("U+{:04X}{shown}", u32::from(letter))
}

/// Tells whether all letters are of one script, or of the scripts of one language: Japanese, Korean and Chinese are
/// written in several, and with Latin letters between.
fn is_of_one_script(name: &str) -> bool {
    if name.is_single_script() {
        return true;
    }
    let mut others = AugmentedScriptSet::default();
    let latin = AugmentedScriptSet::for_char('a');
    for set in name.chars().map(AugmentedScriptSet::for_char) {
        let mut both = set;
        both.intersect_with(latin);
        if both.is_empty() {
            others.intersect_with(set);
        }
    }
    others.jpan || others.kore || others.hanb
}

/// Tells whether a spreadsheet would read a name as a number, a date, or true or false, and show it otherwise.
fn is_changed_by_spreadsheets(name: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = digits(name) && (name.len() > 15 || name.len() > 1 && name.starts_with('0'))
        || name.contains('-') && name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
        || name.split_once(['e', 'E']).is_some_and(|(before, after)| {
            digits(before) && digits(after.strip_prefix('-').unwrap_or(after))
        });
    is_number || is_date(name) || ["true", "false"].iter().any(|truth| name.eq_ignore_ascii_case(truth))
}

/// Tells whether a spreadsheet would read a date: `Mar1`, `1-mar`, `2月3日`.
fn is_date(name: &str) -> bool {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let lower = name.to_lowercase();
    let month = |word: &str| {
        word == "sept"
            || MONTHS.iter().any(|month| word == *month || word.len() == 3 && month.starts_with(word))
    };
    let number = |word: &str| (1..=4).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
    // Its parts: runs of digits, and of others.
    let mut parts: Vec<&str> = Vec::new();
    for piece in lower.split('-').filter(|piece| !piece.is_empty()) {
        let mut rest = piece;
        while let Some(first) = rest.chars().next() {
            let is_same = |c: char| c.is_ascii_digit() == first.is_ascii_digit();
            let end = rest.find(|c| !is_same(c)).unwrap_or(rest.len());
            parts.push(&rest[..end]);
            rest = &rest[end..];
        }
    }
    let has_any = |is_one: fn(&str) -> bool| parts.iter().any(|part| is_one(part));
    match &parts[..] {
        [one, other] if number(one) && month(other) || month(one) && number(other) => true,
        [day, name, year] if number(day) && month(name) && number(year) => true,
        parts
            if parts.len() > 1
                && has_any(|part| matches!(part, "年" | "月" | "日" | "時" | "时" | "分" | "秒")) =>
        {
            parts.chunks(2).all(|pair| {
                number(pair[0]) && pair.get(1).is_some_and(|unit| "年月日時时分秒".contains(unit))
            })
        }
        _ => false,
    }
}

/// Returns the name if a game can have it: 1 to 64 letters, digits, `-`, `_` and `.`.
pub fn check_id(id: &str) -> Result<&str, String> {
    let fits = (1..=ID_MAX).contains(&id.len()) && id.bytes().all(|byte| is_plain(byte) || byte == b'.');
    if fits {
        Ok(id)
    } else {
        Err(refusal("a name for a game", id, &format!("1 to {ID_MAX} letters, digits, -, _ and .")))
    }
}

/// Makes sure that each character of a row is visible at its place: no control characters, none that hide or reorder
/// others.
pub fn check_text(row: &str) -> Result<(), String> {
    // Nearly all rows are plain. Without an exit in it, the inner loop looks at many bytes at a time.
    let are_plain = |bytes: &[u8]| bytes.iter().fold(true, |all, byte| all & matches!(byte, b' '..=b'~'));
    if row.as_bytes().chunks(64).all(are_plain) {
        return Ok(());
    }
    let mut visible = text::VisibleLetters::default();
    match row.chars().find(|letter| !visible.takes(*letter)) {
        Some(letter) => Err(format!("a character that no record contains: {}", letter.escape_unicode())),
        None => Ok(()),
    }
}

/// Tells whether a byte is a letter or digit of ASCII, `_` or `-`.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Returns the message that a text is not what it should be.
fn refusal(what: &str, text: &str, rule: &str) -> String {
    let start: String = text.chars().take(SHOWN).collect();
    let more = if start.len() < text.len() { "..." } else { "" };
    let quoted = format!("{start:?}");
    format!("not {what}: {}{more} ({rule})", text::visible_line(&quoted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_digits_and_two_signs() {
        assert_eq!(check("Fox_2-b"), Ok("Fox_2-b"));
        assert_eq!(check_id("s001-r00001-t001-g1"), Ok("s001-r00001-t001-g1"));
        for bad in ["", "a/b", "a,b", "\u{9b}", &"x".repeat(65)] {
            assert!(check_id(bad).is_err(), "{bad:?}");
        }
        assert!(check_text("a b").is_ok() && check_text("a\u{9b}b").is_err());
        let shown = check(&"\u{1b}".repeat(10_000)).unwrap_err();
        assert!(shown.len() < 1000 && shown.chars().all(text::is_visible), "{shown}");
        let account = |name| check_plain("an account", name);
        assert!(account("ann").is_ok() && account("安").is_err() && account("").is_err());
    }

    #[test]
    fn a_name_is_of_any_script() {
        let long = ["狐".repeat(32), "𒀀".repeat(24)];
        for good in [
            "北京",
            "上海_2",
            "北京bot",
            "きつねキツネ狐",
            "여우",
            "лиса",
            "Αλεπού",
            "ثعلب",
            "שועל",
            "लोमड़ी",
            "হরিণ",
            "สุนัขจิ้งจอก",
            "မြေခွေး",
            "ჟირაფი",
            "աղվես",
            "ቀበሮ",
            "Füchslein",
            "cáo-đỏ",
            "ẹkùn",
            "ᏥᏍᏚ",
            "أ-1",
            &long[0],
            &long[1],
        ] {
            let good = composed(good);
            assert_eq!(check(&good), Ok(&*good));
            assert_eq!(check_new(&good).as_deref(), Ok(&*good));
            assert_eq!(tidy(&good), *good);
            assert!(check_text(&format!("1,{good},2")).is_ok(), "{good}");
            assert_eq!(text::harmless(&good, 80), *good, "it is shown as it is");
            assert_eq!(text::visible_line(&good), *good);
        }
    }

    #[test]
    fn what_came_in_parts_is_composed() {
        for (came, expected) in [
            ("fu\u{308}chse", "füchse"),
            ("\u{1112}\u{1161}\u{11ab}", "한"),
            ("か\u{3099}", "が"),
            ("\u{212b}ngstrom", "\u{c5}ngstrom"),
            ("fox", "fox"),
        ] {
            assert_eq!(check_new(came).as_deref(), Ok(expected));
            assert_eq!(tidy(came), expected);
            assert_eq!(check(came).is_ok(), came == expected, "a record has the composed form alone");
        }
    }

    #[test]
    fn a_bad_name_is_refused_with_its_letter() {
        let long = [&"x".repeat(33), &"狐".repeat(33), &"𒀀".repeat(25)].map(String::clone);
        for (bad, said) in [
            ("", "1 to 32 letters"),
            ("a b", "not a blank"),
            ("a/b", "not /"),
            ("../fox", "not ."),
            ("=1", "not ="),
            ("@fox", "not @"),
            ("fox,1", "not ,"),
            ("fox\"", "not \""),
            ("<b>", "not <"),
            ("a\u{1b}[2J", "not U+001B"),
            ("fox\n", "not U+000A"),
            ("fox\0", "not U+0000"),
            ("fox\u{7f}", "not U+007F"),
            ("fox\u{85}", "not U+0085"),
            ("fox\u{9b}31m", "not U+009B"),
            ("fox\u{a0}", "not U+00A0"),
            ("fo\u{ad}x", "not U+00AD"),
            ("fox\u{200b}", "not U+200B"),
            ("किला\u{200d}", "not U+200D"),
            ("fo\u{200c}x", "not U+200C"),
            ("\u{202e}xof", "not U+202E"),
            ("\u{2066}fox\u{2069}", "not U+2066"),
            ("\u{feff}fox", "not U+FEFF"),
            ("\u{61c}ثعلب", "not U+061C"),
            ("狐\u{3000}", "not U+3000"),
            ("狐\u{fe0f}", "not U+FE0F"),
            ("狐\u{e0101}", "not U+E0101"),
            ("\u{3164}", "not U+3164"),
            ("여\u{115f}", "not U+115F"),
            ("fox\u{e0041}", "not U+E0041"),
            ("fox\u{e000}", "not U+E000"),
            ("fox\u{378}", "not U+0378"),
            ("ｆｏｘ", "not U+FF46 (ｆ)"),
            ("＝1", "not U+FF1D (＝)"),
            ("ﬁx", "not U+FB01 (ﬁ)"),
            ("fox²", "not U+00B2 (²)"),
            ("𝐟𝐨𝐱", "not U+1D41F (𝐟)"),
            ("🦊", "not U+1F98A (🦊)"),
            ("fox™", "not U+2122 (™)"),
            ("a’b", "not U+2019 (’)"),
            ("a·b", "not U+00B7 (·)"),
            ("fox\u{301}", "not U+0301"),
            ("\u{301}狐", "not U+0301"),
            ("i\u{307}x", "not U+0307"),
            ("ड\u{941}\u{941}\u{941}\u{941}\u{941}", "not U+0941"),
            ("fоx", "letters of one script"),
            ("αβc", "letters of one script"),
            ("лиcа", "letters of one script"),
            ("北京лиса", "letters of one script"),
            ("ثعلبx", "letters of one script"),
            ("٣٤", "one at least must be a letter"),
            ("ثعلب1٢", "digits of one kind"),
            (&long[0], "1 to 32 letters"),
            (&long[1], "1 to 32 letters"),
            (&long[2], "up to 96 bytes; it has 100"),
        ] {
            for refused in [check(bad).map(str::to_owned), check_new(bad)] {
                let refused = refused.expect_err(bad);
                assert!(refused.starts_with("not a name for a bot: "), "{refused}");
                assert!(refused.contains("1 to 32 letters, digits, - and _"), "{refused}");
                assert!(refused.contains(said), "{bad:?}: {refused}");
                let mut visible = text::VisibleLetters::default();
                assert!(refused.chars().all(|letter| visible.takes(letter)), "{refused:?}");
            }
            assert!(check_new(&tidy(bad)).is_ok() || check(&tidy(bad)).is_ok(), "{:?}", tidy(bad));
        }
    }

    #[test]
    fn a_spreadsheet_keeps_a_new_name() {
        for bad in [
            "-fox",
            "00012",
            "1E5",
            "1e-5",
            "12-3",
            "1234567890123456",
            "Mar1",
            "SEPT2",
            "1-mar",
            "jan-2026",
            "1-jan-26",
            "march7",
            "TRUE",
            "false",
            "1月",
            "5月1日",
            "2026年1月1日",
            "10時30分",
        ] {
            assert!(check_new(bad).is_err(), "{bad}");
        }
        for good in
            ["fox", "12", "0", "marble1", "may", "truely", "1月狐", "月", "日本", "e5", "march-fox", "a-1"]
        {
            assert_eq!(check_new(good).as_deref(), Ok(good));
        }
    }

    #[test]
    fn two_names_differ_in_these_letters() {
        for (one, other, own, its) in [
            ("fox1", "foxl", "1", "l"),
            ("learn", "leam", "rn", "m"),
            ("Apple", "apple", "A", "a"),
            ("lIl", "l1l", "I", "1"),
            ("O0Ox", "0O0x", "O0O", "0O0"),
            ("\u{430}pple", "apple", "U+0430 (\u{430})", "a"),
        ] {
            assert_eq!(difference(one, other), (own.to_owned(), its.to_owned()), "{one} {other}");
        }
    }

    #[test]
    fn names_can_look_alike() {
        use Alike::{InCase, InLooks};
        for (one, other, expected) in [
            ("fox", "fox", None),
            ("fox", "Fox", Some(InCase)),
            ("ЛИСА", "лиса", Some(InCase)),
            ("straße", "STRASSE", Some(InCase)),
            ("ΣΑΣ", "σας", Some(InCase)),
            ("сосо", "coco", Some(InLooks)),
            ("СОСО", "coco", Some(InLooks)),
            ("ΟΧ", "OX", Some(InLooks)),
            ("рора", "popa", Some(InLooks)),
            ("ロ", "口", Some(InLooks)),
            ("fox1", "foxl", Some(InLooks)),
            ("lIl", "l1l", Some(InLooks)),
            ("O0O", "OOO", Some(InLooks)),
            ("FOX1", "foxl", Some(InLooks)),
            ("learn", "leam", Some(InLooks)),
            ("bot1", "bot2", None),
            ("bot1", "bot11", None),
            ("im", "irm", None),
            ("füchse", "fuchse", None),
            ("北京", "上海", None),
        ] {
            assert_eq!(alike(one, other), expected, "{one} {other}");
            assert_eq!(alike(other, one), expected, "{other} {one}");
        }
    }
}
