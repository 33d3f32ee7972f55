//! Cosignatures: the statement of a witness, with its own clock and key, that a checkpoint continues all that it has
//! seen of the list.
//!
//! A cosignature is a signature below a note, of keys with the type 4. It contains the time, in seconds since 1970, in
//! eight bytes, and the signature of a text: `cosignature/v1`, `time SECONDS`, and the text of the note.
//!
//! Source: C2SP `tlog-cosignature`, version 1, with Ed25519.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};

use crate::proof::note::{self, Fault, PRIVATE};

/// The type of a key: Ed25519 cosignatures.
const COSIGNATURE: u8 = 4;

/// The private key of a witness, with its name.
pub struct Cosigner {
    name: String,
    key: SigningKey,
}

/// The public key of a witness, with its name.
#[derive(Clone, PartialEq, Eq)]
pub struct CosignerKey {
    name: String,
    key: VerifyingKey,
}

/// Returns the text that is signed.
fn text_at(seconds: u64, text: &str) -> String {
    format!("cosignature/v1\ntime {seconds}\n{text}")
}

impl Cosigner {
    /// Makes a key of this name from 32 random bytes.
    ///
    /// # Errors
    ///
    /// [`Fault::Name`].
    pub fn new(name: &str, secret: &[u8; 32]) -> Result<Cosigner, Fault> {
        note::check_name(name)?;
        Ok(Cosigner { name: name.to_owned(), key: SigningKey::from_bytes(secret) })
    }

    /// Reads the output of [`encode`](Cosigner::encode).
    ///
    /// # Errors
    ///
    /// [`Fault::Key`] or [`Fault::Name`].
    pub fn parse(text: &str) -> Result<Cosigner, Fault> {
        let rest = text.strip_prefix(PRIVATE).ok_or(Fault::Key)?;
        let public = |secret: &[u8; 32]| SigningKey::from_bytes(secret).verifying_key().to_bytes();
        let (name, secret) = note::read_key(COSIGNATURE, rest, public)?;
        Cosigner::new(name, &secret)
    }

    /// Returns the key as a line of text. Keep it secret.
    pub fn encode(&self) -> String {
        let public = self.key.verifying_key().to_bytes();
        format!("{PRIVATE}{}", note::key_text(COSIGNATURE, &self.name, &public, self.key.as_bytes()))
    }

    /// Returns the public key.
    pub fn public(&self) -> CosignerKey {
        CosignerKey { name: self.name.clone(), key: self.key.verifying_key() }
    }

    /// Adds a cosignature to a note, made at a time in seconds since 1970. The caller has made sure that the note
    /// continues all that this witness has cosigned.
    ///
    /// # Errors
    ///
    /// [`Fault::Form`] if it is not a note, or has as many signatures as a note can have.
    pub fn cosign(&self, note: &str, seconds: u64) -> Result<String, Fault> {
        let (text, _) = note::take_apart(note)?;
        let signature = self.key.sign(text_at(seconds, text).as_bytes()).to_bytes();
        let bytes = [&self.public().number()[..], &seconds.to_be_bytes(), &signature].concat();
        let line = note::with_signature("", &self.name, &STANDARD.encode(bytes));
        let cosigned = format!("{note}{}", line.trim_start());
        note::take_apart(&cosigned).map(|_| cosigned.clone())
    }
}

/// The secret is not shown.
impl fmt::Debug for Cosigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cosigner").field("name", &self.name).finish_non_exhaustive()
    }
}

impl CosignerKey {
    /// Reads the output of [`Display`](fmt::Display): `NAME+NUMBER+KEY`.
    ///
    /// # Errors
    ///
    /// [`Fault::Key`] or [`Fault::Name`].
    pub fn parse(text: &str) -> Result<CosignerKey, Fault> {
        let (name, bytes) = note::read_key(COSIGNATURE, text, |key| *key)?;
        Ok(CosignerKey { name: name.to_owned(), key: note::public_key(&bytes)? })
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn number(&self) -> [u8; 4] {
        note::number(COSIGNATURE, &self.name, &self.key.to_bytes())
    }

    /// Returns when this witness has cosigned a note first, in seconds since 1970; `None` if it has not.
    ///
    /// # Errors
    ///
    /// [`Fault::Form`] if it is not a note, or [`Fault::Forged`].
    pub fn time_of(&self, note: &str) -> Result<Option<u64>, Fault> {
        let (text, signatures) = note::signatures_of(note, &self.name, self.number())?;
        let mut first = None;
        for bytes in &signatures {
            let (seconds, signature) = bytes.split_first_chunk().ok_or(Fault::Forged)?;
            let seconds = u64::from_be_bytes(*seconds);
            if i64::try_from(seconds).is_err() {
                return Err(Fault::Forged);
            }
            note::check(&self.key, text_at(seconds, text).as_bytes(), signature)?;
            first = Some(first.map_or(seconds, |before: u64| before.min(seconds)));
        }
        Ok(first)
    }
}

/// `NAME+NUMBER+KEY`: the key as it is published.
impl fmt::Display for CosignerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key.to_bytes();
        f.write_str(&note::key_text(COSIGNATURE, &self.name, &key, &key))
    }
}

impl fmt::Debug for CosignerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CosignerKey({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::note::{Signer, Verifier};

    fn witness() -> Cosigner {
        Cosigner::new("witness.example/w1", &[5; 32]).expect("a key")
    }

    #[test]
    fn a_cosigned_note_is_opened_by_both_keys_and_says_when() {
        let host = Signer::new("example/hill", &[7; 32]).expect("a key");
        let note = host.sign("example/hill\n3\nroot\n");
        let key = witness().public();
        assert_eq!(key.time_of(&note), Ok(None));
        let twice = witness().cosign(&witness().cosign(&note, 1_700_000_000).expect("a note"), 1_600_000_000);
        let twice = twice.expect("a note");
        assert!(twice.starts_with(&note));
        assert_eq!(key.time_of(&twice), Ok(Some(1_600_000_000)), "the first time");
        assert_eq!(host.verifier().open(&twice), Ok("example/hill\n3\nroot\n"));
        // Any change of the text or of the time, which is in the signature.
        assert_eq!(key.time_of(&twice.replace("\n3\n", "\n4\n")), Err(Fault::Forged));
        let line = twice.lines().last().expect("a line");
        let mut bytes = STANDARD.decode(line.rsplit(' ').next().expect("base64")).expect("base64");
        for at in 4..bytes.len() {
            bytes[at] ^= 1;
            let forged = note::with_signature("", "witness.example/w1", &STANDARD.encode(&bytes));
            assert_eq!(key.time_of(&format!("{note}{}", forged.trim_start())), Err(Fault::Forged), "{at}");
            bytes[at] ^= 1;
        }
        let short = note::with_signature("", "witness.example/w1", &STANDARD.encode(&bytes[..9]));
        assert_eq!(key.time_of(&format!("{note}{}", short.trim_start())), Err(Fault::Forged));
    }

    #[test]
    fn keys_of_witnesses_are_no_keys_of_notes() {
        let witness = witness();
        let public = witness.public();
        assert_eq!(Cosigner::parse(&(witness.encode() + "\n")).expect("a key").encode(), witness.encode());
        assert_eq!(CosignerKey::parse(&public.to_string()), Ok(public.clone()));
        assert!(Verifier::parse(&public.to_string()).is_err() && Signer::parse(&witness.encode()).is_err());
        let host = Signer::new("witness.example/w1", &[5; 32]).expect("the same secret");
        assert!(CosignerKey::parse(&host.verifier().to_string()).is_err());
        // A plain signature with the same secret is no cosignature.
        let note = host.sign("text\n");
        assert_eq!(public.time_of(&note), Ok(None));
        assert!(!format!("{witness:?}").contains(&STANDARD.encode([5; 32])));
    }

    #[test]
    fn the_example_of_the_specification_has_its_time() {
        let note = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n\
                    \u{2014} witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b\
                    2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n";
        // Its number is that of the key, which is not in the specification.
        let number = [0x8d, 0x66, 0xcf, 0x3f];
        let (_, signatures) = note::signatures_of(note, "witness.example.com/w1", number).expect("a note");
        assert_eq!(signatures[0].len(), 8 + 64);
        assert_eq!(signatures[0][..8], 1_679_315_147u64.to_be_bytes());
    }
}
