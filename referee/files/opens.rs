//! Which files and folders a thread opens below the folders of records, and how often.
//!
//! Only who asks is told. The count of a thread goes on in the threads that it lends it to, and in no others: tests of
//! one process do not disturb each other.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

thread_local! {
    static COUNT: RefCell<Option<Opens>> = const { RefCell::new(None) };
}

/// A count that threads share.
#[derive(Clone, Debug, Default)]
pub struct Opens(Arc<Mutex<BTreeMap<PathBuf, u64>>>);

impl Opens {
    /// Begins a count of what this thread opens.
    pub fn begin() -> Opens {
        let opens = Opens::default();
        opens.go_on();
        opens
    }

    /// Returns the count of this thread, if there is one.
    pub fn of_this_thread() -> Option<Opens> {
        COUNT.with_borrow(Clone::clone)
    }

    /// Goes on with the count in this thread.
    pub fn go_on(&self) {
        COUNT.replace(Some(self.clone()));
    }

    /// Returns the number of attempts to open each path so far.
    pub fn so_far(&self) -> BTreeMap<PathBuf, u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Counts an attempt to open something.
pub(crate) fn count(path: &Path) {
    COUNT.with_borrow(|count| {
        if let Some(Opens(count)) = count {
            let mut count = count.lock().unwrap_or_else(PoisonError::into_inner);
            *count.entry(path.to_owned()).or_default() += 1;
        }
    });
}
