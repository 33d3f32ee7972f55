//! The refusal of a request.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use referee_record::error::{Error, ErrorKind};

/// A request that is refused: the status, and a sentence that says why and how to fix it.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    pub(crate) what: String,
    /// The error of the host's records behind it, for the host alone.
    pub(crate) cause: Option<String>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, what: impl Into<String>) -> Refusal {
        Refusal { status, what: what.into(), cause: None }
    }

    pub(crate) fn missing(what: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, what)
    }

    pub(crate) fn bad(what: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, what)
    }

    pub(crate) fn unauthorized(what: &str) -> Refusal {
        Refusal::new(StatusCode::UNAUTHORIZED, what)
    }

    pub(crate) fn busy() -> Refusal {
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the server is busy: try again in some seconds")
    }

    /// Adds the error behind it, which the server tells the host.
    fn because(mut self, error: &Error) -> Refusal {
        self.cause = Some(error.to_string());
        self
    }

    /// The refusal for an error that a request can have caused. `hide` removes the paths of the host.
    pub(crate) fn from_error(error: Error, hide: impl Fn(&str) -> String) -> Refusal {
        match error.kind() {
            ErrorKind::Input => Refusal::bad(hide(&error.to_string())),
            _ => error.into(),
        }
    }
}

/// The refusal for an error of the host. Details of its folders are for the host alone.
impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        use std::io::ErrorKind::{FileTooLarge, PermissionDenied, QuotaExceeded, StorageFull};
        let (status, what) = match error.cause::<std::io::Error>().map(std::io::Error::kind) {
            // A quota, or a limit of the size of files, is to a client what a full disk is.
            Some(StorageFull | QuotaExceeded | FileTooLarge) => (
                StatusCode::INSUFFICIENT_STORAGE,
                "the disk of the host is full: nothing was stored, try again later",
            ),
            Some(PermissionDenied) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "this server may not read a file of the host's records: tell the host",
            ),
            _ if error.kind() == ErrorKind::Busy => return Refusal::busy(),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "the host's records cannot be read: tell the host"),
        };
        Refusal::new(status, what).because(&error)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::Path;

    use super::*;

    #[test]
    fn what_cannot_be_stored_is_not_what_cannot_be_read() {
        let status = |kind: io::ErrorKind| {
            Refusal::from(Error::system(Path::new("inbox"), "write the program")(kind.into())).status
        };
        for full in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge] {
            assert_eq!(status(full), StatusCode::INSUFFICIENT_STORAGE, "{full}");
        }
        assert_eq!(status(io::ErrorKind::PermissionDenied), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(status(io::ErrorKind::InvalidData), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
