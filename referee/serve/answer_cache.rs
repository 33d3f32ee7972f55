//! A cache of answers: each is made and compressed once, and kept while there is room. An answer has a tag, by which a
//! browser asks whether its copy is still current.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use parking_lot::Mutex;
use referee_record::Digest;
use tokio::sync::{Notify, OnceCell, watch};

/// The size of the cache for all hills, in bytes.
const BYTES_MAX: usize = 64 << 20;

/// An answer.
#[derive(Debug)]
pub(crate) struct CachedAnswer {
    kind: &'static str,
    plain: Bytes,
    packed: Bytes,
    tag: HeaderValue,
}

impl CachedAnswer {
    fn new(kind: &'static str, text: Vec<u8>) -> CachedAnswer {
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        let packed = packer.write_all(&text).and_then(|()| packer.finish()).expect("memory takes all");
        let tag = format!("W/\"{}\"", Digest::of(&text).short());
        let tag = HeaderValue::from_str(&tag).expect("a digest");
        CachedAnswer { kind, plain: text.into(), packed: packed.into(), tag }
    }

    fn length(&self) -> usize {
        self.plain.len() + self.packed.len()
    }

    /// Returns the answer in a form that the request accepts; only the tag if the browser has the same answer.
    pub(crate) fn answer(&self, headers: &HeaderMap) -> Response {
        let is_known = is_known(headers, self.tag.to_str().unwrap_or_default());
        let is_packed = takes_gzip(headers);
        let body = match (is_known, is_packed) {
            (true, _) => Bytes::new(),
            (_, true) => self.packed.clone(),
            _ => self.plain.clone(),
        };
        let mut response = body.into_response();
        let response_headers = response.headers_mut();
        response_headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        response_headers.insert(header::ETAG, self.tag.clone());
        response_headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        } else if is_packed {
            response_headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }
}

/// Lists the words of a header, which can be in several lines.
fn words(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(name).into_iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim)
}

/// Tells whether the browser knows the answer with this tag: the request names the tag, or any. Tags are compared
/// weakly, as RFC 9110 asks for here.
pub(crate) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim_start_matches("W/").to_owned();
    words(headers, header::IF_NONE_MATCH).any(|word| word == "*" || opaque(word) == opaque(tag))
}

/// Tells whether a request accepts gzip: it names it, with a weight other than zero.
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    words(headers, header::ACCEPT_ENCODING).any(|word| {
        let mut parts = word.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
        is_gzip && weight.is_none_or(|weight| weight.parse::<f32>().is_ok_and(|weight| weight > 0.0))
    })
}

/// The archives of starters by game and language, each made once; `None` if there is no such starter.
pub(crate) type Starters = Mutex<BTreeMap<(&'static str, &'static str), Arc<OnceCell<Option<Bytes>>>>>;

/// The cache: answers by address. The least recently used ones make room for a new one.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    answers: Mutex<Answers>,
    pub(crate) making: Arc<InMaking>,
}

/// The addresses whose answers are made now, each with a channel that closes at the end.
#[derive(Debug, Default)]
pub(crate) struct InMaking {
    all: Mutex<BTreeMap<String, watch::Receiver<()>>>,
    /// Wakes those who wait for a place when somebody begins to make an answer.
    pub(crate) begun: Notify,
}

/// An answer that is made now, until this is dropped.
#[derive(Debug)]
pub(crate) struct Making {
    in_making: Arc<InMaking>,
    address: String,
    _end: watch::Sender<()>,
}

impl InMaking {
    /// Returns the channel that closes when an answer has been made; `None` if nobody makes it.
    pub(crate) fn find(&self, address: &str) -> Option<watch::Receiver<()>> {
        self.all.lock().get(address).cloned()
    }

    /// Begins to make an answer; `None` if somebody makes it already.
    pub(crate) fn begin(self: &Arc<InMaking>, address: &str) -> Option<Making> {
        let mut all = self.all.lock();
        if all.contains_key(address) {
            return None;
        }
        let (end, receiver) = watch::channel(());
        all.insert(address.to_owned(), receiver);
        self.begun.notify_waiters();
        Some(Making { in_making: Arc::clone(self), address: address.to_owned(), _end: end })
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        self.in_making.all.lock().remove(&self.address);
    }
}

#[derive(Debug, Default)]
struct Answers {
    all: BTreeMap<String, Answer>,
    /// The addresses by the number of their last use.
    by_last_use: BTreeMap<u64, String>,
    /// The number of uses so far.
    uses: u64,
    /// The memory of all answers.
    bytes: usize,
}

#[derive(Debug)]
struct Answer {
    /// Identifies the data of the answer: with another stamp, the answer is out of date.
    stamp: String,
    /// The number of its last use.
    last_use: u64,
    cached: Arc<CachedAnswer>,
}

/// About the memory of an answer besides its bytes and its address, which is held twice.
const OVERHEAD: usize = 512;

fn size(cached: &CachedAnswer, address: &str) -> usize {
    cached.length() + 2 * address.len() + OVERHEAD
}

impl Answers {
    fn remove(&mut self, address: &str) {
        if let Some(Answer { last_use, cached, .. }) = self.all.remove(address) {
            self.by_last_use.remove(&last_use);
            self.bytes -= size(&cached, address);
        }
    }
}

impl Shelf {
    /// Returns the answer of an address with this stamp. It is made if there is none.
    pub(crate) fn get<E>(
        &self,
        address: &str,
        stamp: &str,
        kind: &'static str,
        make: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Arc<CachedAnswer>, E> {
        match self.find(address, stamp) {
            Some(cached) => Ok(cached),
            None => Ok(self.put(address.to_owned(), stamp.to_owned(), kind, make()?)),
        }
    }

    /// Returns the number of answers, and their size in bytes.
    pub(crate) fn held(&self) -> (usize, usize) {
        let answers = self.answers.lock();
        (answers.all.len(), answers.bytes)
    }

    /// Returns the answer of an address with this stamp, if there is one.
    pub(crate) fn find(&self, address: &str, stamp: &str) -> Option<Arc<CachedAnswer>> {
        let mut answers = self.answers.lock();
        let Answers { all, by_last_use, uses, .. } = &mut *answers;
        let answer = all.get_mut(address).filter(|answer| answer.stamp == stamp)?;
        *uses += 1;
        if let Some(address) = by_last_use.remove(&answer.last_use) {
            by_last_use.insert(*uses, address);
        }
        answer.last_use = *uses;
        Some(Arc::clone(&answer.cached))
    }

    fn put(&self, address: String, stamp: String, kind: &'static str, text: Vec<u8>) -> Arc<CachedAnswer> {
        let cached = Arc::new(CachedAnswer::new(kind, text));
        let mut answers = self.answers.lock();
        answers.remove(&address);
        answers.uses += 1;
        let last_use = answers.uses;
        answers.bytes += size(&cached, &address);
        answers.by_last_use.insert(last_use, address.clone());
        answers.all.insert(address, Answer { stamp, last_use, cached: Arc::clone(&cached) });
        while answers.bytes > BYTES_MAX {
            let Some((_, oldest)) = answers.by_last_use.first_key_value() else { break };
            let oldest = oldest.clone();
            answers.remove(&oldest);
        }
        cached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_packed_and_known_as_the_request_says() {
        let cached = CachedAnswer::new("text/plain", b"text".repeat(100));
        let tag = cached.tag.to_str().expect("a tag").to_owned();
        let answer = |name: HeaderName, value: &str| {
            let headers = HeaderMap::from_iter([(name, value.parse().expect("a value"))]);
            let answer = cached.answer(&headers);
            (answer.status().as_u16(), answer.headers().contains_key(header::CONTENT_ENCODING))
        };
        for (value, is_packed) in [
            ("gzip", true),
            ("br, gzip;q=0.5", true),
            ("GZip", true),
            ("gzip;q=0", false),
            ("gzip; q=0.000, br", false),
            ("gzip;q=x", false),
            ("identity", false),
            ("xgzip", false),
            ("", false),
        ] {
            assert_eq!(answer(header::ACCEPT_ENCODING, value), (200, is_packed), "{value}");
        }
        for (value, status) in [
            (&*tag, 304),
            (tag.trim_start_matches("W/"), 304),
            ("*", 304),
            (&format!("\"other\", {tag}"), 304),
            ("\"other\"", 200),
            ("", 200),
        ] {
            assert_eq!(answer(header::IF_NONE_MATCH, value).0, status, "{value}");
        }
    }

    #[tokio::test]
    async fn an_answer_is_made_by_one_and_all_others_hear_of_its_end() {
        let making = Arc::<InMaking>::default();
        let mine = making.begin("a").unwrap();
        assert!(making.begin("a").is_none() && making.find("b").is_none());
        let mut others = [(); 3].map(|()| making.find("a").unwrap());
        drop((making.begin("b"), mine));
        for other in &mut others {
            assert!(other.changed().await.is_err(), "it is over");
        }
        assert!(making.find("a").is_none() && making.begin("a").is_some());
    }

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
        let counted = |shelf: &Shelf| {
            let answers = shelf.answers.lock();
            let bytes: usize =
                answers.all.iter().map(|(address, answer)| size(&answer.cached, address)).sum();
            (answers.all.len(), answers.by_last_use.len(), bytes)
        };
        shelf.put("a".to_owned(), "2".to_owned(), "text/plain", b"text".to_vec());
        assert_eq!(counted(&shelf), (2, 2, shelf.held().1), "another stamp replaces an answer");
    }
}
