//! The addresses of visitors, and the number of wrong tokens from each.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use axum::http::StatusCode;
use parking_lot::Mutex;
use referee_table::clock::Clock;

use crate::refusal::Refusal;

/// The address of a peer: the other end of the connection, which may be a proxy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// The sender of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visitor {
    /// The visitor's own address, which a proxy has forwarded if there is one.
    pub(crate) from: IpAddr,
    pub(crate) peer: IpAddr,
}

/// Returns the address by which connections and failures are counted. For IPv6, it is the network of 64 bits.
pub(crate) fn group(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(six) => IpAddr::from((u128::from(six) & (u128::MAX << 64)).to_be_bytes()),
        four => four,
    }
}

/// Maximum number of wrong tokens of an address in a window of time. The answer to further ones is to wait. A right
/// token is never kept waiting: others may have the same address, and nobody guesses 32 random bytes.
const FAILURES_MAX: u32 = 10;

/// The length of the window of time.
const WINDOW: Duration = Duration::from_secs(60);

/// Maximum number of addresses with wrong tokens that are remembered.
const ADDRESSES_MAX: usize = 100_000;

/// Number of wrong tokens of each address, with the start of its window.
#[derive(Debug)]
pub(crate) struct Throttle {
    clock: Clock,
    failures: Mutex<BTreeMap<IpAddr, (u32, Duration)>>,
}

impl Default for Throttle {
    fn default() -> Throttle {
        Throttle { clock: Clock::start(), failures: Mutex::default() }
    }
}

impl Throttle {
    /// Remembers a wrong token of an address, and returns the answer to it.
    pub(crate) fn refuse(&self, address: IpAddr) -> Refusal {
        if self.count_failure(address) > FAILURES_MAX {
            let what = "too many wrong tokens from this address: wait a minute";
            Refusal::new(StatusCode::TOO_MANY_REQUESTS, what)
        } else {
            Refusal::unauthorized("unknown token: ask the host of the hill for one")
        }
    }

    /// Returns the number of addresses that are remembered.
    pub(crate) fn held(&self) -> usize {
        self.failures.lock().len()
    }

    /// Counts a wrong token of an address. Returns the number of its wrong tokens in its window.
    fn count_failure(&self, address: IpAddr) -> u32 {
        let now = self.clock.now().0;
        let mut failures = self.failures.lock();
        let is_over = |since: Duration| now.saturating_sub(since) > WINDOW;
        if failures.len() >= ADDRESSES_MAX && !failures.contains_key(&address) {
            failures.retain(|_, (_, since)| !is_over(*since));
            if failures.len() >= ADDRESSES_MAX {
                failures.pop_first();
            }
        }
        let (count, since) = failures.entry(address).or_insert((0, now));
        if is_over(*since) {
            (*count, *since) = (0, now);
        }
        *count = count.saturating_add(1);
        *count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eleventh_wrong_token_of_an_address_is_told_to_wait_and_the_first_of_another_is_not() {
        let throttle = Throttle::default();
        let [one, other] = ["192.0.2.1", "192.0.2.2"].map(|address| address.parse().unwrap());
        let is_told = |address| throttle.refuse(address).what.contains("wait a minute");
        let refused: Vec<bool> = (0..12).map(|_| is_told(one)).collect();
        assert_eq!((&refused[..10], &refused[10..]), (&[false; 10][..], &[true; 2][..]));
        assert!(!is_told(other));
    }

    #[test]
    fn wrong_tokens_from_any_number_of_addresses_take_a_bounded_memory() {
        let throttle = Throttle::default();
        for number in 0..ADDRESSES_MAX as u32 + 20 {
            throttle.count_failure(IpAddr::from(number.to_be_bytes()));
        }
        assert_eq!(throttle.held(), ADDRESSES_MAX);
    }
}
