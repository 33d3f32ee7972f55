//! Tiles: a tree and its entries, cut into static files, so that a few of them are enough to check one entry.
//!
//! A tile has up to 256 hashes of one level. Only every eighth level of the tree has tiles: level 0 has the hashes of
//! the entries, level 1 the roots over 256 entries each, and so on. `tile/L/N` is a full tile. The path of a tile that
//! is not full yet ends in `.p/WIDTH`. `tile/entries/N` has the entries themselves.
//!
//! Source: C2SP `tlog-tiles`, version 1.

use crate::tree::{Hash, root};

/// Number of hashes or entries in a full tile.
pub const WIDTH: usize = 256;

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

/// Returns the path of a tile: its number in groups of three digits, all but the last with an `x`.
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
    use crate::tree::leaf;

    #[test]
    fn paths_are_those_of_the_specification() {
        assert_eq!(path("0", 1_234_067, 256), "tile/0/x001/x234/067");
        assert_eq!(path("entries", 0, 20), "tile/entries/000.p/20");
        assert_eq!(path("1", 999, 256), "tile/1/999");
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
        let whole = crate::tree::node(&root(&upper), &root(&hashes(&files[2])));
        assert_eq!(whole, root(&leaves));
        assert!(tiles(&[]).is_empty());
        let full: Vec<Hash> = leaves[..WIDTH].to_vec();
        assert_eq!(
            tiles(&full).iter().map(|file| &*file.path).collect::<Vec<_>>(),
            ["tile/0/000", "tile/1/000.p/1"]
        );
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
