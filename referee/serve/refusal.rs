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
        let cause = error.cause::<std::io::Error>().map(std::io::Error::kind);
        if cause == Some(std::io::ErrorKind::StorageFull) {
            let what = "the disk of the host is full: nothing was stored, try again later";
            return Refusal::new(StatusCode::INSUFFICIENT_STORAGE, what).because(&error);
        }
        if cause == Some(std::io::ErrorKind::PermissionDenied) {
            let what = "this server may not read a file of the host's records: tell the host";
            return Refusal::new(StatusCode::SERVICE_UNAVAILABLE, what).because(&error);
        }
        match error.kind() {
            ErrorKind::Busy => Refusal::busy(),
            _ => {
                let what = "the host's records cannot be read: tell the host";
                Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, what).because(&error)
            }
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}
