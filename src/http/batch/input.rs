//! The bytes of a stream, cut into chunks of whole lines.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use memchr::{memchr, memchr_iter, memrchr};

/// The longest line, without its end.
pub const LONGEST_LINE: usize = 64 << 10;

/// How much goes into one chunk: some hundred boards, so that passing them around costs little beside solving them, and so
/// few that the chunks of one stream keep all threads busy.
const CHUNK: usize = 32 << 10;

/// The most lines of a chunk. An answer may be much longer than a line.
const CHUNK_LINES: usize = 512;

/// How lines are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON value a line.
    Json,
    /// A board of 81 characters a line, as collections of puzzles have them.
    Text,
}

impl Format {
    /// The format of a media type.
    pub fn of(media_type: &str) -> Option<Format> {
        let is = |name: &str| media_type.eq_ignore_ascii_case(name);
        if is("application/x-ndjson") || is("application/jsonl") {
            Some(Format::Json)
        } else if is("text/plain") {
            Some(Format::Text)
        } else {
            None
        }
    }
}

/// Some lines of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// The number of the first one.
    pub first: u64,
    /// Whole lines; the last one of a stream may have no end.
    pub text: Bytes,
    /// The one after them is too long, and was thrown away.
    pub then_too_long: bool,
}

/// What has come in and was not worked on yet.
#[derive(Debug)]
pub struct Input {
    /// Whole lines.
    ready: VecDeque<Lines>,
    /// The beginning of a line.
    rest: BytesMut,
    /// The rest of the line is thrown away up to its end.
    skipping: bool,
    /// The number of the line that `rest` belongs to.
    line: u64,
    begun: bool,
    ended: bool,
}

impl Default for Input {
    fn default() -> Input {
        Input { ready: VecDeque::new(), rest: BytesMut::new(), skipping: false, line: 1, begun: false, ended: false }
    }
}

impl Input {
    /// Takes what has come in.
    pub fn push(&mut self, mut bytes: Bytes) {
        self.begun = true;
        if self.skipping {
            let Some(end) = memchr(b'\n', &bytes) else { return };
            bytes = bytes.split_off(end + 1);
            self.skipping = false;
        }
        let Some(end) = memrchr(b'\n', &bytes) else { return self.keep(&bytes) };
        let rest = bytes.split_off(end + 1);
        let whole = if self.rest.is_empty() {
            bytes
        } else {
            self.rest.extend_from_slice(&bytes);
            std::mem::take(&mut self.rest).freeze()
        };
        self.cut(whole);
        self.keep(&rest);
    }

    /// Nothing more comes in.
    pub fn end(&mut self) {
        (self.begun, self.ended) = (true, true);
        let rest = std::mem::take(&mut self.rest).freeze();
        if !rest.is_empty() {
            self.ready.push_back(Lines { first: self.line, text: rest, then_too_long: false });
        }
    }

    /// Whether anything has come in, be it the end.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Whether nothing more comes in.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether nothing more comes in, and everything was worked on.
    pub fn is_done(&self) -> bool {
        self.ended && self.ready.is_empty()
    }

    /// Some more lines to work on.
    pub fn next_chunk(&mut self) -> Option<Lines> {
        self.ready.pop_front()
    }

    /// Keeps the beginning of a line.
    fn keep(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        // One more may be the first half of the line's end.
        if self.rest.len() > LONGEST_LINE + 1 {
            self.rest = BytesMut::new();
            self.skipping = true;
            self.ready.push_back(Lines { first: self.line, text: Bytes::new(), then_too_long: true });
            self.line += 1;
        }
    }

    /// Cuts lines that have all come in whole.
    fn cut(&mut self, mut whole: Bytes) {
        while !whole.is_empty() {
            let mut ends = memchr_iter(b'\n', &whole).take(CHUNK_LINES).map(|end| end + 1);
            let (mut lines, mut end) = (0, 0);
            while end < CHUNK
                && let Some(next) = ends.next()
            {
                (lines, end) = (lines + 1, next);
            }
            let (first, text) = (self.line, whole.split_to(end));
            self.line += lines;
            self.ready.push_back(Lines { first, text, then_too_long: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All lines, with their numbers, of an input that comes in pieces of this size.
    fn lines(text: &[u8], size: usize) -> Vec<(u64, Option<Vec<u8>>)> {
        let mut input = Input::default();
        text.chunks(size).for_each(|piece| input.push(Bytes::copy_from_slice(piece)));
        input.end();
        let mut found = Vec::new();
        while let Some(Lines { first, text, then_too_long }) = input.next_chunk() {
            assert!(text.len() <= CHUNK + LONGEST_LINE + 2);
            let mut number = first;
            for line in text.split_inclusive(|&byte| byte == b'\n') {
                found.push((number, Some(line.to_vec())));
                number += 1;
            }
            if then_too_long {
                found.push((number, None));
            }
        }
        assert!(input.is_done());
        found
    }

    #[test]
    fn lines_are_the_same_however_they_come_in() {
        let long = |length: usize| "x".repeat(length) + "\n";
        let texts = [
            String::new(),
            "\n".repeat(100),
            "a\nbb\r\n\nccc".to_owned(),
            "a\n".to_owned() + &long(LONGEST_LINE + 1) + "b",
            (0..9000).map(|number| format!("{number}\n")).collect(),
        ];
        for text in texts {
            let expected: Vec<_> = (1..)
                .zip(text.as_bytes().split_inclusive(|&byte| byte == b'\n').map(|line| Some(line.to_vec())))
                .collect();
            for size in [1, 2, 7, 1000, 40_000, 1_000_000] {
                assert_eq!(lines(text.as_bytes(), size), expected, "{size}");
            }
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_thrown_away_and_counted() {
        let text = ["a\n", &"x".repeat(3 * LONGEST_LINE), "\nb\n", &"y".repeat(LONGEST_LINE + 2)].concat();
        let expected = [(1, Some(b"a\n".to_vec())), (2, None), (3, Some(b"b\n".to_vec())), (4, None)];
        for size in [1000, 5000, 65_000] {
            assert_eq!(lines(text.as_bytes(), size), expected, "{size}");
        }
    }
}
