//! Private keys that people keep for themselves: those of authors, who sign their submissions.

use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::proof::note::{Signer, Verifier};
use crate::{FILE_MAX, random};
use referee_files::beneath::Spot;
use referee_record::Digest;
use referee_record::error::Error;

/// The beginning of the name of an author's key.
const AUTHOR: &str = "referee/author/";

/// Returns the public key of an author's file. A file that is not there is made, with a random key, for its owner alone.
///
/// # Errors
///
/// If the file is something else, or others can read it, or the system refuses.
pub fn author_key(path: &Path) -> Result<Verifier, Error> {
    let spot = Spot::from(path);
    if !spot.exists() {
        let secret = random()?;
        // The name is derived from the key, so no two authors share it.
        let unnamed = Signer::new("referee", &secret).expect("a name without blanks").verifier().to_string();
        let name = format!("{AUTHOR}{}", &Digest::of(unnamed.as_bytes()).as_str()[..16]);
        let signer = Signer::new(&name, &secret).expect("a name without blanks");
        let write = || {
            let mut file = spot.create_private()?;
            file.write_all((signer.encode() + "\n").as_bytes())?;
            file.sync_all()
        };
        match write() {
            // Another one was quicker: its key counts.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            written => written.map_err(Error::system(path, "write the key"))?,
        }
    }
    author(path).map(|signer| signer.verifier())
}

/// Reads the private key of an author.
///
/// # Errors
///
/// As for [`author_key`], or if it is not there.
pub(super) fn author(path: &Path) -> Result<Signer, Error> {
    let refused = || Error::system(path, "read the key");
    let spot = Spot::from(path);
    if !spot.exists() {
        let what = "no such file: make a key with `referee proof author-key FILE`";
        return Err(Error::file(path, what));
    }
    let mode = spot.open().and_then(|file| file.metadata()).map_err(refused())?.permissions().mode();
    if mode & 0o077 != 0 {
        let what = format!(
            "other users can read this private key (mode {:03o}): make it private with chmod 600. Who has read it can \
             sign as you: then submit under another name, with a new key",
            mode & 0o777
        );
        return Err(Error::file(path, what));
    }
    let text = spot.read_text(FILE_MAX).map_err(refused())?;
    let remedy = "name the private key of an author, as `referee proof author-key FILE` makes it";
    let signer = Signer::parse(&text).map_err(|_| match Verifier::parse(&text) {
        Ok(_) => Error::file(path, format!("this is a public key, which signs nothing: {remedy}")),
        Err(_) => Error::file(path, format!("this is not a private key: {remedy}")),
    })?;
    let (public, name) = (signer.verifier(), signer.verifier().name().to_owned());
    if !name.starts_with(AUTHOR) {
        return Err(Error::file(path, format!("this is the key {public}, not one of an author: {remedy}")));
    }
    Ok(signer)
}
