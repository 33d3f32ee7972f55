//! Compiled Java classes: which of them a program begins with. This is read in the sandbox, after the compiler has run.

use std::io::{self, Read};
use std::path::Path;

use referee_files::beneath::Spot;
use referee_files::walk;

/// The word of a command for which the class with `main` is filled in.
pub(crate) const WORD: &str = "{class}";

/// Maximum length of a class file, in bytes.
const CLASS_MAX: u64 = 16 << 20;

/// Finds the class below a folder that a program begins with: the only one with `main`, or, of several, the one with
/// the name `stem`, that of the source file to begin with.
///
/// # Errors
///
/// A message with the class that was looked for, and the classes that were found.
pub(crate) fn main_below(folder: &Path, stem: &str) -> Result<String, String> {
    let mut classes = Vec::new();
    let walked = walk::each_file(&Spot::from(folder), |entry| {
        if entry.path.extension().is_some_and(|ending| ending == "class") {
            let bytes = Spot::within(folder, &entry.path).read(CLASS_MAX);
            classes.extend(bytes.ok().and_then(|bytes| Class::read(&bytes).ok()));
        }
        Ok(())
    });
    walked.map_err(|error| error.to_string())?;
    classes.sort();
    choose(&classes, stem)
}

fn choose(classes: &[Class], stem: &str) -> Result<String, String> {
    const MAIN_CLASS: &str = "a class with `public static void main(String[] args)`";
    let list = |classes: &[&Class]| {
        const SHOWN: usize = 5;
        let names: Vec<&str> = classes.iter().take(SHOWN).map(|class| &*class.name).collect();
        let more = if classes.len() > SHOWN { ", ..." } else { "" };
        format!("{}{more}", names.join(", "))
    };
    let mains: Vec<&Class> = classes.iter().filter(|class| class.has_main).collect();
    let has_stem = |class: &&&Class| {
        let name = class.name.rsplit('.').next().unwrap_or_default();
        !stem.is_empty() && name.eq_ignore_ascii_case(stem)
    };
    match &mains[..] {
        [] => Err(format!(
            "no class to begin with: looked for {MAIN_CLASS} in {}",
            list(&classes.iter().collect::<Vec<_>>())
        )),
        [only] => Ok(only.name.clone()),
        _ => match &mains.iter().filter(has_stem).collect::<Vec<_>>()[..] {
            [only] => Ok(only.name.clone()),
            _ => Err(format!(
                "which class does it begin with? Looked for {MAIN_CLASS}, and found it in {}: keep it in one, or name one \
                 of them Bot, in a file Bot.java at the top",
                list(&mains)
            )),
        },
    }
}

/// A class, as a compiler wrote it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Class {
    /// Its name, with its package.
    name: String,
    /// Whether a program can begin with it.
    has_main: bool,
}

impl Class {
    /// Reads the start of a class file up to its methods.
    ///
    /// Source: *The Java Virtual Machine Specification*, chapter 4.
    fn read(mut bytes: &[u8]) -> io::Result<Class> {
        let from = &mut bytes;
        if number::<4>(from)? != 0xcafe_babe {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let (minor, major) = (number::<2>(from)?, number::<2>(from)?);
        // Texts, and classes as the numbers of their names, by their place in the pool.
        let count = number::<2>(from)? as usize;
        let (mut texts, mut names) = (vec![String::new(); count], vec![0; count]);
        let mut place = 1;
        while place < count {
            match number::<1>(from)? {
                1 => {
                    let length = number::<2>(from)?;
                    texts[place] = String::from_utf8_lossy(&skip(from, length)?).into_owned();
                }
                7 => names[place] = number::<2>(from)? as usize,
                8 | 16 | 19 | 20 => drop(skip(from, 2)?),
                15 => drop(skip(from, 3)?),
                3 | 4 | 9..=12 | 17 | 18 => drop(skip(from, 4)?),
                5 | 6 => {
                    skip(from, 8)?;
                    place += 1;
                }
                _ => return Err(io::ErrorKind::InvalidData.into()),
            }
            place += 1;
        }
        let text = |place: usize| texts.get(place).map_or("", String::as_str);
        skip(from, 2)?;
        let name = names.get(number::<2>(from)? as usize).map(|name| text(*name).replace('/', "."));
        skip(from, 2)?;
        let interfaces = number::<2>(from)?;
        skip(from, 2 * interfaces)?;
        members(from, |_, _, _| ())?;
        // Since Java 25, and as a preview since 21, `main` needs neither `public static` nor arguments.
        let is_free = major >= 69 || major >= 65 && minor == 0xffff;
        let mut has_main = false;
        members(from, |flags, name, kind| {
            let is_public_static = flags & 0x9 == 0x9;
            let is_private = flags & 0x2 != 0;
            has_main |= text(name) == "main"
                && match text(kind) {
                    "([Ljava/lang/String;)V" => is_public_static || is_free && !is_private,
                    "()V" => is_free && !is_private,
                    _ => false,
                };
        })?;
        Ok(Class { name: name.unwrap_or_default(), has_main })
    }
}

/// Reads fields or methods: the flags, name and type of each.
fn members(from: &mut &[u8], mut visit: impl FnMut(u64, usize, usize)) -> io::Result<()> {
    for _ in 0..number::<2>(from)? {
        visit(number::<2>(from)?, number::<2>(from)? as usize, number::<2>(from)? as usize);
        for _ in 0..number::<2>(from)? {
            skip(from, 2)?;
            let length = number::<4>(from)?;
            skip(from, length)?;
        }
    }
    Ok(())
}

fn number<const BYTES: usize>(from: &mut &[u8]) -> io::Result<u64> {
    let mut bytes = [0; BYTES];
    from.read_exact(&mut bytes)?;
    Ok(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

fn skip(from: &mut &[u8], count: u64) -> io::Result<Vec<u8>> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let (skipped, rest) = from.split_at_checked(count).ok_or(io::ErrorKind::UnexpectedEof)?;
    *from = rest;
    Ok(skipped.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a class file with one field and one method.
    fn compiled(name: &str, major: u8, flags: u8, method: &str, kind: &str) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, major, 0, 8];
        let text = |text: &str| [&[1, 0, text.len() as u8][..], text.as_bytes()].concat();
        bytes.extend([text(name), vec![7, 0, 1], text(method), text(kind), vec![5; 9], text("x")].concat());
        // Itself, no parent, no interface; a field with an attribute of three bytes; the method.
        bytes.extend([0, 0x21, 0, 2, 0, 0, 0, 0]);
        bytes.extend([0, 1, 0, 0, 0, 7, 0, 7, 0, 1, 0, 7, 0, 0, 0, 3, 9, 9, 9]);
        bytes.extend([0, 1, 0, flags, 0, 3, 0, 4, 0, 0]);
        bytes
    }

    #[test]
    fn a_class_says_whether_a_program_begins_with_it() {
        const WORDS: &str = "([Ljava/lang/String;)V";
        for (major, flags, method, kind, expected) in [
            (61, 0x9, "main", WORDS, true),
            (61, 0x89, "main", WORDS, true),
            (61, 0x8, "main", WORDS, false),
            (61, 0x1, "main", WORDS, false),
            (61, 0x9, "main", "()V", false),
            (61, 0x9, "mains", WORDS, false),
            (69, 0x0, "main", "()V", true),
            (69, 0x2, "main", "()V", false),
        ] {
            let class = Class::read(&compiled("team/one/Player", major, flags, method, kind)).unwrap();
            assert_eq!(
                class,
                Class { name: "team.one.Player".to_owned(), has_main: expected },
                "{major} {method}"
            );
        }
        let whole = compiled("A", 61, 9, "main", WORDS);
        for end in 0..whole.len() {
            assert!(Class::read(&whole[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn the_class_with_main_is_found_whatever_its_file_is_called() {
        let class = |name: &str| {
            let (name, has_main) = name.strip_prefix('*').map_or((name, false), |name| (name, true));
            Class { name: name.to_owned(), has_main }
        };
        let found =
            |names: &[&str], stem| choose(&names.iter().map(|name| class(name)).collect::<Vec<_>>(), stem);
        assert_eq!(found(&["*team.one.Player"], "Player").unwrap(), "team.one.Player");
        assert_eq!(found(&["Bot", "*MyBot"], "Bot").unwrap(), "MyBot");
        assert_eq!(found(&["*a.Trainer", "*a.Player", "Map"], "player").unwrap(), "a.Player");
        let why = found(&["A", "B"], "A").unwrap_err();
        assert!(why.ends_with("main(String[] args)` in A, B"), "{why}");
        for (names, stem) in [(["*A", "*B"], ""), (["*a.Bot", "*b.Bot"], "Bot")] {
            let why = found(&names, stem).unwrap_err();
            assert!(why.contains(&names.join(", ").replace('*', "")), "{why}");
        }
    }
}
