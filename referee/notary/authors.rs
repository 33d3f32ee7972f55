//! The signatures of authors on their submissions: what is signed, and whether it is what the records say.
//!
//! The text names the list of the hill and its beginning, the bot, the number of the submission, the program and its
//! arguments. So a signature is worth nothing on another hill, for another program, or again for a later submission.

use std::path::{Path, PathBuf};

use crate::keys::Keys;
use crate::proof::note::{self, Signer, Verifier};
use crate::proof::tree::Hash;
use crate::{beginning, key, own_keys};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use referee_contest::admission::entrants::{Entrants, Event};
use referee_contest::admission::signed::AuthorSignature;
use referee_contest::admission::submission::SignsSubmission;
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};

/// The first line of the text that an author signs.
const HEADING: &str = "referee submission, signed by its author";

/// Returns the text that an author signs.
fn text(origin: &str, beginning: &Hash, event: &Event) -> String {
    let Event { name, version, digest, arguments, .. } = event;
    let beginning = beginning::word(beginning);
    format!("{HEADING}\n{origin}\n{beginning}\n{name} {version}\n{digest}\narguments: {arguments}\n")
}

/// Signs a text.
fn signature(signer: &Signer, text: &str) -> AuthorSignature {
    let note = signer.sign(text);
    let signature = note.trim_end().rsplit(' ').next().unwrap_or_default().to_owned();
    AuthorSignature { key: signer.verifier().to_string(), signature }
}

/// Tells whether a signature is one on this text.
fn is_of(signed: &AuthorSignature, text: &str) -> bool {
    let Ok(key) = Verifier::parse(&signed.key) else { return false };
    let note = note::with_signature(text, key.name(), &signed.signature);
    key.to_string() == signed.key && key.open(&note) == Ok(text)
}

/// The private key of an author, which is at hand.
#[derive(Debug)]
pub struct OwnKey(PathBuf, Signer);

impl OwnKey {
    /// Reads the private key of an author.
    ///
    /// # Errors
    ///
    /// If it is not there or something else, or others can read it.
    pub fn read(path: &Path) -> Result<OwnKey, Error> {
        own_keys::author(path).map(|signer| OwnKey(path.to_owned(), signer))
    }

    /// Signs a submission of a program without arguments to a hill on a server. `fetch` returns a file of its list by
    /// the path below `proof`. Returns the number of the submission, too.
    ///
    /// # Errors
    ///
    /// Those of `fetch`, or if the hill is not signed as it says.
    pub fn sign_served(
        &self,
        fetch: &dyn Fn(&str) -> Result<Vec<u8>, Error>,
        name: &str,
        digest: &Digest,
    ) -> Result<(String, u32, AuthorSignature), Error> {
        let read = |path: &str| {
            String::from_utf8(fetch(path)?).map_err(|_| Error::input(format!("{path}: this is not text")))
        };
        let keys = Keys::of_texts(&read("key")?, &read("rotations")?)?;
        let checkpoint = keys.checkpoint(&read("checkpoint")?)?;
        let beginning =
            checkpoint.value("beginning").and_then(|told| STANDARD.decode(told).ok()?.try_into().ok());
        let beginning = beginning.ok_or_else(|| Error::input("checkpoint: it names no beginning"))?;
        let next = read(&format!("next-{name}"))?;
        let version = next.trim_end().parse();
        let version =
            version.map_err(|_| Error::input(format!("next-{name}: not the number of a submission")))?;
        let event = Event {
            name: name.to_owned(),
            version,
            digest: digest.clone(),
            ..referee_record::schema::Columns::blank()
        };
        let signed = signature(&self.1, &text(keys.origin(), &beginning, &event));
        Ok((keys.origin().to_owned(), version, signed))
    }
}

impl SignsSubmission for OwnKey {
    fn sign(&self, root: &Path, event: &Event) -> Result<AuthorSignature, Error> {
        Ok(signature(&self.1, &text_on(root, event).map_err(|error| error.at(&self.0))?))
    }
}

/// A signature that an author has made elsewhere.
#[derive(Debug)]
pub struct SignedElsewhere(pub AuthorSignature);

impl SignsSubmission for SignedElsewhere {
    fn sign(&self, root: &Path, event: &Event) -> Result<AuthorSignature, Error> {
        let SignedElsewhere(signed) = self;
        if is_of(signed, &text_on(root, event)?) {
            return Ok(signed.clone());
        }
        let of = |version| text_on(root, &Event { version, ..event.clone() });
        for version in 1..event.version {
            if is_of(signed, &of(version)?) {
                return Err(Error::input(format!(
                    "the signature is for version {version} of {}, which was submitted before: this is version {}. Sign \
                     the submission again",
                    event.name, event.version
                )));
            }
        }
        Err(Error::input(format!(
            "the signature is not one by {} on version {} of {} with the program {} for this hill: sign what you submit",
            signed.key, event.version, event.name, event.digest
        )))
    }
}

/// Returns the text to sign for a submission to the hill in a folder.
fn text_on(root: &Path, event: &Event) -> Result<String, Error> {
    let key = key(root)?;
    Ok(text(key.name(), &beginning::leaf(root)?, event))
}

/// Makes sure that each submission that is signed by its author is the one that the author has signed. Returns the
/// number of those.
///
/// # Errors
///
/// Names the first that is not.
pub(super) fn check(root: &Path, origin: &str) -> Result<usize, Error> {
    if crate::is_tournament(root) {
        return Ok(0);
    }
    let (entrants, beginning) = (Entrants::read(root)?, beginning::leaf(root)?);
    let mut count = 0;
    for event in entrants.submissions() {
        let Some(signed) = &event.signed else { continue };
        if !is_of(signed, &text(origin, &beginning, event)) {
            let Event { name, version, digest, .. } = event;
            let what = format!(
                "the author's signature is not one on {name} version {version} with the program {digest} for this hill: \
                 the row was changed, or the signature is that of another submission"
            );
            return Err(Error::file(&root.join("entrants.csv"), what).or(ErrorKind::Tampered));
        }
        count += 1;
    }
    Ok(count)
}

/// Tells whether a submission to a hill is signed by its author.
///
/// # Errors
///
/// If the history cannot be read.
pub fn has_signed(root: &Path) -> Result<bool, Error> {
    Ok(!crate::is_tournament(root) && Entrants::read(root)?.submissions().any(|event| event.signed.is_some()))
}
