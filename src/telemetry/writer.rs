//! The way of log lines to where they are read, which may be slow or stand still.
//!
//! Lines are put behind one another in memory, and a thread of its own writes what has come together, a hundred times a
//! second at the most: a line costs its copy, and no thread is woken for it while there is much to log. Where the reader
//! stands still, lines are dropped and counted.

use std::{
    io,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

/// Bytes that wait to be written: enough for a reader's hiccup, and no second memory for its death.
const CAPACITY: usize = 2 << 20;

/// The time from one write to the next.
const PAUSE: Duration = Duration::from_millis(10);

/// How long the end waits for the last lines to be written.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Lines that wait to be written. Writing to it is putting a line there.
#[derive(Debug, Default)]
pub struct Lines {
    state: Mutex<State>,
    /// The state has changed: there are lines where there were none, or it has ended.
    changed: Condvar,
    dropped: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    text: Vec<u8>,
    /// No more lines come.
    closed: bool,
    /// Everything has been written.
    done: bool,
}

/// Ends the writing when it is dropped.
#[derive(Debug)]
pub struct Guard(Arc<Lines>);

impl Lines {
    /// Starts the thread that writes them there.
    pub fn written_to(mut out: impl io::Write + Send + 'static) -> io::Result<(Arc<Lines>, Guard)> {
        let lines = Arc::new(Lines::default());
        let writer = Arc::clone(&lines);
        thread::Builder::new().name("log".into()).spawn(move || writer.write(&mut out))?;
        let guard = Guard(Arc::clone(&lines));
        Ok((lines, guard))
    }

    /// How many lines were dropped.
    pub fn dropped(&self) -> usize {
        self.dropped.load(Ordering::Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, out: &mut impl io::Write) {
        let mut text = Vec::new();
        loop {
            let waiting = |state: &mut State| state.text.is_empty() && !state.closed;
            let mut state = self.changed.wait_while(self.state(), waiting).unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut state.text, &mut text);
            if text.is_empty() {
                state.done = true;
                return self.changed.notify_all();
            }
            drop(state);
            // There is nowhere to tell that the log cannot be written.
            let _ = out.write_all(&text).and_then(|()| out.flush());
            text.clear();
            let _ = self.changed.wait_timeout_while(self.state(), PAUSE, |state| !state.closed);
        }
    }
}

impl io::Write for &Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut state = self.state();
        let is_first = state.text.is_empty();
        if state.text.len() + line.len() > CAPACITY {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        } else {
            state.text.extend_from_slice(line);
        }
        drop(state);
        if is_first {
            self.changed.notify_all();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.closed = true;
        self.0.changed.notify_all();
        let _ = self.0.changed.wait_timeout_while(state, LAST_WORDS, |state| !state.done);
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Write, sync::mpsc};

    use super::*;

    /// Takes what it is given only while it is let.
    struct Gate(mpsc::Receiver<()>, Arc<Mutex<Vec<u8>>>);

    impl Write for Gate {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            self.1.lock().unwrap().extend_from_slice(text);
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn everything_is_written_in_order_by_the_end() {
        let written = Arc::default();
        let (_, open) = mpsc::channel();
        let (lines, guard) = Lines::written_to(Gate(open, Arc::clone(&written))).unwrap();
        let expected: String = (0..1000).map(|number| format!("{number}\n")).collect();
        expected.split_inclusive('\n').for_each(|line| (&*lines).write_all(line.as_bytes()).unwrap());
        drop(guard);
        assert_eq!(*written.lock().unwrap(), expected.as_bytes());
        assert_eq!(lines.dropped(), 0);
    }

    #[test]
    fn lines_are_dropped_and_counted_while_the_reader_stands_still() {
        let (let_through, gate) = mpsc::channel();
        let written = Arc::default();
        let (lines, guard) = Lines::written_to(Gate(gate, Arc::clone(&written))).unwrap();
        let line = [b'x'; 1 << 10];
        for _ in 0..3 * CAPACITY / line.len() {
            (&*lines).write_all(&line).unwrap();
        }
        assert!(lines.dropped() >= CAPACITY / line.len(), "{}", lines.dropped());
        drop(let_through);
        drop(guard);
        let kept = written.lock().unwrap().len() / line.len();
        assert_eq!(kept + lines.dropped(), 3 * CAPACITY / line.len());
    }
}
