//! Signed notes: a text that people can read, with signatures below it.
//!
//! A note is a text whose last line ends with a newline, an empty line, and a line for each signature:
//! `— NAME BASE64`, where BASE64 is the number of the key (the standard's key ID, four bytes) and the signature of the
//! text. Keys are Ed25519.
//!
//! Source: C2SP `signed-note`, version 1.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};

/// The type of a key and its signatures: Ed25519.
const ED25519: u8 = 1;

/// The beginning of a line with a signature: an em dash and a blank.
const DASH: &str = "\u{2014} ";

/// Maximum length of a note, in bytes.
const NOTE_MAX: usize = 1 << 20;

/// Maximum number of signatures of a note.
const SIGNATURES_MAX: usize = 100;

/// A public key, with its name.
#[derive(Clone, PartialEq, Eq)]
pub struct Verifier {
    name: String,
    key: VerifyingKey,
}

/// A private key, with its name.
pub struct Signer {
    name: String,
    key: SigningKey,
}

/// What is wrong with a key or a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The name of a key is empty, or contains a blank, a plus sign or a control character.
    Name,
    /// A text is not a key.
    Key,
    /// A text is not a signed note.
    Form,
    /// The note has no signature of this key.
    Unsigned,
    /// The note has a signature with name and number of this key that is not by the key, or not for this text.
    Forged,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Name => {
                "the name of a key must not be empty, nor contain blanks, plus signs or control characters"
            }
            Fault::Key => "this is not an Ed25519 key for signed notes",
            Fault::Form => "this is not a complete signed note: restore it from a copy",
            Fault::Unsigned => "the note is not signed by this key",
            Fault::Forged => "the signature is not by this key, or not for this text",
        })
    }
}

impl std::error::Error for Fault {}

/// Returns the number of a key, the start of a hash. It precedes the signatures of the key.
fn key_number(name: &str, public: &[u8; 32]) -> [u8; 4] {
    let mut hash = Sha256::new();
    hash.update(name.as_bytes());
    hash.update([b'\n', ED25519]);
    hash.update(public);
    let digest: [u8; 32] = hash.finalize().into();
    [digest[0], digest[1], digest[2], digest[3]]
}

fn check_name(name: &str) -> Result<(), Fault> {
    let is_wrong = |letter: char| letter.is_whitespace() || letter.is_control() || letter == '+';
    if name.is_empty() || name.contains(is_wrong) { Err(Fault::Name) } else { Ok(()) }
}

fn hex(bytes: [u8; 4]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the text of a public or private key: `NAME+NUMBER+KEY`.
fn key_text(name: &str, public: &[u8; 32], key: &[u8; 32]) -> String {
    format!("{name}+{}+{}", hex(key_number(name, public)), STANDARD.encode([&[ED25519][..], key].concat()))
}

/// Reads the text of a key. `public` makes the public key of the 32 bytes that the text has.
fn read_key(text: &str, public: impl FnOnce(&[u8; 32]) -> [u8; 32]) -> Result<(&str, [u8; 32]), Fault> {
    // Base64 may contain plus signs, a name and a number cannot.
    let mut parts = text.trim_end().splitn(3, '+');
    let (Some(name), Some(number), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(Fault::Key);
    };
    check_name(name)?;
    let bytes = STANDARD.decode(key).map_err(|_| Fault::Key)?;
    let Some((algorithm, key)) = bytes.split_first() else { return Err(Fault::Key) };
    let key: [u8; 32] = key.try_into().map_err(|_| Fault::Key)?;
    if *algorithm != ED25519 || hex(key_number(name, &public(&key))) != number {
        return Err(Fault::Key);
    }
    Ok((name, key))
}

/// What precedes a private key.
const PRIVATE: &str = "PRIVATE+KEY+";

impl Signer {
    /// Makes a key of this name from 32 random bytes.
    ///
    /// # Errors
    ///
    /// [`Fault::Name`].
    pub fn new(name: &str, secret: &[u8; 32]) -> Result<Signer, Fault> {
        check_name(name)?;
        Ok(Signer { name: name.to_owned(), key: SigningKey::from_bytes(secret) })
    }

    /// Reads the output of [`encode`](Signer::encode).
    ///
    /// # Errors
    ///
    /// [`Fault::Key`] or [`Fault::Name`].
    pub fn parse(text: &str) -> Result<Signer, Fault> {
        let rest = text.strip_prefix(PRIVATE).ok_or(Fault::Key)?;
        let public = |secret: &[u8; 32]| SigningKey::from_bytes(secret).verifying_key().to_bytes();
        let (name, secret) = read_key(rest, public)?;
        Signer::new(name, &secret)
    }

    /// Returns the key as a line of text. Keep it secret.
    pub fn encode(&self) -> String {
        format!("{PRIVATE}{}", key_text(&self.name, &self.public(), self.key.as_bytes()))
    }

    /// Returns the public key.
    pub fn verifier(&self) -> Verifier {
        Verifier { name: self.name.clone(), key: self.key.verifying_key() }
    }

    /// Signs a text, and returns the note.
    ///
    /// # Panics
    ///
    /// Panics unless the text has at least one line, ends with a newline, and has no other control characters.
    pub fn sign(&self, text: &str) -> String {
        assert!(is_text(text), "a note is lines of plain text");
        let signature = self.key.sign(text.as_bytes()).to_bytes();
        let encoded = STANDARD.encode([&key_number(&self.name, &self.public())[..], &signature].concat());
        format!("{text}\n{DASH}{} {encoded}\n", self.name)
    }

    fn public(&self) -> [u8; 32] {
        self.key.verifying_key().to_bytes()
    }
}

/// The secret is not shown.
impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Verifier {
    /// Reads the output of [`Display`](fmt::Display): `NAME+NUMBER+KEY`.
    ///
    /// # Errors
    ///
    /// [`Fault::Key`] or [`Fault::Name`].
    pub fn parse(text: &str) -> Result<Verifier, Fault> {
        let (name, bytes) = read_key(text, |key| *key)?;
        let key = VerifyingKey::from_bytes(&bytes).map_err(|_| Fault::Key)?;
        // The signatures of a weak key prove nothing.
        if key.is_weak() { Err(Fault::Key) } else { Ok(Verifier { name: name.to_owned(), key }) }
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text of a note that this key has signed. Signatures of other keys are ignored.
    ///
    /// # Errors
    ///
    /// [`Fault::Form`], [`Fault::Unsigned`] or [`Fault::Forged`].
    pub fn open<'a>(&self, note: &'a str) -> Result<&'a str, Fault> {
        let (text, lines) = take_apart(note)?;
        let own_number = key_number(&self.name, &self.key.to_bytes());
        let mut is_signed = false;
        for line in lines.lines() {
            let (name, encoded) =
                line.strip_prefix(DASH).and_then(|line| line.split_once(' ')).ok_or(Fault::Form)?;
            check_name(name).map_err(|_| Fault::Form)?;
            let bytes = STANDARD.decode(encoded).map_err(|_| Fault::Form)?;
            let Some((number, signature)) = bytes.split_at_checked(4) else { return Err(Fault::Form) };
            if name == self.name && number == own_number {
                let signature = Signature::from_slice(signature).map_err(|_| Fault::Forged)?;
                self.key.verify_strict(text.as_bytes(), &signature).map_err(|_| Fault::Forged)?;
                is_signed = true;
            }
        }
        if is_signed { Ok(text) } else { Err(Fault::Unsigned) }
    }
}

/// `NAME+NUMBER+KEY`: the key as it is published.
impl fmt::Display for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key.to_bytes();
        f.write_str(&key_text(&self.name, &key, &key))
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Verifier({self})")
    }
}

/// Lists the names below a note, whether they have signed it or not. `None` if it is not a whole note.
pub fn names(note: &str) -> Option<Vec<&str>> {
    let (_, signatures) = take_apart(note).ok()?;
    signatures.lines().map(|line| Some(line.strip_prefix(DASH)?.split_once(' ')?.0)).collect()
}

/// Splits a note into its text and the lines of its signatures.
fn take_apart(note: &str) -> Result<(&str, &str), Fault> {
    if note.len() > NOTE_MAX {
        return Err(Fault::Form);
    }
    // The last empty line: the text can contain empty lines, signatures cannot.
    let at = note.rfind("\n\n").ok_or(Fault::Form)?;
    let (text, signatures) = (&note[..=at], &note[at + 2..]);
    let count = signatures.lines().count();
    let is_whole = is_text(text) && signatures.ends_with('\n') && (1..=SIGNATURES_MAX).contains(&count);
    if is_whole { Ok((text, signatures)) } else { Err(Fault::Form) }
}

fn is_text(text: &str) -> bool {
    text.ends_with('\n')
        && text.len() > 1
        && !text.chars().any(|letter| letter.is_control() && letter != '\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of Go's package `golang.org/x/mod/sumdb/note`, whose keys and note are facts.
    const PETER: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    const WORDS: &str = "If you think cryptography is the answer to your problem,\n\
                         then you don't know what your problem is.\n";
    const SIGNED: &str = "\u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

    fn signer() -> Signer {
        Signer::new("hill.example/fox", &[7; 32]).expect("a key")
    }

    #[test]
    fn a_note_of_another_program_is_opened() {
        let peter = Verifier::parse(PETER).expect("a key");
        assert_eq!(peter.to_string(), PETER);
        let note = format!("{WORDS}\n{SIGNED}");
        assert_eq!(peter.open(&note), Ok(WORDS));
        assert_eq!(peter.open(&note.replace("problem,", "problem;")), Err(Fault::Forged));
    }

    #[test]
    fn what_was_signed_is_opened_and_nothing_else_is() {
        let (signer, other) = (signer(), Signer::new("hill.example/fox", &[8; 32]).expect("a key"));
        let note = signer.sign("one\n\ntwo\n");
        assert_eq!(signer.verifier().open(&note), Ok("one\n\ntwo\n"));
        assert_eq!(other.verifier().open(&note), Err(Fault::Unsigned));
        let changes = note.char_indices().filter(|(at, _)| note[..*at].matches('\n').count() < 5);
        for (at, letter) in changes {
            let mut changed = note.clone();
            changed.replace_range(at..at + letter.len_utf8(), if letter == 'A' { "B" } else { "A" });
            assert!(signer.verifier().open(&changed).is_err(), "{changed}");
        }
    }

    #[test]
    fn a_note_of_two_signers_is_opened_by_each() {
        let (one, two) = (signer(), Signer::new("witness", &[9; 32]).expect("a key"));
        let signature = two.sign("text\n").trim_start_matches("text\n\n").to_owned();
        let both = one.sign("text\n") + &signature;
        assert_eq!(one.verifier().open(&both), Ok("text\n"));
        assert_eq!(two.verifier().open(&both), Ok("text\n"));
    }

    #[test]
    fn keys_are_read_as_they_are_written() {
        let signer = signer();
        let read = Signer::parse(&(signer.encode() + "\n")).expect("a key");
        assert_eq!(read.encode(), signer.encode());
        assert_eq!(Verifier::parse(&signer.verifier().to_string()), Ok(signer.verifier()));
        assert!(!format!("{signer:?}").contains(&STANDARD.encode([7; 32])));
        for wrong in
            ["", "fox", "fox+00000000+AQ==", "PRIVATE+KEY+fox+00000000+AQ==", "a b+00000000+", &PETER[1..]]
        {
            assert!(Verifier::parse(wrong).is_err() && Signer::parse(wrong).is_err(), "{wrong}");
        }
        let weak = [0; 32];
        assert_eq!(Verifier::parse(&key_text("fox", &weak, &weak)), Err(Fault::Key));
        for name in ["", "a b", "a+b", "a\nb"] {
            assert_eq!(Signer::new(name, &[1; 32]).err(), Some(Fault::Name), "{name:?}");
        }
    }

    #[test]
    fn what_is_no_note_is_refused() {
        let verifier = signer().verifier();
        let good = signer().sign("text\n");
        let wrong = [
            "",
            "text\n",
            "text\n\n",
            "\n\n",
            &good[..good.len() - 1],
            &good.replace('\u{2014}', "-"),
            "a\r\n\nb\n",
        ];
        for note in wrong {
            assert_eq!(verifier.open(note), Err(Fault::Form), "{note:?}");
        }
        let line = good.lines().last().expect("a line").to_owned() + "\n";
        assert_eq!(verifier.open(&format!("text\n\n{}", line.repeat(101))), Err(Fault::Form));
    }
}
