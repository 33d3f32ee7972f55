//! All records of a contest as one archive, made as it is sent. Who was cut off gets the rest of the same archive.

use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use referee_contest::folder;
use referee_files::beneath::Spot;
use referee_files::{lock, log, results};
use tokio_util::io::{ReaderStream, SyncIoBridge};

use crate::access::Asked;
use crate::api::{PIECE, WAITING, archived, part, some_results};
use crate::reader::{self, Counting};
use crate::refusal::Refusal;
use crate::site::Served;

/// What an archive has of the lists that grow, by which it can be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    /// Bytes of the results: the logs of these games are in the archive.
    results: u64,
    /// Bytes of the void games.
    voids: u64,
    /// The number of the results' file, which is another one after a repair.
    file: u64,
}

impl Extent {
    /// Returns the extent of an archive that is begun now.
    fn now(served: &Served, results: &Spot) -> anyhow::Result<Extent> {
        let voids = opened(&folder::voids_of(&served.root))?.map_or(0, |(_, length)| length);
        let (file, length) = opened(results)?.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        Ok(Extent { results: length, voids, file: file.metadata()?.ino() })
    }

    fn tag(self) -> String {
        format!("\"{}-{}-{}\"", self.results, self.voids, self.file)
    }

    /// Returns the extent of an archive with this tag, if one can still be made.
    fn of(tag: &str, now: Extent) -> Option<Extent> {
        let mut numbers =
            tag.strip_prefix('"')?.strip_suffix('"')?.split('-').map(|number| number.parse().ok());
        let (results, voids, file) = (numbers.next()??, numbers.next()??, numbers.next()??);
        let is_there = numbers.next().is_none()
            && file == now.file
            && (1..=now.results).contains(&results)
            && voids <= now.voids;
        is_there.then_some(Extent { results, voids, file })
    }
}

/// Opens a file; `None` if it is not there. Returns its length, and not one between the two halves of a write.
fn opened(spot: &Spot) -> io::Result<Option<(std::fs::File, u64)>> {
    let file = match spot.open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let length = lock::length(&file, spot.path()).map_err(io::Error::other)?;
    Ok(Some((file, length)))
}

/// Sends all records of a contest: results, void games, and every log. The archive contains neither the seed of a hill,
/// which is the host's, nor its programs, which are the authors'. A part of an archive goes to those alone who name it
/// by its tag (RFC 9110, 13.1.5).
pub(crate) async fn records(asked: Asked, headers: HeaderMap) -> Result<Response, Refusal> {
    let place = asked.site.archives.place(&asked.who()).await?;
    let (results, served) = (some_results(&asked.served)?, Arc::clone(&asked.served));
    let text = |name: HeaderName| headers.get(name).and_then(|value| Some(value.to_str().ok()?.to_owned()));
    let (range, condition) = (text(header::RANGE), text(header::IF_RANGE));
    // Compressed results are made anew as they grow.
    let has_parts = results.path().extension().is_none_or(|ending| ending != "gz");
    let (of, list) = (Arc::clone(&served), results.clone());
    let found = asked.long_work(move || {
        let failed = |_| Refusal::missing("the records are not there any more");
        let now = Extent::now(&of, &list).map_err(failed)?;
        let range = range.filter(|_| has_parts);
        let Some(extent) = condition.and_then(|tag| Extent::of(&tag, now)).filter(|_| range.is_some()) else {
            return Ok::<_, Refusal>((now, None));
        };
        let mut length = 0;
        archive(&of, &list, extent, &mut Measured(&mut length)).map_err(failed)?;
        Ok((extent, range.and_then(|range| part(&range, length)).map(|part| (part, length))))
    });
    let (extent, part) = found.await?;
    let name = format!("{}-records.tar", served.name);
    let (to, from) = tokio::io::duplex(WAITING);
    let taken = Arc::default();
    let to = Counting::new(SyncIoBridge::new(to), &taken);
    let (start, part) = match part {
        None => (0, None),
        // A part that does not go to the end is not what somebody needs who was cut off: he gets the whole.
        Some((Ok((start, end)), length)) if end == length => {
            (start, Some([(header::CONTENT_RANGE, format!("bytes {start}-{}/{length}", end - 1))]))
        }
        Some((Ok(_), _)) => (0, None),
        Some((Err(_), length)) => {
            let refused =
                Refusal::new(StatusCode::RANGE_NOT_SATISFIABLE, format!("the archive has {length} bytes"));
            return Ok(([(header::CONTENT_RANGE, format!("bytes */{length}"))], refused).into_response());
        }
    };
    if let Some(connection) = asked.connection {
        tokio::spawn(reader::watch(taken, Arc::clone(&asked.site.archives), connection));
    }
    // A reader that disconnects, or stalls for long, ends the thread.
    tokio::task::spawn_blocking(move || {
        let _place = place;
        archive(&served, &results, extent, &mut Behind { to, left: start })
    });
    let sent =
        archived(&name, "application/x-tar", Body::from_stream(ReaderStream::with_capacity(from, PIECE)));
    if !has_parts {
        return Ok(sent);
    }
    let head = [(header::ACCEPT_RANGES, "bytes".to_owned()), (header::ETAG, extent.tag())];
    Ok(match part {
        Some(range) => (StatusCode::PARTIAL_CONTENT, head, range, sent).into_response(),
        None => (head, sent).into_response(),
    })
}

/// Where an archive goes.
trait Target: Write {
    /// Whether the content of files does not matter.
    const IS_MEASURED: bool;
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
    const IS_MEASURED: bool = true;
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

impl<W: Write> Target for Behind<W> {
    const IS_MEASURED: bool = false;
}

fn archive<T: Target>(served: &Served, results: &Spot, extent: Extent, to: &mut T) -> anyhow::Result<()> {
    let mut tar = tar::Builder::new(to);
    let mut add = |spot: &Spot, most: u64| -> io::Result<()> {
        let Some((file, length)) = opened(spot)? else { return Ok(()) };
        let length = length.min(most);
        let mut header = tar::Header::new_gnu();
        header.set_size(length);
        header.set_mode(0o644);
        let below = spot.path().strip_prefix(&served.root).unwrap_or(spot.path());
        let name = Path::new(&format!("{}-records", served.name)).join(below);
        match T::IS_MEASURED {
            true => tar.append_data(&mut header, name, io::repeat(0).take(length)),
            false => tar.append_data(&mut header, name, file.take(length)),
        }
    };
    add(results, extent.results)?;
    if extent.voids > 0 {
        add(&folder::voids_of(&served.root), extent.voids)?;
    }
    let mut games = results::games(results)?;
    // Those behind the results of the archive came while it is sent, or since it was begun.
    while games.reached().bytes < extent.results {
        let Some(game) = games.next().transpose()? else { break };
        add(&log::found(Spot::below(&served.root, Path::new(&game[0].1.log))), u64::MAX)?;
    }
    Ok(tar.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_can_be_made_again_as_long_as_its_lists_have_only_grown() {
        let now = Extent { results: 500, voids: 20, file: 7 };
        let then = Extent { results: 300, voids: 0, file: 7 };
        assert_eq!(Extent::of(&then.tag(), now), Some(then));
        assert_eq!(Extent::of(&now.tag(), now), Some(now));
        for (what, tag) in [
            ("no results", "\"0-0-7\""),
            ("results to come", "\"501-0-7\""),
            ("void games to come", "\"300-21-7\""),
            ("another file", "\"300-0-8\""),
            ("a weak tag", "W/\"300-0-7\""),
            ("no tag", "300-0-7"),
            ("another tag", "\"300-0\""),
            ("a longer tag", "\"300-0-7-1\""),
            ("no number", "\"300-0-x\""),
        ] {
            assert_eq!(Extent::of(tag, now), None, "{what}");
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
