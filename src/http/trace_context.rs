//! `traceparent`: where in a distributed trace a request stands, for the log.
//!
//! The form is that of W3C Trace Context: `00-` trace id `-` span id `-` flags, in lower-case hex. What has another form is
//! as good as absent. Of a later version as much is read as version 00 has, as the standard asks.

use axum::http::{HeaderMap, HeaderName};

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The length of version 00.
const LENGTH: usize = 55;

/// A trace and the span in it that the caller is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceContext(String);

impl TraceContext {
    /// What the headers of a request say, if they say it once and right.
    pub fn of(headers: &HeaderMap) -> Option<TraceContext> {
        // Most requests have none, and this is all that they pay.
        let first = headers.get(TRACEPARENT)?;
        let once = headers.get_all(TRACEPARENT).iter().nth(1).is_none();
        first.to_str().ok().filter(|_| once).and_then(TraceContext::read)
    }

    fn read(text: &str) -> Option<TraceContext> {
        let (known, rest) = text.split_at_checked(LENGTH)?;
        let hex = |part: &str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let id = |part: &str| hex(part) && part.bytes().any(|byte| byte != b'0');
        let dashes = [2, 35, 52].iter().all(|&at| known.as_bytes()[at] == b'-');
        let version = known.get(..2)?;
        let ends = if version == "00" { rest.is_empty() } else { rest.is_empty() || rest.starts_with('-') };
        let valid = dashes && ends && hex(version) && version != "ff" && hex(known.get(53..)?);
        (valid && id(known.get(3..35)?) && id(known.get(36..52)?)).then(|| TraceContext(known.to_owned()))
    }

    /// The trace.
    pub fn trace_id(&self) -> &str {
        &self.0[3..35]
    }

    /// The caller's span.
    pub fn span_id(&self) -> &str {
        &self.0[36..52]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const SPAN: &str = "00f067aa0ba902b7";

    #[test]
    fn the_standard_decides_what_is_a_trace() {
        let with = |version: &str, trace: &str, span: &str, rest: &str| format!("{version}-{trace}-{span}-{rest}");
        let cases = [
            (with("00", TRACE, SPAN, "01"), true, "the standard's example"),
            (with("00", TRACE, SPAN, "ff"), true, "any flags"),
            (with("01", TRACE, SPAN, "00"), true, "a later version"),
            (with("cc", TRACE, SPAN, "01-what-comes"), true, "a later version that says more"),
            (with("cc", TRACE, SPAN, "01."), false, "a later version with other parts"),
            (with("00", TRACE, SPAN, "01-more"), false, "version 00 says no more"),
            (with("ff", TRACE, SPAN, "01"), false, "a version that cannot be"),
            (with("0x", TRACE, SPAN, "01"), false, "no version"),
            (with("00", &"0".repeat(32), SPAN, "01"), false, "a trace of zeros"),
            (with("00", TRACE, &"0".repeat(16), "01"), false, "a span of zeros"),
            (with("00", &TRACE.to_uppercase(), SPAN, "01"), false, "capitals"),
            (with("00", TRACE, SPAN, "0g"), false, "flags that are not hex"),
            (with("00", TRACE, SPAN, "1"), false, "one too few"),
            (with("00", TRACE, SPAN, "01").replace('-', "_"), false, "other separators"),
            (with("00", &TRACE.replace("4b", "ü"), SPAN, "01"), false, "not ASCII"),
            (String::new(), false, "nothing"),
        ];
        for (sent, valid, shows) in cases {
            let read = TraceContext::read(&sent);
            assert_eq!(read.is_some(), valid, "{shows}: {sent}");
            if let Some(trace) = read {
                assert_eq!((trace.trace_id(), trace.span_id()), (TRACE, SPAN), "{shows}");
            }
        }
    }

    #[test]
    fn two_traces_are_none() {
        let value = format!("00-{TRACE}-{SPAN}-01").parse().unwrap();
        let mut headers = HeaderMap::new();
        assert_eq!(TraceContext::of(&headers), None);
        headers.append(TRACEPARENT, value);
        assert!(TraceContext::of(&headers).is_some());
        headers.append(TRACEPARENT, headers[TRACEPARENT].clone());
        assert_eq!(TraceContext::of(&headers), None);
    }
}
