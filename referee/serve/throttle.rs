//! Addresses of visitors, and a limit on the tokens that each can guess.

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

/// Maximum number of wrong tokens of an address in a window of time. Further tokens are not compared.
const FAILURES_MAX: u32 = 10;

/// The window.
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
    /// Makes sure that an address may try a token now.
    pub(crate) fn check(&self, address: IpAddr) -> Result<(), Refusal> {
        let now = self.clock.now().0;
        let mut failures = self.failures.lock();
        if failures.get(&address).is_some_and(|(_, since)| now.saturating_sub(*since) > WINDOW) {
            failures.remove(&address);
        }
        match failures.get(&address) {
            Some((count, _)) if *count >= FAILURES_MAX => {
                let what = "too many wrong tokens from this address: wait a minute";
                Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, what))
            }
            _ => Ok(()),
        }
    }

    /// Returns the number of addresses that are remembered.
    pub(crate) fn held(&self) -> usize {
        self.failures.lock().len()
    }

    /// Remembers a wrong token of an address.
    pub(crate) fn fail(&self, address: IpAddr) {
        let now = self.clock.now().0;
        let mut failures = self.failures.lock();
        if failures.len() >= ADDRESSES_MAX {
            failures.retain(|_, (_, since)| now.saturating_sub(*since) <= WINDOW);
        }
        if failures.len() >= ADDRESSES_MAX {
            failures.pop_first();
        }
        failures.entry(address).or_insert((0, now)).0 += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_tries_ten_tokens_a_minute_and_others_are_not_kept_waiting() {
        let throttle = Throttle::default();
        let [one, other] = ["192.0.2.1", "192.0.2.2"].map(|address| address.parse().unwrap());
        for _ in 0..FAILURES_MAX {
            throttle.check(one).unwrap();
            throttle.fail(one);
        }
        assert!(throttle.check(one).is_err() && throttle.check(other).is_ok());
    }

    #[test]
    fn wrong_tokens_from_any_number_of_addresses_take_a_bounded_memory() {
        let throttle = Throttle::default();
        for number in 0..ADDRESSES_MAX as u32 + 20 {
            throttle.fail(IpAddr::from(number.to_be_bytes()));
        }
        assert_eq!(throttle.held(), ADDRESSES_MAX);
    }
}
