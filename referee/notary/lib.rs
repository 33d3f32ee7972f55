//! The notary of a hill or a tournament: signs the records, so that the host cannot rewrite them later.
//!
//! `proof/key` is the public key. `proof/beginning` commits to the seed and the settings: the first entry of the signed
//! list, which the module `list` reads. `proof/checkpoints` contains the signed notes, named by their sizes.
//! `proof/private` is for the host alone: it contains the private key, and the words that open the commitment. The
//! formats and trees are those of [`proof`].
//!
//! A note is signed, and an entry is proved to be in a growing list:
//!
//! ```
//! use referee_notary::proof::note::{Fault, Signer};
//! use referee_notary::proof::tree;
//!
//! // The secret is 32 random bytes. Everybody gets the verifier.
//! let signer = Signer::new("example/hill", &[7; 32])?;
//! let verifier = signer.verifier();
//! let note = signer.sign("three games were played\n");
//! assert_eq!(verifier.open(&note)?, "three games were played\n");
//! assert_eq!(verifier.open(&note.replace("three", "four")), Err(Fault::Forged));
//!
//! let leaves = ["game 1", "game 2", "game 3"].map(|entry| tree::leaf(entry.as_bytes()));
//! let root = tree::root(&leaves);
//! let proof = tree::inclusion(&leaves, 1).expect("an entry of the list");
//! assert_eq!(tree::root_by_inclusion(&leaves[1], 1, 3, &proof), Some(root));
//!
//! // The list of three begins with the list of two.
//! let before = tree::root(&leaves[..2]);
//! let proof = tree::consistency(&leaves, 2).expect("a shorter list");
//! assert!(tree::is_consistent((2, &before), (3, &root), &proof));
//! # Ok::<(), Fault>(())
//! ```

#![forbid(unsafe_code)]

mod beginning;
mod checkpoints;
mod keys;
mod list;
mod list_cache;
pub mod proof;
mod receipts;
mod served;
mod signing;
mod witness;
mod words;

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::proof::note::{Signer, Verifier};

pub use self::checkpoints::{Signed, Verified, verify};
pub use self::keys::expect;
pub use self::receipts::{Fate, Receipt, check, of_bot, of_game};
pub use self::served::{ServedTree, public};
pub use self::signing::{Signing, checkpoint};
pub use self::witness::{Observed, check_note, observe, observe_served};
use referee_contest::editions::beginning_of;
use referee_contest::hill::Hill;
use referee_contest::{plan, publish};
use referee_files::beneath::Spot;
use referee_files::walk;
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};
use referee_rules::Seed;

/// Maximum length of a notary's file, in bytes.
const FILE_MAX: u64 = 1 << 20;

/// Number of random bytes that are hashed with the seed: without them, a small seed could be guessed.
const SALT: usize = 32;

/// The signer of a hill's records.
#[derive(Debug)]
pub struct Notary {
    signer: Signer,
    key: Verifier,
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

/// Tells whether a folder contains a tournament.
pub fn is_tournament(root: &Path) -> bool {
    plan::is_there(root, root)
}

/// Tells whether a hill has a notary.
pub fn is_there(root: &Path) -> bool {
    Spot::below(root, "proof/key").exists()
}

/// Gives a hill or a tournament a notary: a random key, and a commitment to its seed.
///
/// # Errors
///
/// If it has one already, or the system refuses, or has no random bytes.
pub fn begin(root: &Path) -> Result<Verifier, Error> {
    let seed = seed_of(root)?;
    if is_there(root) {
        return Err(Error::file(&folder(root), "it has a key already"));
    }
    let mut has_notes = false;
    walk::each_file(&Spot::within(root, folder(root).join("checkpoints")), |_| {
        has_notes = true;
        Ok(())
    })?;
    if has_notes {
        let what = "its key is missing, but notes that it has signed are there: restore proof/key from a copy, or \
                    move the folder proof away first, since a new key replaces proof/private";
        return Err(Error::file(&folder(root), what));
    }
    let (secret, salt) = (random()?, random()?);
    // The name says which list is signed. It is derived from the key, so no two hills share it.
    let unnamed = Signer::new("referee", &secret).expect("a name without blanks").verifier().to_string();
    let kind = if is_tournament(root) { "tournament" } else { "hill" };
    let name = format!("referee/{kind}/{}", &Digest::of(unnamed.as_bytes()).as_str()[..16]);
    let signer = Signer::new(&name, &secret).expect("a name without blanks");
    let opening = opening(&name, seed, &salt);

    let secrets = private(root);
    // The rest of the folder `proof` is public: a server that another user runs shows it.
    let made = fs::create_dir_all(folder(root));
    made.and_then(|()| fs::DirBuilder::new().recursive(true).mode(0o700).create(&secrets))
        .map_err(Error::system(&secrets, "create the folder"))?;
    write_secret(root, "seed", &opening)?;
    write_secret(root, "key", &(signer.encode() + "\n"))?;
    let beginning = beginning::text_of(root, &name, &Digest::of(opening.as_bytes()))?;
    publish::replace(beginning_of(root), beginning.as_bytes())?;
    if !is_tournament(root) {
        Hill::open(root)?.set_signed()?;
    }
    // Last, because this file is what makes a hill have a notary.
    publish::once(Spot::below(root, "proof/key"), format!("{}\n", signer.verifier()).as_bytes())?;
    Ok(signer.verifier())
}

/// Tells whether the settings of a hill, or the plan of a tournament, say that it is signed.
///
/// # Errors
///
/// If the folder is neither.
pub fn says_signed(root: &Path) -> Result<bool, Error> {
    if is_tournament(root) {
        return plan::open(root).map(|plan| plan.contents.host.signed);
    }
    Ok(Hill::open(root)?.host().signed)
}

/// Returns the seed of a hill or of a tournament.
fn seed_of(root: &Path) -> Result<Seed, Error> {
    if is_tournament(root) { plan::open(root).map(|plan| plan.seed) } else { Ok(Hill::open(root)?.seed()) }
}

/// Returns the file with the seed.
fn settings_of(root: &Path) -> PathBuf {
    root.join(if is_tournament(root) { "plan.toml" } else { "hill.toml" })
}

/// Returns the seed in the words that open the commitment.
fn seed_in(opening: &str) -> &str {
    opening.lines().nth(2).unwrap_or_default()
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
        Error::new(ErrorKind::System, format!("the system cannot provide random bytes: {error}"))
    })?;
    Ok(bytes)
}

fn write_secret(root: &Path, name: &str, text: &str) -> Result<(), Error> {
    let spot = Spot::within(root, private(root).join(name));
    let write = || {
        // The file of an interrupted start has signed nothing, so it is replaced.
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

/// Reads the public key of a hill or a tournament.
///
/// # Errors
///
/// If it has none, or the file is not a key; or if it was signed, and is no longer.
pub fn key(root: &Path) -> Result<Verifier, Error> {
    let spot = Spot::below(root, "proof/key");
    if !spot.exists() {
        if says_signed(root)? {
            let what = "missing, but this contest is signed (see `signed` in its settings): restore the folder proof \
                        from a copy. If the key is lost, move the folder proof away: then `referee proof begin` makes \
                        another one, which you have to announce";
            return Err(Error::record(spot.path(), what));
        }
        let what = "nothing is signed here, since there is no key; make one with `referee proof begin`, best before \
                    the first game";
        return Err(Error::file(root, what));
    }
    let rotations = Spot::below(root, "proof/rotations");
    if rotations.exists() {
        let what = "this key was replaced by another one, which this version does not follow: move the folder proof \
                    away, run `referee proof begin`, and announce the new key";
        return Err(Error::file(rotations.path(), what));
    }
    let text = spot.read_text(FILE_MAX).map_err(Error::system(spot.path(), "read the key"))?;
    Verifier::parse(&text).map_err(|fault| Error::file(spot.path(), fault.to_string()))
}

impl Notary {
    /// Opens the notary of a hill, with its private key.
    ///
    /// # Errors
    ///
    /// If the hill has none, or its private files cannot be read, or do not match `proof/key`.
    pub fn open(root: &Path) -> Result<Notary, Error> {
        let (key, signer) = (key(root)?, signer(root)?);
        if signer.verifier() != key {
            let what = format!("this is not the private key of {key}: put the right one there");
            return Err(Error::file(&private(root).join("key"), what));
        }
        let opening = secret(root, "seed")?;
        let beginning = beginning::read(root)?;
        if beginning::commitment(&beginning) != Some(Digest::of(opening.as_bytes()).as_str()) {
            let what = "this seed is not the one that proof/beginning commits to: put that one back";
            return Err(Error::record(&private(root).join("seed"), what));
        }
        if seed_in(&opening) != seed_of(root)?.to_string() {
            let what =
                "the seed is not the one that was committed to when the key was made: put that seed back";
            return Err(Error::record(&settings_of(root), what));
        }
        Ok(Notary { signer, key })
    }
}

/// Reads a private key.
fn signer(root: &Path) -> Result<Signer, Error> {
    let text = secret(root, "key")?;
    Signer::parse(&text).map_err(|fault| {
        let what = format!("{fault}: put the private key there, as `referee proof begin` wrote it");
        Error::file(&private(root).join("key"), what)
    })
}

/// Reads a file that only the host may read.
fn secret(root: &Path, name: &str) -> Result<String, Error> {
    let path = private(root).join(name);
    let spot = Spot::within(root, &path);
    if !spot.exists() {
        let what = "missing, so nothing can be signed here: restore it from where the hill was begun; a copy can be \
                    verified; to play it without signatures, delete its folder proof and write `signed = false` into \
                    hill.toml";
        return Err(Error::file(&path, what));
    }
    let file = spot.open().map_err(Error::system(&path, "read the private file"))?;
    let mode = file.metadata().map_or(0, |found| found.permissions().mode());
    if mode & 0o077 != 0 {
        let what = format!(
            "other users can read this private file (mode {:03o}): make it private with chmod 600; if it may have \
             been read, move the folder proof away, run `referee proof begin`, and announce the new key",
            mode & 0o777
        );
        return Err(Error::file(&path, what));
    }
    spot.read_text(FILE_MAX).map_err(Error::system(&path, "read the private file"))
}

/// Publishes and returns the words that open the commitment to a hill's seed. To be called after the last submission.
///
/// # Errors
///
/// If the hill has no notary, or the system refuses.
pub fn open_seed(root: &Path) -> Result<String, Error> {
    key(root)?;
    let text = secret(root, "seed")?;
    if beginning::commitment(&beginning::read(root)?) != Some(Digest::of(text.as_bytes()).as_str()) {
        let what =
            "it is not the seed that proof/beginning commits to: nothing was published; put that one back";
        return Err(Error::record(&private(root).join("seed"), what));
    }
    publish::once(opened(root), text.as_bytes())?;
    Ok(text)
}
