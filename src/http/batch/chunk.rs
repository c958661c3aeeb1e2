//! Some lines of a stream, answered one after the other, in slices of a millisecond or two.
//!
//! A search cannot be left in the middle, so one that takes long makes its slice long. The answers before it do not wait for
//! it: where it does not end within its slice it is broken off, they are handed out, and it begins anew.

use std::{
    mem::take,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use bytes::Buf;
use memchr::memchr;
use prometheus_client::metrics::histogram::Histogram;
use tokio::sync::mpsc::UnboundedSender;

use super::{
    Api, Seat,
    input::{Format, LONGEST_LINE, Lines},
};
use crate::{
    http::{
        Found,
        endpoint::{Asked, Endpoint},
        problem::{Problem, ProblemKind},
        request::{PuzzleRequest, Terms},
        trace_context::TraceContext,
        wire::Object,
    },
    pool::Progress,
    solver::{Algorithm, End, Stop},
};

/// How long one slice takes, and one line more: about a chunk of boards that need a search. It ends early where a request
/// waits.
const SLICE: Duration = Duration::from_millis(2);

/// What all chunks of a stream have in common.
pub struct Work {
    pub api: Arc<Api>,
    pub terms: Terms,
    pub format: Format,
    pub request_id: String,
    pub trace: Option<TraceContext>,
    /// Every chunk holds it too, since one may wait in the pool when its stream is over.
    pub seat: Arc<Seat>,
}

/// The answers of one slice.
pub struct Piece {
    /// The number of the chunk.
    pub chunk: u64,
    /// Lines of JSON.
    pub text: Vec<u8>,
    /// The first line that was not answered yet.
    pub line: u64,
    pub answers: u64,
    pub problems: u64,
    /// Whether it is the chunk's last one.
    pub is_last: bool,
    /// The chunk, where it has made so many answers that it is to go on only when they have been sent.
    pub rest: Option<Box<Chunk>>,
}

/// Some lines, and how far they are answered.
pub struct Chunk {
    work: Arc<Work>,
    lines: Lines,
    number: u64,
    pieces: UnboundedSender<Piece>,
    stop: Stop,
    /// Bytes of answers since it was set to work.
    made: usize,
}

impl Chunk {
    /// Nothing is answered yet.
    pub fn new(
        work: Arc<Work>,
        lines: Lines,
        number: u64,
        pieces: UnboundedSender<Piece>,
        cancelled: Arc<AtomicBool>,
    ) -> Chunk {
        let stop = Stop::new(cancelled, None).with_interlude(work.api.pool.interlude());
        Chunk { work, lines, number, pieces, stop, made: 0 }
    }

    /// Goes to work in the pool.
    pub fn start<E: Endpoint>(self) {
        let work = Arc::clone(&self.work);
        let mut chunk = Some(self);
        work.api.pool.run_slices(move || {
            chunk = chunk.take().and_then(Chunk::slice::<E>);
            if chunk.is_some() { Progress::More } else { Progress::Done }
        });
    }

    /// Answers lines for a slice of time. Where that was not the last of it, it returns itself.
    fn slice<E: Endpoint>(mut self) -> Option<Chunk> {
        let mut slice = Slice::new(&self.work, &mut self.stop, &self.pieces, self.number);
        let text = &self.lines.text[..];
        let (mut line, mut at) = (self.lines.first, 0);
        while at < text.len() && slice.goes_on() {
            let end = memchr(b'\n', &text[at..]).map_or(text.len(), |length| at + length + 1);
            slice.line::<E>(line, &text[at..end]);
            (line, at) = (line + 1, end);
        }
        let is_last = at == text.len();
        if is_last && self.lines.then_too_long {
            slice.problem(line, &ProblemKind::LineTooLong.into());
            line += 1;
        }
        let made = slice.made + slice.text.len();
        let mut piece = slice.finish::<E>(line, is_last);
        self.lines.first = line;
        self.lines.text.advance(at);
        self.made += made;
        let pieces = self.pieces.clone();
        let goes_on = !is_last && !self.stop.is_cancelled();
        let mut rest = goes_on.then_some(self);
        if let Some(chunk) = rest.take_if(|chunk| chunk.made >= ENOUGH) {
            piece.rest = Some(Box::new(Chunk { made: 0, ..chunk }));
        }
        // Where nobody takes it, nobody waits for it.
        let _ = pieces.send(piece);
        rest
    }
}

/// A slice of time, and what comes of it.
struct Slice<'a> {
    work: &'a Work,
    stop: &'a mut Stop,
    pieces: &'a UnboundedSender<Piece>,
    chunk: u64,
    now: Instant,
    until: Instant,
    /// The answers so far, and where in them the line begins that is being answered.
    text: Vec<u8>,
    line_at: usize,
    answers: u64,
    problems: u64,
    /// Bytes of answers that were handed out before its end.
    made: usize,
    /// Where the nodes of the algorithm are counted that was used last.
    nodes: Option<(Algorithm, Histogram)>,
    outcomes: Vec<(&'static str, u64)>,
}

impl<'a> Slice<'a> {
    fn new(work: &'a Work, stop: &'a mut Stop, pieces: &'a UnboundedSender<Piece>, chunk: u64) -> Slice<'a> {
        let now = Instant::now();
        Slice {
            work,
            stop,
            pieces,
            chunk,
            now,
            until: now + SLICE,
            text: Vec::with_capacity(ANSWERED),
            line_at: 0,
            answers: 0,
            problems: 0,
            made: 0,
            nodes: None,
            outcomes: Vec::new(),
        }
    }

    /// Answers a line, if it asks for anything.
    fn line<E: Endpoint>(&mut self, number: u64, line: &[u8]) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // Some editors begin a text with a byte order mark.
        let line = if number == 1 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        self.line_at = self.text.len();
        let answered = catch_unwind(AssertUnwindSafe(|| match self.read(line) {
            Some(request) => self.answer::<E>(number, request?),
            None => Ok(()),
        }));
        let problem = match answered {
            Ok(Ok(())) => return,
            Ok(Err(problem)) => problem,
            Err(_) => {
                self.work.api.metrics.panics.inc();
                ProblemKind::Internal.into()
            }
        };
        self.text.truncate(self.line_at);
        self.problem(number, &problem);
    }

    /// What a line asks for, if it asks for anything.
    fn read(&self, line: &[u8]) -> Option<Result<PuzzleRequest, Problem>> {
        let terms = &self.work.terms;
        match self.work.format {
            _ if line.len() > LONGEST_LINE => Some(Err(ProblemKind::LineTooLong.into())),
            Format::Text => board_of(line).map(|board| PuzzleRequest::read_board(board, terms)),
            Format::Json if line.trim_ascii().is_empty() => None,
            Format::Json => Some(PuzzleRequest::read_line(line, terms)),
        }
    }

    fn answer<E: Endpoint>(&mut self, number: u64, request: PuzzleRequest) -> Result<(), Problem> {
        let found = self.search(number, &request);
        let mut answer = Object::new(&mut self.text);
        answer.member("line", &number);
        E::answer(found, Asked::by(&request, self.work.api.max_nodes), &mut answer)?;
        answer.end();
        self.text.push(b'\n');
        self.answers += 1;
        Ok(())
    }

    fn problem(&mut self, number: u64, problem: &Problem) {
        let text = &mut self.text;
        text.extend_from_slice(format!("{{\"line\":{number},\"problem\":").as_bytes());
        text.extend_from_slice(&problem.to_json(&self.work.request_id));
        text.extend_from_slice(b"}\n");
        self.problems += 1;
        // To find what is wrong, and to write it, takes its time as well.
        self.now = Instant::now();
    }

    fn search(&mut self, number: u64, request: &PuzzleRequest) -> Found {
        let timeout = self.work.api.solve_timeout;
        let mut found = None;
        // The first search of a slice keeps no answer waiting.
        if !self.text.is_empty() {
            let in_slice = self.until.saturating_duration_since(self.now) < timeout;
            self.stop.set_deadline(if in_slice { Some(self.until) } else { self.now.checked_add(timeout) });
            found = Some(Found::of(request, self.stop)).filter(|found| found.search.end != End::Stopped || !in_slice);
        }
        let found = found.unwrap_or_else(|| {
            if !self.text.is_empty() {
                let piece = self.piece(number, false);
                self.made += piece.text.len();
                let _ = self.pieces.send(piece);
                self.now = Instant::now();
            }
            self.stop.set_deadline(self.now.checked_add(timeout));
            Found::of(request, self.stop)
        });
        self.now = match found.search.solutions.is_empty() {
            // To look for evidence takes its time as well.
            true => Instant::now(),
            // Near enough to what the clock says, and it need not be asked again.
            false => self.now + found.elapsed,
        };
        if found.conflicts.is_empty() {
            let outcome = found.outcome(self.stop);
            match self.outcomes.iter_mut().find(|(known, _)| *known == outcome) {
                Some((_, count)) => *count += 1,
                None => self.outcomes.push((outcome, 1)),
            }
            let algorithm = request.algorithm;
            if self.nodes.as_ref().is_none_or(|(known, _)| *known != algorithm) {
                self.nodes = Some((algorithm, self.work.api.metrics.nodes_of(algorithm.name())));
            }
            if let Some((_, nodes)) = &self.nodes {
                nodes.observe(found.search.nodes as f64);
            }
        }
        found
    }

    fn goes_on(&self) -> bool {
        let wanted = self.work.api.pool.is_wanted() || self.stop.is_cancelled();
        self.now < self.until && self.text.len() < ENOUGH && !wanted
    }

    /// The answers so far; `line` is the first that was not answered.
    fn piece(&mut self, line: u64, is_last: bool) -> Piece {
        let (mut text, answers, problems) = (take(&mut self.text), take(&mut self.answers), take(&mut self.problems));
        if text.len() < text.capacity() / 2 {
            // It may be held for a while.
            text.shrink_to_fit();
        }
        self.line_at = 0;
        self.work.api.metrics.batch_lines.inc_by(answers + problems);
        Piece { chunk: self.chunk, text, line, answers, problems, is_last, rest: None }
    }

    /// What is left to be handed out. Counts what was done.
    fn finish<E: Endpoint>(mut self, line: u64, is_last: bool) -> Piece {
        for (outcome, count) in take(&mut self.outcomes) {
            self.work.api.metrics.outcomes(E::BATCH_NAME, outcome, count);
        }
        self.piece(line, is_last)
    }
}

/// Bytes that the answers of a slice may well take.
const ANSWERED: usize = 64 << 10;

/// Bytes of answers after which a chunk waits for its turn. Most chunks make a tenth of that.
const ENOUGH: usize = 1 << 20;

/// The board of a line of text: what stands before the first white space. `None` where the line has none, or is a comment.
fn board_of(line: &[u8]) -> Option<&[u8]> {
    if let Some((board, after)) = line.split_first_chunk::<81>()
        && after.first().is_none_or(u8::is_ascii_whitespace)
        && board[0] != b'#'
        && board.iter().all(|&byte| byte > b' ')
    {
        return Some(board);
    }
    let line = line.trim_ascii_start();
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    (end > 0 && line[0] != b'#').then_some(&line[..end])
}
