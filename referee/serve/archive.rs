//! All records of a contest as one archive, made as it is sent. Who was cut off gets the rest of the same archive.

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

use crate::access::Asked;
use crate::api::{PIECE, WAITING, archived, part, some_results};
use crate::reader::{self, Counting};
use crate::refusal::Refusal;
use crate::site::Served;

/// What an archive has of the lists that grow, by which it can be made again.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Extent {
    /// Bytes of the results: the logs of these games are in the archive.
    results: u64,
    /// Bytes of the void games.
    voids: u64,
    /// Tells which files these lists are: a repair makes others.
    files: String,
}

impl Extent {
    /// Returns the extent of an archive that is begun now.
    fn now(served: &Served, results: &Spot) -> io::Result<Extent> {
        let results = opened(results)?.ok_or(io::ErrorKind::NotFound)?;
        // A game is listed behind the attempts that were void before it.
        let voids = opened(&folder::voids_of(&served.root))?;
        let identity = |file: &File| {
            let metadata = file.metadata()?;
            Ok::<_, io::Error>((metadata.dev(), metadata.ino(), metadata.created().ok()))
        };
        let files =
            [Some(&results), voids.as_ref()].map(|list| list.map(|(file, _)| identity(file)).transpose());
        let [one, other] = files;
        let files = Digest::of(format!("{:?}", [one?, other?]).as_bytes()).short().to_string();
        Ok(Extent { results: results.1, voids: voids.map_or(0, |(_, length)| length), files })
    }

    /// Returns the tag of the archive, which has this length.
    fn tag(&self, length: u64) -> String {
        format!("\"{}-{}-{}-{length}\"", self.results, self.voids, self.files)
    }

    /// Returns the extent and the length of an archive with this tag, as far as one can still be made.
    fn parse_tag(tag: &str, now: &Extent) -> Option<(Extent, u64)> {
        let mut words = tag.strip_prefix('"')?.strip_suffix('"')?.split('-');
        let number = |word: Option<&str>| word?.parse::<u64>().ok();
        let (results, voids) = (number(words.next())?, number(words.next())?);
        let (files, length) = (words.next()?.to_owned(), number(words.next())?);
        let is_there = words.next().is_none()
            && files == now.files
            && (1..=now.results).contains(&results)
            && voids <= now.voids;
        is_there.then_some((Extent { results, voids, files }, length))
    }
}

/// Opens a file; `None` if it is not there. Returns its length, and not one between the two halves of a write.
fn opened(spot: &Spot) -> io::Result<Option<(File, u64)>> {
    let file = match spot.open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let length = lock::length(&file, spot.path()).map_err(io::Error::other)?;
    Ok(Some((file, length)))
}

/// Says that nobody asks any more, when it is dropped.
#[derive(Debug, Default)]
struct Asks(Arc<AtomicBool>);

impl Drop for Asks {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Sends all records of a contest: results, void games, and every log. The archive contains neither the seed of a hill,
/// which is the host's, nor its programs, which are the authors'. A part of an archive goes to those alone who name it
/// by its tag (RFC 9110, 13.1.5).
pub(crate) async fn records(asked: Asked, headers: HeaderMap) -> Result<Response, Refusal> {
    let place = asked.site.archives.place(&asked.who()).await?;
    let (results, served) = (some_results(&asked.served)?, Arc::clone(&asked.served));
    let text = |name: HeaderName| headers.get(name).and_then(|value| Some(value.to_str().ok()?.to_owned()));
    let (range, condition) = (text(header::RANGE), text(header::IF_RANGE));
    let asks = Asks::default();
    let is_left = Arc::clone(&asks.0);
    // The work holds the place, also when nobody asks any more.
    let measured = tokio::task::spawn_blocking(move || {
        let source = Source { served, results, is_left };
        let found = source.find(range, condition);
        (place, source, found)
    });
    let failed = || Refusal::missing("the records cannot be read any more");
    let (place, source, found) = measured.await.map_err(|_| failed())?;
    let Found { extent, length, start } = found.map_err(|_| failed())?;
    let head = [(header::ACCEPT_RANGES, "bytes".to_owned()), (header::ETAG, extent.tag(length))];
    let Some(start) = start else {
        let refused =
            Refusal::new(StatusCode::RANGE_NOT_SATISFIABLE, format!("the archive has {length} bytes"));
        return Ok(([(header::CONTENT_RANGE, format!("bytes */{length}"))], refused).into_response());
    };
    let name = format!("{}-records.tar", source.served.name);
    let (to, from) = tokio::io::duplex(WAITING);
    let taken = Arc::default();
    let to = Counting::new(SyncIoBridge::new(to), &taken);
    if let Some(connection) = asked.connection {
        tokio::spawn(reader::watch(taken, Arc::clone(&asked.site.archives), connection));
    }
    // A reader that disconnects, or stalls for long, ends the thread.
    tokio::task::spawn_blocking(move || {
        let _place = place;
        source.archive(&extent, &mut Behind { to, left: start })
    });
    let pieces = ReaderStream::with_capacity(from, PIECE).map(move |piece| {
        let _asks = &asks;
        piece
    });
    let sent = archived(&name, "application/x-tar", Body::from_stream(pieces));
    let length_sent = [(header::CONTENT_LENGTH, (length - start).to_string())];
    Ok(match start {
        0 => (head, length_sent, sent).into_response(),
        _ => {
            let range = [(header::CONTENT_RANGE, format!("bytes {start}-{}/{length}", length - 1))];
            (StatusCode::PARTIAL_CONTENT, head, length_sent, range, sent).into_response()
        }
    })
}

/// The archive that is asked for, and its first byte that is sent; `None`: it has none of those.
struct Found {
    extent: Extent,
    length: u64,
    start: Option<u64>,
}

/// What an archive is made from.
struct Source {
    served: Arc<Served>,
    results: Spot,
    /// Whether nobody asks for it any more.
    is_left: Arc<AtomicBool>,
}

impl Source {
    fn find(&self, range: Option<String>, condition: Option<String>) -> anyhow::Result<Found> {
        let now = Extent::now(&self.served, &self.results)?;
        let named = condition.and_then(|tag| Extent::parse_tag(&tag, &now)).filter(|_| range.is_some());
        if let Some((extent, length)) = named
            && self.measured(&extent)? == length
        {
            // A part that does not go to the end is nothing that somebody needs who was cut off: it is the whole then.
            let start = match range.and_then(|range| part(&range, length)) {
                Some(Ok((start, end))) if end == length => Some(start),
                Some(Err(_)) => None,
                _ => Some(0),
            };
            return Ok(Found { extent, length, start });
        }
        let length = self.measured(&now)?;
        Ok(Found { extent: now, length, start: Some(0) })
    }

    /// Returns the length of an archive.
    fn measured(&self, extent: &Extent) -> anyhow::Result<u64> {
        let mut length = 0;
        self.archive(extent, &mut Measured(&mut length))?;
        Ok(length)
    }

    fn archive<T: Target>(&self, extent: &Extent, to: &mut T) -> anyhow::Result<()> {
        let mut tar = tar::Builder::new(to);
        let mut add = |spot: &Spot, most: Option<u64>| -> io::Result<()> {
            let file = match spot.open() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                opened => opened?,
            };
            // Nobody writes to the log of a game that is listed.
            let length = most.map_or_else(|| file.metadata().map(|metadata| metadata.len()), Ok)?;
            let mut header = tar::Header::new_gnu();
            header.set_size(length);
            header.set_mode(0o644);
            let below = spot.path().strip_prefix(&self.served.root).unwrap_or(spot.path());
            let name = Path::new(&format!("{}-records", self.served.name)).join(below);
            if tar.get_ref().leaves_out(length) {
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
        // Results that a host has compressed cannot be compared by their bytes.
        let is_packed = games.length()?.is_none();
        // Games behind the results of the archive came while it is sent, or since it was begun.
        while is_packed || games.reached().bytes < extent.results {
            anyhow::ensure!(!self.is_left.load(Ordering::Relaxed), "nobody asks any more");
            let Some(game) = games.next().transpose()? else { break };
            add(&log::resolve_form(Spot::below(&self.served.root, Path::new(&game[0].1.log))), None)?;
        }
        Ok(tar.finish()?)
    }
}

/// Where an archive goes.
trait Target: Write {
    /// Tells whether the content of the next file, of this length, does not matter.
    fn leaves_out(&self, length: u64) -> bool;
}

/// Measures an archive.
struct Measured<'a>(&'a mut u64);

impl Write for Measured<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        *self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Target for Measured<'_> {
    fn leaves_out(&self, _: u64) -> bool {
        true
    }
}

/// Writes what comes behind a number of bytes.
struct Behind<W> {
    to: W,
    left: u64,
}

impl<W: Write> Write for Behind<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let known = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
        self.left -= known as u64;
        match &bytes[known..] {
            [] => Ok(known),
            rest => self.to.write(rest).map(|written| known + written),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// The headers of a tar before the content of a file, at least.
const HEADER: u64 = 512;

impl<W: Write> Target for Behind<W> {
    fn leaves_out(&self, length: u64) -> bool {
        self.left >= length.saturating_add(8 * HEADER)
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
    fn what_is_behind_a_number_of_bytes_is_the_same_however_it_is_written() {
        let bytes: Vec<u8> = (0..=255).collect();
        for left in [0, 1, 100, 255, 256, 300] {
            for size in [1, 7, 256] {
                let mut behind = Behind { to: Vec::new(), left };
                bytes.chunks(size).for_each(|chunk| behind.write_all(chunk).expect("in memory"));
                assert_eq!(behind.to, bytes[bytes.len().min(left as usize)..], "{left} {size}");
            }
        }
    }
}
