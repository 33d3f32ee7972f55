//! A cache of answers: each is made and compressed once, and kept while there is room. An answer carries a
//! tag, by which a browser asks whether its copy is still current.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use parking_lot::Mutex;
use referee_record::Digest;

/// The size of the cache for all hills, in bytes.
const BYTES_MAX: usize = 64 << 20;

/// An answer.
#[derive(Debug)]
pub(crate) struct Kept {
    kind: &'static str,
    plain: Bytes,
    packed: Bytes,
    tag: HeaderValue,
}

impl Kept {
    fn new(kind: &'static str, text: Vec<u8>) -> Kept {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        let packed = packer.write_all(&text).and_then(|()| packer.finish()).expect("memory takes all");
        let tag = format!("W/\"{}\"", Digest::of(&text).short());
        let tag = HeaderValue::from_str(&tag).expect("a digest");
        Kept { kind, plain: text.into(), packed: packed.into(), tag }
    }

    fn length(&self) -> usize {
        self.plain.len() + self.packed.len()
    }

    /// Returns the answer in a form that the request accepts; only the tag if the browser has the same
    /// answer.
    pub(crate) fn answer(&self, headers: &HeaderMap) -> Response {
        let has = |name, word: &str| {
            let words =
                headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).unwrap_or_default();
            words.split(',').any(|known| known.split(';').next().is_some_and(|known| known.trim() == word))
        };
        let is_known = has(header::IF_NONE_MATCH, self.tag.to_str().unwrap_or_default());
        let is_packed = has(header::ACCEPT_ENCODING, "gzip");
        let body = match (is_known, is_packed) {
            (true, _) => Bytes::new(),
            (_, true) => self.packed.clone(),
            _ => self.plain.clone(),
        };
        let mut response = body.into_response();
        let set = response.headers_mut();
        set.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        set.insert(header::ETAG, self.tag.clone());
        set.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        } else if is_packed {
            set.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }
}

/// The answers by address. The least recently used one is dropped for a new one.
#[derive(Debug, Default)]
pub(crate) struct Shelf(Mutex<(u64, BTreeMap<String, Shelved>)>);

#[derive(Debug)]
struct Shelved {
    /// Identifies the data of the answer: with another stamp, the answer is out of date.
    stamp: String,
    used: u64,
    kept: Arc<Kept>,
}

impl Shelf {
    /// Returns the answer of an address with this stamp. It is made if there is none.
    pub(crate) fn get<E>(
        &self,
        address: &str,
        stamp: &str,
        kind: &'static str,
        make: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Arc<Kept>, E> {
        match self.find(address, stamp) {
            Some(kept) => Ok(kept),
            None => Ok(self.put(address.to_owned(), stamp.to_owned(), kind, make()?)),
        }
    }

    /// Returns the number of answers, and their size in bytes.
    pub(crate) fn held(&self) -> (usize, usize) {
        let all = &self.0.lock().1;
        (all.len(), all.values().map(|shelved| shelved.kept.length()).sum())
    }

    fn find(&self, address: &str, stamp: &str) -> Option<Arc<Kept>> {
        let mut shelf = self.0.lock();
        let (now, all) = &mut *shelf;
        *now += 1;
        let found = all.get_mut(address).filter(|found| found.stamp == stamp)?;
        found.used = *now;
        Some(Arc::clone(&found.kept))
    }

    fn put(&self, address: String, stamp: String, kind: &'static str, text: Vec<u8>) -> Arc<Kept> {
        let kept = Arc::new(Kept::new(kind, text));
        let mut shelf = self.0.lock();
        let (used, all) = (shelf.0, &mut shelf.1);
        all.insert(address, Shelved { stamp, used, kept: Arc::clone(&kept) });
        while all.values().map(|shelved| shelved.kept.length()).sum::<usize>() > BYTES_MAX {
            let oldest =
                all.iter().min_by_key(|(_, shelved)| shelved.used).map(|(address, _)| address.clone());
            oldest.and_then(|oldest| all.remove(&oldest));
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_longest_ago_makes_room_and_another_stamp_is_another_answer() {
        let shelf = Shelf::default();
        // Noise, which does not pack.
        let mut state = 1_u64;
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        let large: Vec<u8> = (0..BYTES_MAX / 5).map(|_| noise()).collect();
        for address in ["a", "b"] {
            shelf.put(address.to_owned(), "1".to_owned(), "text/plain", large.clone());
        }
        assert!(shelf.find("a", "1").is_some() && shelf.find("a", "2").is_none());
        shelf.put("c".to_owned(), "1".to_owned(), "text/plain", large);
        let there = ["a", "b", "c"].map(|address| shelf.find(address, "1").is_some());
        assert_eq!(there, [true, false, true]);
    }
}
