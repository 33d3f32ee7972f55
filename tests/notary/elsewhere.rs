//! Another implementation of the formats, that of Cloudflare's logs of certificates: it reads and verifies what this
//! program writes, and this program what it writes.

use std::collections::BTreeMap;
use std::fs;

use referee_notary::proof::checkpoint::Checkpoint;
use referee_notary::proof::cosignature::Cosigner;
use referee_notary::proof::note::{Signer, Verifier};
use referee_notary::proof::tile;
use referee_notary::proof::tree::{self, Hash};
use signed_note::{Note, Signer as _, StandardSigner, StandardVerifier, VerifierList};
use tlog_tiles::{Error, HashReader, Tile, TileHashReader, TileReader};

use super::hill;
use crate::support::{Place, files_below};

/// The hashes of a log as the other implementation stores them.
struct Stored(Vec<tlog_tiles::Hash>);

impl HashReader for Stored {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<tlog_tiles::Hash>, Error> {
        Ok(indexes.iter().map(|index| self.0[*index as usize]).collect())
    }
}

impl Stored {
    /// Stores entries.
    fn of<E: AsRef<[u8]>>(entries: &[E]) -> Stored {
        let mut stored = Stored(Vec::new());
        for (number, entry) in entries.iter().enumerate() {
            let more = tlog_tiles::stored_hashes(number as u64, entry.as_ref(), &stored);
            stored.0.extend(more.expect("hashes"));
        }
        stored
    }
}

fn hashes(proof: &[tlog_tiles::Hash]) -> Vec<Hash> {
    proof.iter().map(|hash| hash.0).collect()
}

fn theirs(proof: &[Hash]) -> Vec<tlog_tiles::Hash> {
    proof.iter().map(|hash| tlog_tiles::Hash(*hash)).collect()
}

/// The key of a witness there: of another type, but with the same arithmetic.
struct Witness {
    name: String,
    number: u32,
    plain: StandardVerifier,
}

impl signed_note::Verifier for Witness {
    fn name(&self) -> &str {
        &self.name
    }

    fn key_id(&self) -> u32 {
        self.number
    }

    fn verify(&self, text: &[u8], signature: &[u8]) -> bool {
        let Some((time, signature)) = signature.split_first_chunk() else { return false };
        let head = format!("cosignature/v1\ntime {}\n", u64::from_be_bytes(*time));
        self.plain.verify(&[head.as_bytes(), text].concat(), signature)
    }
}

#[test]
fn notes_of_a_hill_are_verified_elsewhere_and_notes_of_elsewhere_here() {
    let place = Place::new();
    hill(&place);
    let read = |path: &str| fs::read_to_string(place.path(path)).expect("a file").trim().to_owned();
    let (public, private) = (read("H/proof/key"), read("H/proof/private/key"));
    let key = Verifier::parse(&public).expect("a key");
    let known = || VerifierList::new(vec![Box::new(StandardVerifier::new(&public).expect("their key"))]);
    let notes = files_below(&place.path("H/proof/checkpoints"), "note");
    assert_eq!(notes.len(), 4);
    for path in notes {
        let text = fs::read_to_string(&path).expect("a note");
        let note = Note::from_bytes(text.as_bytes()).expect("a note there");
        let (verified, others) = note.verify(&known()).expect("signed");
        assert_eq!((verified.len(), others.len(), note.to_bytes()), (1, 0, text.clone().into_bytes()));
        let there = tlog_tiles::Checkpoint::from_bytes(note.text()).expect("a checkpoint there");
        let here = Checkpoint::parse(key.open(&text).expect("signed")).expect("a checkpoint");
        let more: String = here.more.iter().map(|line| format!("{line}\n")).collect();
        assert_eq!((there.origin(), there.size(), there.hash().0), (&*here.origin, here.size, here.root));
        assert_eq!((there.extension(), there.to_bytes()), (&*more, note.text().to_vec()));
        // What is changed is refused there, too.
        for changed in
            [text.replacen("time 2", "time 1", 1), text.replacen(key.name(), "referee/hill/fox", 1)]
        {
            let note = Note::from_bytes(changed.as_bytes());
            assert!(note.is_ok_and(|note| note.verify(&known()).is_err()), "{changed}");
        }
    }
    let signer = StandardSigner::new(&private).expect("their private key");
    let mut note = Note::new(b"text\nof elsewhere\n", &[]).expect("a text");
    note.add_sigs(&[&signer]).expect("signed");
    let text = String::from_utf8(note.to_bytes()).expect("text");
    assert_eq!(key.open(&text), Ok("text\nof elsewhere\n"));
    assert_eq!(Signer::parse(&private).expect("a key").sign("text\nof elsewhere\n"), text, "the same bytes");
    assert!(signed_note::is_key_name_valid(signer.name()));
}

#[test]
fn cosignatures_are_verified_elsewhere() {
    let host = Signer::new("example.com/log", &[1; 32]).expect("a key");
    let witness = Cosigner::new("example.com/witness", &[2; 32]).expect("a key");
    let note = witness.cosign(&host.sign("example.com/log\n1\nroot\n"), 1_700_000_000).expect("a note");
    let public = witness.public().to_string();
    let data = public.rsplit('+').next().expect("a key");
    let bytes = {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.decode(data).expect("base64")
    };
    let plain = Signer::new("example.com/witness", &[2; 32]).expect("the same secret").verifier().to_string();
    let known = VerifierList::new(vec![
        Box::new(StandardVerifier::new(&host.verifier().to_string()).expect("a key")),
        Box::new(Witness {
            name: "example.com/witness".to_owned(),
            number: signed_note::key_id("example.com/witness", &bytes),
            plain: StandardVerifier::new(&plain).expect("a key"),
        }),
    ]);
    let verify = |text: &str| {
        Note::from_bytes(text.as_bytes()).expect("a note").verify(&known).map(|(all, _)| all.len())
    };
    assert_eq!(verify(&note).expect("signed"), 2);
    assert!(verify(&note.replacen("\n1\n", "\n2\n", 1)).is_err());
}

#[test]
fn trees_and_proofs_are_the_same_elsewhere() {
    let entries: Vec<String> = (0..700).map(|number| format!("entry {number}")).collect();
    let (stored, all): (Stored, Vec<Hash>) =
        (Stored::of(&entries), entries.iter().map(|entry| tree::leaf(entry.as_bytes())).collect());
    for size in (1..=40).chain([63, 64, 65, 127, 255, 256, 257, 511, 512, 513, 700]) {
        let (leaves, t) = (&all[..size], size as u64);
        let root = tree::root(leaves);
        let there = tlog_tiles::tree_hash(t, &stored).expect("a root");
        assert_eq!(there.0, root, "{size}");
        for index in (0..size).step_by(if size > 40 { 13 } else { 1 }).chain([size - 1]) {
            let n = index as u64;
            let (ours, proof) =
                (tree::inclusion(leaves, index).expect("a proof"), tlog_tiles::prove_record(t, n, &stored));
            assert_eq!(hashes(&proof.expect("a proof")), ours, "{index} of {size}");
            let leaf = tlog_tiles::Hash(all[index]);
            tlog_tiles::check_record(&theirs(&ours), t, there, n, leaf).expect("proved there");
            assert!(
                tlog_tiles::check_record(&theirs(&ours), t, there, n, tlog_tiles::Hash([7; 32])).is_err()
            );
            assert_eq!(tree::root_by_inclusion(&all[index], index, size, &ours), Some(root));
            let (before, m) = (index + 1, n + 1);
            let (ours, proof) =
                (tree::consistency(leaves, before).expect("a proof"), tlog_tiles::prove_tree(t, m, &stored));
            assert_eq!(hashes(&proof.expect("a proof")), ours, "{before} of {size}");
            let old = tree::root(&leaves[..before]);
            tlog_tiles::check_tree(&theirs(&ours), t, there, m, tlog_tiles::Hash(old)).expect("proved there");
            assert!(tree::is_consistent((before, &old), (size, &root), &ours));
        }
    }
}

/// Returns the path of a tile as the specification has it. The other implementation has the height before it, as Go
/// does.
fn path(tile: &Tile) -> String {
    tile.path().replacen("tile/8/", "tile/", 1)
}

/// Tiles that this program has written, for a reader of elsewhere.
struct Written(BTreeMap<String, Vec<u8>>);

impl TileReader for Written {
    fn height(&self) -> u8 {
        8
    }

    fn read_tiles(&self, tiles: &[Tile]) -> Result<Vec<Vec<u8>>, Error> {
        Ok(tiles.iter().map(|tile| self.0[&path(tile)].clone()).collect())
    }

    fn save_tiles(&self, _tiles: &[Tile], _data: &[Vec<u8>]) {}
}

#[test]
fn tiles_are_the_same_elsewhere_and_are_enough_for_its_proofs() {
    let entries: Vec<String> = (0..66_000).map(|number| format!("entry {number}")).collect();
    let (stored, all): (Stored, Vec<Hash>) =
        (Stored::of(&entries), entries.iter().map(|entry| tree::leaf(entry.as_bytes())).collect());
    for size in [1, 2, 255, 256, 257, 1000, 65_536, 66_000] {
        let (leaves, t) = (&all[..size], size as u64);
        let written: BTreeMap<String, Vec<u8>> =
            tile::tiles(leaves).into_iter().map(|file| (file.path, file.content)).collect();
        let tiles = Tile::new_tiles(8, 0, t);
        let read = |tile: &Tile| (path(tile), tile.read_data(&stored).expect("a tile"));
        assert!(tiles.iter().map(read).collect::<BTreeMap<_, _>>() == written, "{size}");
        let (root, written) = (tlog_tiles::Hash(tree::root(leaves)), Written(written));
        let reader = TileHashReader::new(t, root, &written);
        let index = size / 2;
        let proof = tlog_tiles::prove_record(t, index as u64, &reader).expect("a proof");
        assert_eq!(Some(hashes(&proof)), tree::inclusion(leaves, index), "{size}");
    }
}
