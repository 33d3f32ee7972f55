//! Private keys that people keep for themselves: those of authors, who sign their submissions, and of witnesses, who
//! cosign checkpoints.

use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::proof::cosignature::{Cosigner, CosignerKey};
use crate::proof::note::{Signer, Verifier};
use crate::{FILE_MAX, random};
use referee_files::beneath::Spot;
use referee_record::Digest;
use referee_record::error::Error;

/// A kind of key: whose it is, the command that makes one, and the beginning of its name.
struct Kind {
    whose: &'static str,
    command: &'static str,
    name: &'static str,
}

const AUTHOR: Kind =
    Kind { whose: "an author", command: "referee proof author-key FILE", name: "referee/author/" };

const WITNESS: Kind =
    Kind { whose: "a witness", command: "referee proof witness-key FILE", name: "referee/witness/" };

/// Returns the public key of an author's file. A file that is not there is made, with a random key, for its owner
/// alone.
///
/// # Errors
///
/// If the file is something else, or others can read it, or the system refuses.
pub fn author_key(path: &Path) -> Result<Verifier, Error> {
    AUTHOR.make(path, |name, secret| Signer::new(name, secret).map(|signer| signer.encode()))?;
    author(path).map(|signer| signer.verifier())
}

/// The same for a witness.
///
/// # Errors
///
/// As for [`author_key`].
pub fn witness_key(path: &Path) -> Result<CosignerKey, Error> {
    WITNESS.make(path, |name, secret| Cosigner::new(name, secret).map(|cosigner| cosigner.encode()))?;
    witness(path).map(|cosigner| cosigner.public())
}

/// Reads the private key of an author.
///
/// # Errors
///
/// As for [`author_key`], or if it is not there.
pub(super) fn author(path: &Path) -> Result<Signer, Error> {
    let text = AUTHOR.text(path)?;
    let signer = Signer::parse(&text).ok().filter(|signer| signer.verifier().name().starts_with(AUTHOR.name));
    signer.ok_or_else(|| AUTHOR.wrong(path, &text))
}

/// Reads the private key of a witness.
///
/// # Errors
///
/// As for [`witness_key`], or if it is not there.
pub fn witness(path: &Path) -> Result<Cosigner, Error> {
    let text = WITNESS.text(path)?;
    Cosigner::parse(&text).map_err(|_| WITNESS.wrong(path, &text))
}

impl Kind {
    /// Makes the file, unless it is there.
    fn make<E>(
        &self,
        path: &Path,
        encode: impl FnOnce(&str, &[u8; 32]) -> Result<String, E>,
    ) -> Result<(), Error> {
        let spot = Spot::from(path);
        if spot.exists() {
            return Ok(());
        }
        let secret = random()?;
        // The name is derived from the key, so no two keys share it.
        let unnamed = Signer::new("referee", &secret).expect("a name without blanks").verifier().to_string();
        let name = format!("{}{}", self.name, &Digest::of(unnamed.as_bytes()).as_str()[..16]);
        let Ok(text) = encode(&name, &secret) else { unreachable!("a name without blanks") };
        let write = || {
            let mut file = spot.create_private()?;
            file.write_all((text + "\n").as_bytes())?;
            file.sync_all()
        };
        match write() {
            // Another one was quicker: its key counts.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            written => written.map_err(Error::system(path, "write the key")),
        }
    }

    /// Reads a file that only its owner may read.
    fn text(&self, path: &Path) -> Result<String, Error> {
        let refused = || Error::system(path, "read the key");
        let spot = Spot::from(path);
        if !spot.exists() {
            return Err(Error::file(path, format!("no such file: make a key with `{}`", self.command)));
        }
        let mode = spot.open().and_then(|file| file.metadata()).map_err(refused())?.permissions().mode();
        if mode & 0o077 != 0 {
            let what = format!(
                "other users can read this private key (mode {:03o}): make it private with chmod 600. Somebody who has \
                 read it can sign as you: then begin with a new key",
                mode & 0o777
            );
            return Err(Error::file(path, what));
        }
        spot.read_text(FILE_MAX).map_err(refused())
    }

    /// Says what a file is that has no such key.
    fn wrong(&self, path: &Path, text: &str) -> Error {
        let Kind { whose, command, .. } = self;
        let other = Signer::parse(text).map(|signer| signer.verifier().to_string());
        let other = other.or_else(|_| Cosigner::parse(text).map(|cosigner| cosigner.public().to_string()));
        let is_public = Verifier::parse(text).is_ok() || CosignerKey::parse(text).is_ok();
        let found = match other {
            Ok(other) => format!("this is the key {other}, not one of {}", &whose),
            Err(_) if is_public => "this is a public key, which signs nothing".to_owned(),
            Err(_) => "this is not a private key".to_owned(),
        };
        Error::file(path, format!("{found}: name the private key of {whose}, as `{command}` makes it"))
    }
}
