//! An event as one line of JSON: `timestamp` (UTC), `level`, `message`, then its fields in their order.
//!
//! tracing-subscriber has such a format, and with it the line of a request took a fifth of all the instructions that the
//! request needed: it makes a serializer of each part. Events here have a handful of flat fields and there are no spans,
//! so their parts are put behind one another.

use std::{
    fmt::{self, Debug, Write},
    time::SystemTime,
};

use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, format::Writer};

/// Writes events as lines of JSON.
pub struct JsonLines;

impl<S: Subscriber, N: for<'a> FormatFields<'a>> FormatEvent<S, N> for JsonLines
where
    S: for<'a> tracing_subscriber::registry::LookupSpan<'a>,
    N: 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut line = Line(String::with_capacity(LENGTH));
        line.0.push_str("{\"timestamp\":\"");
        line.write(format_args!("{}", humantime::format_rfc3339_micros(SystemTime::now())));
        line.0.push_str("\",\"level\":\"");
        line.0.push_str(event.metadata().level().as_str());
        line.0.push('"');
        event.record(&mut line);
        line.0.push_str("}\n");
        writer.write_str(&line.0)
    }
}

/// Most lines are shorter.
const LENGTH: usize = 384;

/// A line that is being put together, to which fields are added as members.
struct Line(String);

impl Line {
    fn name(&mut self, field: &Field) {
        // Names are identifiers of this program and of its libraries, with no character to escape.
        self.0.push_str(",\"");
        self.0.push_str(field.name());
        self.0.push_str("\":");
    }

    fn write(&mut self, text: fmt::Arguments) {
        // Writing to a string cannot fail.
        let _ = self.0.write_fmt(text);
    }

    fn push_escaped(&mut self, text: &str) {
        if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
            self.0.push_str(text);
        } else if let Ok(quoted) = serde_json::to_string(text) {
            self.0.push_str(&quoted[1..quoted.len() - 1]);
        }
    }
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.name(field);
        self.0.push('"');
        self.push_escaped(value);
        self.0.push('"');
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.name(field);
        self.0.push_str(itoa::Buffer::new().format(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.name(field);
        self.0.push_str(itoa::Buffer::new().format(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.name(field);
        self.0.push_str(if value { "true" } else { "false" });
    }

    /// Everything else, floats too, as the text that it is for a person.
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.name(field);
        self.0.push('"');
        // Writing to a string cannot fail.
        let _ = write!(Escaped(self), "{value:?}");
        self.0.push('"');
    }
}

/// Escapes what may not stand in a string of JSON as it is.
struct Escaped<'a>(&'a mut Line);

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.push_escaped(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_json_cannot_hold_is_escaped() {
        for (text, escaped) in [("", ""), ("plain ü", "plain ü"), ("a\"\\\n\u{1}", r#"a\"\\\n\u0001"#)] {
            let mut line = Line(String::new());
            write!(Escaped(&mut line), "{text}").unwrap();
            assert_eq!(line.0, escaped);
        }
    }
}
