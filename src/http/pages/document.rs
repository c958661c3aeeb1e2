//! An embedded file, and how it is answered.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};

use super::{super::documents::is_known, accept::accepts_gzip};

/// Kept, and asked for anew each time: a new version is seen at once.
pub const ASK_AGAIN: &str = "no-cache";
/// Kept without asking: a new version has a new name.
pub const FOR_GOOD: &str = "public, max-age=31536000, immutable";

/// An embedded file in both codings.
#[derive(Debug)]
pub struct Document {
    pub media_type: &'static str,
    /// Of the content, for the ETag.
    pub hash: &'static str,
    pub plain: &'static [u8],
    pub gzip: &'static [u8],
}

impl Document {
    /// The file, in the coding that the client takes; without its body where the client has it.
    pub fn answer(&self, headers: &HeaderMap, cache_control: &'static str) -> Response {
        let compressed = accepts_gzip(headers);
        // Each coding has its own tag, as both are the same document but not the same bytes.
        let etag = if compressed { format!("\"{}-gz\"", self.hash) } else { format!("\"{}\"", self.hash) };
        let unchanged = is_known(headers, &etag);
        let body = match (unchanged, compressed) {
            (true, _) => Body::empty(),
            (false, true) => Body::from(self.gzip),
            (false, false) => Body::from(self.plain),
        };
        let mut response = Response::new(body);
        if unchanged {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let headers = response.headers_mut();
        if !unchanged {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        }
        if !unchanged && compressed {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache_control));
        if let Ok(etag) = HeaderValue::from_str(&etag) {
            headers.insert(header::ETAG, etag);
        }
        response
    }
}
