//! Tiles: a tree and its entries, split into static files, so that a few of them are enough to check one entry.
//!
//! A tile contains up to 256 hashes of one level. Only every eighth level of the tree has tiles: level 0 has
//! the hashes of the entries, level 1 the roots over 256 entries each, and so on. `tile/L/N` is a full tile.
//! The path of a tile that is not full yet ends in `.p/WIDTH`. `tile/entries/N` contains the entries
//! themselves.
//!
//! Source: C2SP `tlog-tiles`, version 1.

use std::collections::BTreeMap;

use crate::proof::tree::{self, Hash, root};

/// Number of hashes or entries in a full tile.
pub const WIDTH: usize = 256;

/// Number of levels of the tree that a tile covers.
const LEVELS: u32 = WIDTH.ilog2();

/// A static file: its path below the list's address, and its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path, with `/`.
    pub path: String,
    /// The bytes.
    pub content: Vec<u8>,
}

/// Cuts the tree over these entries' hashes into tiles.
pub fn tiles(leaves: &[Hash]) -> Vec<File> {
    let mut files = Vec::new();
    let mut hashes = leaves.to_vec();
    for level in 0.. {
        for (number, tile) in hashes.chunks(WIDTH).enumerate() {
            files.push(File { path: path(&level.to_string(), number, tile.len()), content: tile.concat() });
        }
        if hashes.len() < WIDTH {
            break;
        }
        hashes = hashes.chunks_exact(WIDTH).map(root).collect();
    }
    files
}

/// Cuts entries into bundles: each entry after its length (two bytes, big-endian). `None` if one is too long.
pub fn bundles<E: AsRef<[u8]>>(entries: &[E]) -> Option<Vec<File>> {
    let bundle = |(number, entries): (usize, &[E])| {
        let mut content = Vec::new();
        for entry in entries {
            content.extend(u16::try_from(entry.as_ref().len()).ok()?.to_be_bytes());
            content.extend(entry.as_ref());
        }
        Some(File { path: path("entries", number, entries.len()), content })
    };
    entries.chunks(WIDTH).enumerate().map(bundle).collect()
}

/// A tile of hashes: its level, its number there, and its number of hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The level, from 0.
    pub level: u32,
    /// The number, from 0.
    pub number: usize,
    /// The number of hashes, from 1 to [`WIDTH`].
    pub width: usize,
}

/// Returns the tile of a path. `None` if the path is not that of a tile of hashes.
pub fn place(text: &str) -> Option<Place> {
    let (level, rest) = text.strip_prefix("tile/")?.split_once('/')?;
    let (name, width) = match rest.split_once(".p/") {
        Some((name, width)) => (name, width.parse().ok().filter(|width| (1..WIDTH).contains(width))?),
        None => (rest, WIDTH),
    };
    let digits: String = name.split('/').map(|part| part.trim_start_matches('x')).collect();
    let place = Place { level: level.parse().ok()?, number: digits.parse().ok()?, width };
    // Only the canonical form.
    (path(&place.level.to_string(), place.number, width) == text).then_some(place)
}

/// A reader of a list's tree that has only its tiles. It fetches the few that it needs.
#[derive(Debug)]
pub struct Reader<F> {
    /// The number of entries.
    size: usize,
    /// Returns the file of a path.
    fetch: F,
    fetched: BTreeMap<String, Vec<u8>>,
}

impl<E, F: FnMut(&str) -> Result<Vec<u8>, E>> Reader<F> {
    /// Creates a reader of the tree over this number of entries.
    pub fn new(size: usize, fetch: F) -> Reader<F> {
        Reader { size, fetch, fetched: BTreeMap::new() }
    }

    /// Returns the proof that the list begins with its first `before` entries. It can be wrong, since the
    /// tiles are not checked. `None` if `before` is 0, or more than there are.
    ///
    /// # Errors
    ///
    /// Those of `fetch`, or `wrong` with the path of a tile that does not have the length in its path.
    pub fn consistency(&mut self, before: usize, wrong: impl Fn(&str) -> E) -> Option<Result<Vec<Hash>, E>> {
        let parts = tree::consistency_parts(before, self.size)?;
        let mut whole = |height, number| self.whole(height, number, &wrong);
        Some(parts.into_iter().map(|part| tree::root_of_part(part, &mut whole)).collect())
    }

    /// Returns the root of a complete subtree: over `1 << height` entries.
    fn whole(&mut self, height: u32, number: usize, wrong: impl Fn(&str) -> E) -> Result<Hash, E> {
        let (level, above) = (height / LEVELS, height % LEVELS);
        // The hashes of this level that are below it.
        let (first, count) = (number << above, 1 << above);
        let all = self.size >> (level * LEVELS);
        let tile = first / WIDTH;
        let width = WIDTH.min(all - tile * WIDTH);
        let path = path(&level.to_string(), tile, width);
        if !self.fetched.contains_key(&path) {
            let content = (self.fetch)(&path)?;
            if content.len() != width * size_of::<Hash>() {
                return Err(wrong(&path));
            }
            self.fetched.insert(path.clone(), content);
        }
        let (hashes, _) = self.fetched[&path].as_chunks();
        Ok(root(&hashes[first % WIDTH..][..count]))
    }
}

/// Returns the path of a tile: its number in groups of three digits, each but the last preceded by an `x`.
fn path(level: &str, number: usize, width: usize) -> String {
    let mut name = format!("{:03}", number % 1000);
    let mut left = number / 1000;
    while left > 0 {
        name = format!("x{:03}/{name}", left % 1000);
        left /= 1000;
    }
    let partial = if width < WIDTH { format!(".p/{width}") } else { String::new() };
    format!("tile/{level}/{name}{partial}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::tree::leaf;

    #[test]
    fn paths_are_those_of_the_specification() {
        assert_eq!(path("0", 1_234_067, 256), "tile/0/x001/x234/067");
        assert_eq!(path("entries", 0, 20), "tile/entries/000.p/20");
        assert_eq!(path("1", 999, 256), "tile/1/999");
        for (level, number, width) in [(0, 0, 1), (0, 1_234_067, 256), (2, 999, 255), (7, 1000, 256)] {
            let text = path(&u32::to_string(&level), number, width);
            assert_eq!(place(&text), Some(Place { level, number, width }), "{text}");
        }
        for wrong in [
            "",
            "tile/0/1",
            "tile/00/001",
            "tile/0/000.p/0",
            "tile/0/000.p/256",
            "tile/0/x000/001",
            "tile/entries/000",
            "tile/0/001/x002",
            "tile/0/000.p/+1",
            "tile/0/-01",
        ] {
            assert_eq!(place(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_root_follows_from_the_tiles_alone() {
        let leaves: Vec<Hash> = (0..WIDTH * 2 + 7).map(|number| leaf(&number.to_be_bytes())).collect();
        let files = tiles(&leaves);
        let paths: Vec<&str> = files.iter().map(|file| &*file.path).collect();
        assert_eq!(paths, ["tile/0/000", "tile/0/001", "tile/0/002.p/7", "tile/1/000.p/2"]);
        let hashes = |file: &File| -> Vec<Hash> {
            file.content.chunks(32).map(|hash| hash.try_into().expect("a hash")).collect()
        };
        // The upper tile has the roots of the two full ones; the other entries are in the third.
        let upper = hashes(&files[3]);
        assert_eq!(upper, [root(&hashes(&files[0])), root(&hashes(&files[1]))]);
        let whole = crate::proof::tree::node(&root(&upper), &root(&hashes(&files[2])));
        assert_eq!(whole, root(&leaves));
        assert!(tiles(&[]).is_empty());
        let full: Vec<Hash> = leaves[..WIDTH].to_vec();
        assert_eq!(
            tiles(&full).iter().map(|file| &*file.path).collect::<Vec<_>>(),
            ["tile/0/000", "tile/1/000.p/1"]
        );
    }

    #[test]
    fn a_reader_of_tiles_gets_the_proof_that_the_list_gives_from_a_few_of_them() {
        let all: Vec<Hash> = (0..70_000usize).map(|number| leaf(&number.to_be_bytes())).collect();
        for (before, size) in [
            (1, 1),
            (1, 2),
            (3, 7),
            (255, 256),
            (256, 257),
            (256, 512),
            (300, 700),
            (1000, 1000),
            (1, 65_536),
            (512, 65_537),
            (65_536, 70_000),
            (69_999, 70_000),
        ] {
            let leaves = &all[..size];
            let files: BTreeMap<String, Vec<u8>> =
                tiles(leaves).into_iter().map(|file| (file.path, file.content)).collect();
            let mut fetched = 0;
            let mut reader = Reader::new(size, |path: &str| {
                fetched += 1;
                files.get(path).cloned().ok_or(format!("{path} is not there"))
            });
            let proof = reader.consistency(before, str::to_owned).expect("a shorter list").expect("tiles");
            assert_eq!(Some(proof), tree::consistency(leaves, before), "{before} of {size}");
            assert!(fetched <= 6, "{before} of {size}: {fetched} of {} files", files.len());
        }
        let mut short = Reader::new(300, |_: &str| Ok(vec![0; 31]));
        assert_eq!(short.consistency(7, str::to_owned), Some(Err("tile/0/000".to_owned())));
        assert_eq!(short.consistency(0, str::to_owned), None);
        assert_eq!(short.consistency(301, str::to_owned), None);
    }

    #[test]
    fn entries_stand_behind_their_lengths() {
        let files = bundles(&["ab", ""]).expect("short entries");
        assert_eq!(
            files,
            [File { path: "tile/entries/000.p/2".to_owned(), content: b"\0\x02ab\0\0".to_vec() }]
        );
        assert_eq!(bundles(&[vec![0; 65_536]]), None);
    }
}
