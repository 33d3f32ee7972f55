//! The notary of a hill: signs the records, so that the host cannot rewrite them later.
//!
//! `proof/key` is the public key, `proof/checkpoints` has the signed notes, named by their sizes. `proof/private` is
//! for the host alone: it has the private key, and the words that open the commitment to the seed. The signed list has
//! an entry for each game of `results.csv`: its rows, as they are there. The formats and trees are those of
//! [`referee_proof`].

mod checkpoints;
mod receipts;
mod witness;

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use referee_proof::note::{Fault, Signer, Verifier};

pub use self::checkpoints::{Signed, Verified, checkpoint, tiles, verify};
pub use self::receipts::{Receipt, check, of_bot, of_game};
pub use self::witness::{Seen, observe};
use crate::error::{Error, ErrorKind};
use crate::record::Digest;
use crate::record::beneath::Spot;
use crate::rules::Seed;
use crate::tournament::hill::Hill;
use crate::tournament::publish;

/// Maximum length of a notary's file, in bytes.
const FILE_MAX: u64 = 1 << 20;

/// Number of random bytes that are hashed with the seed: without them, a small seed could be guessed.
const SALT: usize = 32;

/// The signer of a hill's records.
#[derive(Debug)]
pub struct Notary {
    signer: Signer,
    /// SHA-256 of the words that open the seed.
    commitment: Digest,
}

fn folder(root: &Path) -> PathBuf {
    root.join("proof")
}

fn private(root: &Path) -> PathBuf {
    folder(root).join("private")
}

fn opened(root: &Path) -> Spot {
    Spot::below(root, "proof/seed")
}

/// Tells whether a hill has a notary.
pub fn is_there(root: &Path) -> bool {
    Spot::below(root, "proof/key").exists()
}

/// Gives a hill a notary: a random key, and a commitment to its seed.
///
/// # Errors
///
/// If it has one already, or the system refuses, or has no random bytes.
pub fn begin(hill: &Hill) -> Result<Verifier, Error> {
    let root = hill.root();
    if is_there(root) {
        return Err(Error::file(&folder(root), "this hill has a notary already"));
    }
    let (secret, salt) = (random()?, random()?);
    // The name says which list is signed. It follows from the key, so no two hills share it.
    let unnamed = Signer::new("referee", &secret).expect("a name without blanks").verifier().to_string();
    let name = format!("referee/hill/{}", &Digest::of(unnamed.as_bytes()).as_str()[..16]);
    let signer = Signer::new(&name, &secret).expect("a name without blanks");
    let opening = opening(&name, hill.seed(), &salt);

    let secrets = private(root);
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&secrets)
        .map_err(Error::system(&secrets, "create the folder"))?;
    write_secret(root, "seed", &opening)?;
    write_secret(root, "key", &(signer.encode() + "\n"))?;
    // Last: with this file the hill has a notary.
    publish::once(Spot::below(root, "proof/key"), format!("{}\n", signer.verifier()).as_bytes())?;
    Ok(signer.verifier())
}

/// Returns the words that open the commitment to a seed.
fn opening(origin: &str, seed: Seed, salt: &[u8; SALT]) -> String {
    let salt: String = salt.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("referee seed 1\n{origin}\n{seed}\n{salt}\n")
}

fn random() -> Result<[u8; 32], Error> {
    use rand::TryRng;
    let mut bytes = [0; 32];
    rand::rngs::SysRng.try_fill_bytes(&mut bytes).map_err(|error| {
        Error::new(ErrorKind::System, format!("the system gives no random bytes: {error}"))
    })?;
    Ok(bytes)
}

fn write_secret(root: &Path, name: &str, text: &str) -> Result<(), Error> {
    let spot = Spot::within(root, private(root).join(name));
    let write = || {
        // A file of an interrupted beginning has signed nothing, so it is replaced.
        match spot.remove() {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = spot.create_private()?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write().map_err(Error::system(spot.path(), "write the file"))
}

/// Reads the public key of a hill.
///
/// # Errors
///
/// If it has none, or the file is no key.
pub fn key(root: &Path) -> Result<Verifier, Error> {
    let spot = Spot::below(root, "proof/key");
    if !spot.exists() {
        // If the folder is no hill, the error says so.
        Hill::open(root)?;
        let what = "this hill has no notary; give it one with `referee hill proof begin`, before the first submission";
        return Err(Error::file(root, what));
    }
    let text = spot.read_text(FILE_MAX).map_err(Error::system(spot.path(), "read the key"))?;
    Verifier::parse(&text).map_err(|fault| Error::file(spot.path(), fault.to_string()))
}

impl Notary {
    /// Opens the notary of a hill, with its private key.
    ///
    /// # Errors
    ///
    /// If the hill has none, or its private files cannot be read, or are not those of `proof/key`.
    pub fn open(root: &Path) -> Result<Notary, Error> {
        let public = key(root)?;
        let secret = |name: &str| -> Result<(PathBuf, String), Error> {
            let path = private(root).join(name);
            let spot = Spot::below(root, Path::new("proof/private").join(name));
            let text =
                spot.read_text(FILE_MAX).map_err(Error::system(&path, "read what is the host's alone"))?;
            Ok((path, text))
        };
        let (path, text) = secret("key")?;
        let signer = Signer::parse(&text).map_err(|fault| Error::file(&path, fault.to_string()))?;
        if signer.verifier() != public {
            return Err(Error::file(&path, "this is not the private key of proof/key"));
        }
        let (_, opening) = secret("seed")?;
        Ok(Notary { signer, commitment: Digest::of(opening.as_bytes()) })
    }
}

/// Publishes and returns the words that open the commitment to a hill's seed. To be called after the last submission.
///
/// # Errors
///
/// If the hill has no notary, or the system refuses.
pub fn open_seed(root: &Path) -> Result<String, Error> {
    key(root)?;
    let path = private(root).join("seed");
    let text = Spot::below(root, "proof/private/seed").read_text(FILE_MAX);
    let text = text.map_err(Error::system(&path, "read what is the host's alone"))?;
    publish::once(opened(root), text.as_bytes())?;
    Ok(text)
}

/// Returns the error of a note that its key has not signed.
fn forged(path: &Path, fault: Fault) -> Error {
    Error::file(path, fault.to_string()).or(ErrorKind::Tampered)
}
