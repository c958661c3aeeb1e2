//! The id of a request, by which its answer, its problem and its line in the log are found together.

use axum::http::{HeaderName, HeaderValue};

/// Its header, in requests and in answers.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What the client sent, if it is a plain short text, else something fresh.
#[derive(Debug, Clone)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// The id of a request that was sent with this one, or with none.
    pub fn of(sent: Option<&HeaderValue>) -> RequestId {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
        match sent {
            Some(sent) if (1..=64).contains(&sent.len()) && sent.as_bytes().iter().all(plain) => {
                RequestId(sent.clone())
            }
            _ => RequestId::fresh(),
        }
    }

    /// As a header's value.
    pub fn to_header(&self) -> HeaderValue {
        self.0.clone()
    }

    /// 32 random hexadecimal digits.
    fn fresh() -> RequestId {
        let mut bits = fastrand::u128(..);
        let mut digits = [0; 32];
        for digit in &mut digits {
            *digit = b"0123456789abcdef"[(bits & 15) as usize];
            bits >>= 4;
        }
        RequestId(HeaderValue::from_bytes(&digits).unwrap_or(NO_ID))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }
}

/// Stands for an id that cannot be written, which none is.
const NO_ID: HeaderValue = HeaderValue::from_static("-");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_short_id_is_taken_over_and_anything_else_replaced() {
        for sent in ["a", "A.b_c-9", &"x".repeat(64)] {
            assert_eq!(RequestId::of(Some(&HeaderValue::from_str(sent).unwrap())).0, sent);
        }
        for sent in ["", "a b", "ü", "a\"b", &"x".repeat(65)] {
            assert_eq!(RequestId::of(Some(&HeaderValue::from_str(sent).unwrap())).as_str().len(), 32, "{sent:?}");
        }
        assert_eq!(RequestId::of(None).as_str().len(), 32);
        assert_ne!(RequestId::of(None).0, RequestId::of(None).0);
    }
}
