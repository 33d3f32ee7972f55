//! The archive of all records of a contest. It is made while it is sent; a reader who was cut off can ask for the rest.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use referee_contest::folder;
use referee_files::beneath::Spot;
use referee_files::{lock, log, results};
use referee_record::Digest;
use tokio_util::io::{ReaderStream, SyncIoBridge};

use crate::access::Visit;
use crate::api::{PIECE, WAITING, archived, part, results_of};
use crate::reader::{self, Counting};
use crate::refusal::Refusal;
use crate::site::Served;

/// The lengths of the lists of an archive. Lists only grow, so the same lengths give the same archive again.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Extent {
    /// Bytes of the results. The archive contains the logs of the games in them.
    results: u64,
    /// Bytes of the void games.
    voids: u64,
    /// Digest of the identities of the two files: a repair writes new files.
    files: String,
}

impl Extent {
    /// Returns the extent of an archive that is begun now.
    fn now(served: &Served, results: &Spot) -> io::Result<Extent> {
        let (results, results_length) = open_list(results)?.ok_or(io::ErrorKind::NotFound)?;
        // Opened after the results: a game gets its row there after the rows of its void attempts.
        let (voids, voids_length) = open_list(&folder::voids_of(&served.root))?.unzip();
        let identity = |file: &File| {
            let metadata = file.metadata()?;
            Ok::<_, io::Error>((metadata.dev(), metadata.ino(), metadata.created().ok()))
        };
        let identities = [Some(identity(&results)?), voids.as_ref().map(identity).transpose()?];
        let files = Digest::of(format!("{identities:?}").as_bytes()).short().to_string();
        Ok(Extent { results: results_length, voids: voids_length.unwrap_or(0), files })
    }

    /// Returns the tag (`ETag`) of the archive with this extent and length.
    fn tag(&self, length: u64) -> String {
        format!("\"{}-{}-{}-{length}\"", self.results, self.voids, self.files)
    }

    /// Reads a tag. Returns the extent and the length of its archive; `None` if that archive cannot be made any more.
    fn parse_tag(tag: &str, now: &Extent) -> Option<(Extent, u64)> {
        let mut words = tag.strip_prefix('"')?.strip_suffix('"')?.split('-');
        let number = |word: Option<&str>| word?.parse::<u64>().ok();
        let (results, voids) = (number(words.next())?, number(words.next())?);
        let (files, length) = (words.next()?.to_owned(), number(words.next())?);
        let can_be_made = words.next().is_none()
            && files == now.files
            && (1..=now.results).contains(&results)
            && voids <= now.voids;
        if can_be_made { Some((Extent { results, voids, files }, length)) } else { None }
    }
}

/// Opens one of the lists, and returns the file with its length; `None` if it is not there. The length is taken while
/// nobody writes, so that no half of a row counts.
fn open_list(spot: &Spot) -> io::Result<Option<(File, u64)>> {
    let file = match spot.open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let length = lock::settled_length(&file, spot.path()).map_err(io::Error::other)?;
    Ok(Some((file, length)))
}

/// Sets its flag when it is dropped, which tells the threads that the visitor no longer waits for the archive.
#[derive(Debug, Default)]
struct AbandonOnDrop(Arc<AtomicBool>);

impl Drop for AbandonOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Sends all records of a contest: results, void games, and every log. The archive contains neither the seed of a hill,
/// which is the host's, nor its programs, which are the authors'. Only a request that names the archive by its tag can
/// get a part of it (RFC 9110, 13.1.5).
pub(crate) async fn records(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    let place = visit.site.archives.place(&visit.who()).await?;
    let (results, served) = (results_of(&visit.served)?, Arc::clone(&visit.served));
    let text = |name: HeaderName| headers.get(name).and_then(|value| Some(value.to_str().ok()?.to_owned()));
    let (range, condition) = (text(header::RANGE), text(header::IF_RANGE));
    let abandon_on_drop = AbandonOnDrop::default();
    let is_abandoned = Arc::clone(&abandon_on_drop.0);
    // The thread owns the place: it is taken until the thread ends, even if the visitor has gone.
    let finding = tokio::task::spawn_blocking(move || {
        let source = Source { served, results, is_abandoned };
        let found = source.find(range, condition);
        (place, source, found)
    });
    let failed = || Refusal::missing("the records cannot be read any more");
    let (place, source, found) = finding.await.map_err(|_| failed())?;
    let Found { extent, length, start } = found.map_err(|_| failed())?;
    let Some(start) = start else {
        let refused =
            Refusal::new(StatusCode::RANGE_NOT_SATISFIABLE, format!("the archive has {length} bytes"));
        return Ok(([(header::CONTENT_RANGE, format!("bytes */{length}"))], refused).into_response());
    };
    let name = format!("{}-records.tar", source.served.name);
    let (to, from) = tokio::io::duplex(WAITING);
    let taken = Arc::default();
    let to = Counting::new(SyncIoBridge::new(to), &taken);
    if let Some(connection) = visit.connection {
        tokio::spawn(reader::watch(taken, Arc::clone(&visit.site.archives), connection));
    }
    let head = [
        (header::ACCEPT_RANGES, "bytes".to_owned()),
        (header::ETAG, extent.tag(length)),
        (header::CONTENT_LENGTH, (length - start).to_string()),
    ];
    // A reader that disconnects, or stalls for long, ends the thread: its next write fails.
    tokio::task::spawn_blocking(move || {
        let _place = place;
        source.archive(&extent, &mut Rest { to, skip: start })
    });
    let pieces = ReaderStream::with_capacity(from, PIECE).map(move |piece| {
        let _dropped_with_the_body = &abandon_on_drop;
        piece
    });
    let archive = archived(&name, "application/x-tar", Body::from_stream(pieces));
    if start == 0 {
        return Ok((head, archive).into_response());
    }
    let range = [(header::CONTENT_RANGE, format!("bytes {start}-{}/{length}", length - 1))];
    Ok((StatusCode::PARTIAL_CONTENT, head, range, archive).into_response())
}

/// The archive that a request asks for.
struct Found {
    extent: Extent,
    length: u64,
    /// The first byte to send; `None` if the archive has none of the bytes that the request asks for.
    start: Option<u64>,
}

/// What an archive is made from.
struct Source {
    served: Arc<Served>,
    results: Spot,
    /// Whether the visitor no longer waits for the archive.
    is_abandoned: Arc<AtomicBool>,
}

impl Source {
    /// Finds the archive of a request with these headers: `Range`, and as condition `If-Range`.
    fn find(&self, range: Option<String>, condition: Option<String>) -> anyhow::Result<Found> {
        let now = Extent::now(&self.served, &self.results)?;
        if let (Some(range), Some(tag)) = (range, condition)
            && let Some((extent, length)) = Extent::parse_tag(&tag, &now)
            && self.length(&extent)? == length
        {
            // A reader who was cut off needs all that follows. Any other part is answered with the whole archive.
            let start = match part(&range, length) {
                Some(Ok((start, end))) if end == length => Some(start),
                Some(Err(_)) => None,
                _ => Some(0),
            };
            return Ok(Found { extent, length, start });
        }
        let length = self.length(&now)?;
        Ok(Found { extent: now, length, start: Some(0) })
    }

    /// Returns the length of an archive, in bytes.
    fn length(&self, extent: &Extent) -> anyhow::Result<u64> {
        let mut counter = ByteCounter(0);
        self.archive(extent, &mut counter)?;
        Ok(counter.0)
    }

    /// Writes the archive of an extent.
    fn archive<T: Target>(&self, extent: &Extent, to: &mut T) -> anyhow::Result<()> {
        let mut tar = tar::Builder::new(to);
        let mut add = |spot: &Spot, listed_length: Option<u64>| -> io::Result<()> {
            let file = match spot.open() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                opened => opened?,
            };
            let length = match listed_length {
                Some(length) => length,
                // Nobody writes to the log of a game that is in the results.
                None => file.metadata()?.len(),
            };
            let mut header = tar::Header::new_gnu();
            header.set_size(length);
            header.set_mode(0o644);
            let below = spot.path().strip_prefix(&self.served.root).unwrap_or(spot.path());
            let name = Path::new(&format!("{}-records", self.served.name)).join(below);
            if tar.get_ref().ignores_content(length) {
                tar.append_data(&mut header, name, io::repeat(0).take(length))
            } else {
                tar.append_data(&mut header, name, file.take(length))
            }
        };
        add(&self.results, Some(extent.results))?;
        if extent.voids > 0 {
            add(&folder::voids_of(&self.served.root), Some(extent.voids))?;
        }
        let mut games = results::games(&self.results)?;
        // Places in compressed results cannot be compared with the length of the file: all their games are in.
        let is_packed = games.length()?.is_none();
        // Games after this length were played after the archive was begun, and are not in it.
        while is_packed || games.reached().bytes < extent.results {
            anyhow::ensure!(!self.is_abandoned.load(Ordering::Relaxed), "nobody asks any more");
            let Some(game) = games.next().transpose()? else { break };
            add(&log::resolve_form(Spot::below(&self.served.root, Path::new(&game[0].1.log))), None)?;
        }
        Ok(tar.finish()?)
    }
}

/// Where an archive goes.
trait Target: Write {
    /// Tells whether the content of the next file, of this length, does not matter: zeros are written for it then.
    fn ignores_content(&self, length: u64) -> bool;
}

/// Counts the bytes of an archive.
struct ByteCounter(u64);

impl Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Target for ByteCounter {
    fn ignores_content(&self, _: u64) -> bool {
        true
    }
}

/// Writes the rest of what it gets, without the first bytes.
struct Rest<W> {
    to: W,
    /// Number of bytes that are still to be left out.
    skip: u64,
}

impl<W: Write> Write for Rest<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let skipped = usize::try_from(self.skip).unwrap_or(usize::MAX).min(bytes.len());
        self.skip -= skipped as u64;
        match &bytes[skipped..] {
            [] => Ok(skipped),
            rest => self.to.write(rest).map(|written| skipped + written),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Length of a block of a tar archive, in bytes. The headers of a file with a long name are some blocks.
const BLOCK: u64 = 512;

impl<W: Write> Target for Rest<W> {
    fn ignores_content(&self, length: u64) -> bool {
        self.skip >= length.saturating_add(8 * BLOCK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_can_be_made_again_as_long_as_its_lists_have_only_grown() {
        let extent = |results, voids| Extent { results, voids, files: "a7".to_owned() };
        let (now, then) = (extent(500, 20), extent(300, 0));
        assert_eq!(Extent::parse_tag(&then.tag(9), &now), Some((then, 9)));
        assert_eq!(Extent::parse_tag(&now.tag(9), &now), Some((now.clone(), 9)));
        for (what, tag) in [
            ("no results", "\"0-0-a7-9\""),
            ("results to come", "\"501-0-a7-9\""),
            ("void games to come", "\"300-21-a7-9\""),
            ("another file", "\"300-0-b8-9\""),
            ("a weak tag", "W/\"300-0-a7-9\""),
            ("no tag", "300-0-a7-9"),
            ("another tag", "\"300-0\""),
            ("a longer tag", "\"300-0-a7-9-1\""),
            ("no number", "\"300-0-a7-x\""),
        ] {
            assert_eq!(Extent::parse_tag(tag, &now), None, "{what}");
        }
    }

    #[test]
    fn the_rest_after_a_number_of_bytes_is_the_same_however_it_is_written() {
        let bytes: Vec<u8> = (0..=255).collect();
        for skip in [0, 1, 100, 255, 256, 300] {
            for size in [1, 7, 256] {
                let mut rest = Rest { to: Vec::new(), skip };
                for chunk in bytes.chunks(size) {
                    rest.write_all(chunk).expect("in memory");
                }
                assert_eq!(rest.to, bytes[bytes.len().min(skip as usize)..], "{skip} {size}");
            }
        }
    }
}
