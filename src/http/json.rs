//! A JSON document, read in one pass.
//!
//! A [`Reader`] stands before a value, and whoever knows what belongs there asks for it: [`Reader::object`] and
//! [`Reader::array`] hand out the members and elements one by one, [`Reader::value`] reads all else, and
//! [`Reader::skip`] what nobody wants to know. That keeps what a typed reader loses and the contract needs: repeated
//! members, the order of members, and integers as they were written (`1e3` and `81.0` are none, and 2^64 is one). It is
//! our own reader because serde_json would keep them only as raw text, to be read once more for each level.
//!
//! The text may prove to be broken at any place, and then nothing that was read before it counts: every function says
//! [`Broken`], and [`document`] asks serde_json for the words.

use std::borrow::Cow;

use serde::de::IgnoredAny;

/// Text that is no JSON, with the reason for a person.
#[derive(Debug)]
pub struct Malformed(pub String);

/// The text is no JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken;

/// The bytes as text, which all JSON has to be.
pub fn text(bytes: &[u8]) -> Result<&str, Malformed> {
    str::from_utf8(bytes).map_err(|error| Malformed(error.to_string()))
}

/// Reads a document of one value, which `read` takes from the reader.
pub fn document<'a, T>(
    bytes: &'a [u8],
    read: impl FnOnce(&mut Reader<'a>) -> Result<T, Broken>,
) -> Result<T, Malformed> {
    let text = text(bytes)?;
    let mut reader = Reader { text, at: 0 };
    match (read(&mut reader), reader.peek()) {
        (Ok(found), None) => Ok(found),
        _ => Err(explain(text)),
    }
}

/// Why a text is broken.
#[cold]
fn explain(text: &str) -> Malformed {
    Malformed(match serde_json::from_str::<IgnoredAny>(text) {
        Err(error) => error.to_string(),
        // A lone surrogate, which serde_json does not mind where it skips.
        Ok(_) => String::from("an escape in a string stands for no character"),
    })
}

/// A value that was read as a whole.
#[derive(Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number without fraction and exponent, as it was written.
    Integer(&'a str),
    /// Any other number.
    Number,
    /// A string.
    String(Cow<'a, str>),
    /// An array; its elements were skipped.
    Array,
    /// An object; the values of its members were skipped.
    Object,
}

impl Value<'_> {
    /// What kind of value it is, for a person.
    pub const fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Boolean => "a boolean",
            Value::Integer(_) => "an integer",
            Value::Number => "a number that is not written as an integer",
            Value::String(_) => "a string",
            Value::Array => "an array",
            Value::Object => "an object",
        }
    }
}

/// The value of an integer as it was written; `None` where it is negative or beyond 64 bits.
pub fn natural(written: &str) -> Option<u64> {
    if written == "-0" { Some(0) } else { written.parse().ok() }
}

/// A place in a document.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// The next byte that is no space, which tells the kind of a value.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        loop {
            match self.next_byte()? {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    /// Goes past this byte, where it is the next one that is no space.
    #[inline]
    pub fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Reads any value.
    pub fn value(&mut self) -> Result<Value<'a>, Broken> {
        Ok(match self.peek().ok_or(Broken)? {
            b'"' => Value::String(self.string()?),
            b'[' => {
                self.skip()?;
                Value::Array
            }
            b'{' => {
                self.object(|reader, _| reader.skip())?;
                Value::Object
            }
            b'n' => self.word("null", Value::Null)?,
            b't' => self.word("true", Value::Boolean)?,
            b'f' => self.word("false", Value::Boolean)?,
            _ => self.number()?,
        })
    }

    /// Reads an array and says how many elements it has; `None`, and nothing is read, where there is something else.
    /// The function takes each element from the reader; it is told its index.
    pub fn array(
        &mut self,
        mut element: impl FnMut(&mut Self, usize) -> Result<(), Broken>,
    ) -> Result<Option<usize>, Broken> {
        if self.take(b'[').is_none() {
            return Ok(None);
        }
        if self.take(b']').is_some() {
            return Ok(Some(0));
        }
        let mut count = 0;
        loop {
            element(self, count)?;
            count += 1;
            if self.take(b',').is_none() {
                return self.take(b']').map(|()| Some(count)).ok_or(Broken);
            }
        }
    }

    /// How many elements the array has that comes next, if one does. It stays unread.
    pub fn count(&self) -> Result<Option<usize>, Broken> {
        self.clone().array(|reader, _| reader.skip())
    }

    /// Reads an object; `None`, and nothing is read, where there is something else. The function takes the value of each
    /// member from the reader; it is told the member's name.
    #[inline]
    pub fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, Cow<'a, str>) -> Result<(), Broken>,
    ) -> Result<Option<()>, Broken> {
        if self.take(b'{').is_none() {
            return Ok(None);
        }
        if self.take(b'}').is_some() {
            return Ok(Some(()));
        }
        loop {
            let name = self.string()?;
            self.take(b':').ok_or(Broken)?;
            member(self, name)?;
            if self.take(b',').is_none() {
                return self.take(b'}').map(Some).ok_or(Broken);
            }
        }
    }

    /// Skips any value. Its strings are not looked at: what has the form of an escape passes for one.
    pub fn skip(&mut self) -> Result<(), Broken> {
        // What closes the arrays and objects around. A text may be nested as deep as it is long, which is too deep for a
        // function that calls itself.
        let mut open = Vec::new();
        loop {
            match self.peek().ok_or(Broken)? {
                bracket @ (b'[' | b'{') => {
                    self.at += 1;
                    let closing = if bracket == b'[' { b']' } else { b'}' };
                    if self.take(closing).is_none() {
                        open.push(closing);
                        self.skip_name(closing)?;
                        continue;
                    }
                }
                b'"' => _ = self.quoted()?,
                _ => _ = self.value()?,
            }
            while let Some(&closing) = open.last() {
                if self.take(b',').is_some() {
                    self.skip_name(closing)?;
                    break;
                }
                self.take(closing).ok_or(Broken)?;
                open.pop();
            }
            if open.is_empty() {
                return Ok(());
            }
        }
    }

    /// Skips the name of a member, if this bracket closes an object.
    fn skip_name(&mut self, closing: u8) -> Result<(), Broken> {
        if closing == b'}' {
            self.quoted()?;
            self.take(b':').ok_or(Broken)?;
        }
        Ok(())
    }

    /// Goes past the next `N` bytes. They may be anything, and end within a character: that is for the caller to check
    /// before it asks for a value.
    #[inline]
    pub fn bytes<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        let bytes = self.text.as_bytes()[self.at..].first_chunk()?;
        self.at += N;
        Some(bytes)
    }

    /// Goes past one digit, and gives it as it was written. It may be the first of many.
    #[inline]
    pub fn digit(&mut self) -> Option<u8> {
        let digit = self.peek().filter(u8::is_ascii_digit)?;
        self.at += 1;
        Some(digit)
    }

    /// The characters of a string. Nearly all have no escapes and are borrowed.
    #[inline]
    fn string(&mut self) -> Result<Cow<'a, str>, Broken> {
        let (written, plain) = self.quoted()?;
        if plain { Ok(Cow::Borrowed(written)) } else { unescape(written) }
    }

    /// A string as it was written, without its quotes, and whether it has no escapes.
    fn quoted(&mut self) -> Result<(&'a str, bool), Broken> {
        self.take(b'"').ok_or(Broken)?;
        let (bytes, start, mut plain) = (self.text.as_bytes(), self.at, true);
        loop {
            let special = |&byte: &u8| matches!(byte, b'"' | b'\\' | 0..b' ');
            self.at += bytes[self.at..].iter().position(special).ok_or(Broken)?;
            match bytes[self.at] {
                b'"' => break,
                b'\\' => {
                    plain = false;
                    self.at += 1;
                    self.escape()?;
                }
                _ => return Err(Broken),
            }
        }
        self.at += 1;
        Ok((&self.text[start..self.at - 1], plain))
    }

    /// Goes past what follows a backslash.
    fn escape(&mut self) -> Result<(), Broken> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += match rest {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 1,
            [b'u', digits @ ..] if digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).take(4).count() == 4 => 5,
            _ => return Err(Broken),
        };
        Ok(())
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Result<Value<'a>, Broken> {
        let found = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        self.at += word.len();
        if found { Ok(value) } else { Err(Broken) }
    }

    fn number(&mut self) -> Result<Value<'a>, Broken> {
        let start = self.at;
        self.go_past(b"-");
        if !self.go_past(b"0") {
            self.digits()?;
        }
        let whole = self.at;
        if self.go_past(b".") {
            self.digits()?;
        }
        if self.go_past(b"eE") {
            self.go_past(b"+-");
            self.digits()?;
        }
        Ok(if self.at == whole { Value::Integer(&self.text[start..whole]) } else { Value::Number })
    }

    /// Goes past one digit or more.
    fn digits(&mut self) -> Result<(), Broken> {
        let start = self.at;
        while self.next_byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(Broken) }
    }

    /// Goes past the next byte, if it is one of these.
    fn go_past(&mut self, bytes: &[u8]) -> bool {
        let found = self.next_byte().is_some_and(|byte| bytes.contains(&byte));
        self.at += usize::from(found);
        found
    }

    fn next_byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

/// The characters of a string that has escapes.
#[cold]
fn unescape<'a>(written: &str) -> Result<Cow<'a, str>, Broken> {
    serde_json::from_str(&format!("\"{written}\"")).map(Cow::Owned).map_err(|_| Broken)
}

#[cfg(test)]
mod tests;
