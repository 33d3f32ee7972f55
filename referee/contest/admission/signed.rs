//! The signatures of authors: a bot that its author has signed with a key of his own can be replaced by nobody else.
//! What is signed, and whether a signature is right, is the matter of the part that signs records.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use referee_record::schema::{CellForm, CellKind};

/// The signature of an author on a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorSignature {
    /// The public key: `NAME+NUMBER+KEY`, as for signed notes.
    pub key: String,
    /// The signature in base64, after the number of the key, as in a signed note.
    pub signature: String,
}

/// Number of bytes of a signature with the number of its key.
const SIGNATURE: usize = 4 + 64;

/// Number of bytes of a public key with its type.
const KEY: usize = 1 + 32;

impl AuthorSignature {
    /// Reads the output of [`Display`](fmt::Display). `None` if the text is something else.
    pub fn parse(text: &str) -> Option<AuthorSignature> {
        let (key, signature) = text.split_once(' ')?;
        let mut parts = key.splitn(3, '+');
        let (name, number, public) = (parts.next()?, parts.next()?, parts.next()?);
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/_.-".contains(letter);
        let is_name =
            name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(is_plain);
        let is_number = number.len() == 8 && number.bytes().all(|digit| digit.is_ascii_hexdigit());
        let has = |text: &str, length| STANDARD.decode(text).is_ok_and(|bytes| bytes.len() == length);
        let is_it = is_name && is_number && has(public, KEY) && has(signature, SIGNATURE);
        is_it.then(|| AuthorSignature { key: key.to_owned(), signature: signature.to_owned() })
    }
}

/// `KEY SIGNATURE`.
impl fmt::Display for AuthorSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.key, self.signature)
    }
}

/// The cell of a signature.
#[derive(Clone, Copy, Debug)]
pub(super) struct MaybeSignature;

impl CellKind for MaybeSignature {
    const KIND: &'static str = "key and signature, with a blank between, or empty";
}

impl CellForm<Option<AuthorSignature>> for MaybeSignature {
    fn write(value: &Option<AuthorSignature>, text: &mut String) {
        value.iter().for_each(|signed| *text += &signed.to_string());
    }

    fn read(cell: &str) -> Result<Option<AuthorSignature>, String> {
        if cell.is_empty() {
            return Ok(None);
        }
        let signed = AuthorSignature::parse(cell);
        signed.map(Some).ok_or_else(|| format!("no key and signature of an author: {cell:?}"))
    }
}
