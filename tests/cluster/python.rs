//! The packages for these tests, which `scripts/test` installs from `requirements.txt`.

use std::path::{Path, PathBuf};

/// Returns a program of the environment for Python that these tests have.
pub(crate) fn program(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cluster/python/bin").join(name);
    assert!(path.exists(), "{} is not there: scripts/test installs it", path.display());
    path
}
