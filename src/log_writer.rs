//! Writing the log on a thread of its own, without ever holding up whoever logs.
//!
//! Lines gather in one buffer, and the thread writes all of it at once: woken for every line, it would cost a busy service
//! more than the line itself. Where the buffer is full, because whatever reads the log has stalled, lines are dropped and
//! counted.

use std::{
    io::{self, Write},
    mem,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::Duration,
};

/// Bytes that wait to be written: enough for a reader's hiccup, and no second memory for its death.
const CAPACITY: usize = 2 << 20;
/// How long lines gather before they are written.
const GATHERING: Duration = Duration::from_millis(5);
/// How long the end waits for the last lines to be written.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Takes whole lines, one a call.
#[derive(Debug, Clone)]
pub(crate) struct LogWriter(Arc<Shared>);

/// Keeps the thread; when it is dropped, what is still to be written is written, unless that takes too long.
#[derive(Debug)]
pub(crate) struct LogGuard {
    shared: Arc<Shared>,
    ended: mpsc::Receiver<()>,
}

#[derive(Debug, Default)]
struct Shared {
    pending: Mutex<Pending>,
    changed: Condvar,
    dropped: AtomicUsize,
}

#[derive(Debug, Default)]
struct Pending {
    bytes: Vec<u8>,
    closed: bool,
}

impl LogWriter {
    /// Starts the thread that writes.
    pub(crate) fn start(mut out: impl Write + Send + 'static) -> io::Result<(LogWriter, LogGuard)> {
        let shared = Arc::new(Shared::default());
        let (end, ended) = mpsc::channel();
        std::thread::Builder::new().name(String::from("log")).spawn({
            let shared = Arc::clone(&shared);
            move || {
                shared.write_all(&mut out);
                let _ = end.send(());
            }
        })?;
        Ok((LogWriter(Arc::clone(&shared)), LogGuard { shared, ended }))
    }

    /// How many lines were dropped so far.
    pub(crate) fn dropped_lines(&self) -> usize {
        self.0.dropped.load(Ordering::Relaxed)
    }
}

impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut pending = self.0.pending();
        if pending.bytes.len() + line.len() > CAPACITY {
            self.0.dropped.fetch_add(1, Ordering::Relaxed);
            return Ok(line.len());
        }
        let first = pending.bytes.is_empty();
        pending.bytes.extend_from_slice(line);
        drop(pending);
        if first {
            self.0.changed.notify_one();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    /// A thread that panicked while it logged has left at worst half a line.
    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_all(&self, out: &mut impl Write) {
        let mut batch = Vec::new();
        loop {
            let waited = self.changed.wait_while(self.pending(), |pending| pending.bytes.is_empty() && !pending.closed);
            let gathering = waited.unwrap_or_else(PoisonError::into_inner);
            let gathered = self.changed.wait_timeout_while(gathering, GATHERING, |pending| !pending.closed);
            let (mut pending, _) = gathered.unwrap_or_else(PoisonError::into_inner);
            let closed = pending.closed;
            mem::swap(&mut pending.bytes, &mut batch);
            drop(pending);
            // Where nobody reads any more there is nobody to tell that either.
            let _ = out.write_all(&batch);
            batch.clear();
            if closed {
                return;
            }
        }
    }
}

impl Drop for LogGuard {
    fn drop(&mut self) {
        self.shared.pending().closed = true;
        self.shared.changed.notify_one();
        let _ = self.ended.recv_timeout(LAST_WORDS);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    /// Writes into a channel of room for `n` pieces, and stalls where that is full.
    struct Stalling(mpsc::SyncSender<Vec<u8>>);

    impl Write for Stalling {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(bytes.to_vec()).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_line_is_written_in_order_and_the_last_ones_at_the_end() {
        let (sender, written) = mpsc::sync_channel(10_000);
        let (mut log, guard) = LogWriter::start(Stalling(sender)).unwrap();
        let lines: Vec<String> = (0..1000).map(|n| format!("line {n}\n")).collect();
        for line in &lines {
            log.write_all(line.as_bytes()).unwrap();
        }
        drop(guard);
        let pieces: Vec<Vec<u8>> = written.try_iter().collect();
        assert_eq!(String::from_utf8(pieces.concat()).unwrap(), lines.concat());
        assert!(pieces.len() < 500, "many lines at once: {} pieces", pieces.len());
        assert_eq!(log.dropped_lines(), 0);
    }

    #[test]
    fn a_reader_that_stalls_holds_up_nobody_and_what_is_dropped_is_counted() {
        let (sender, written) = mpsc::sync_channel(0);
        let (mut log, guard) = LogWriter::start(Stalling(sender)).unwrap();
        let line = vec![b'x'; 1 << 10];
        let began = Instant::now();
        for _ in 0..10_000 {
            log.write_all(&line).unwrap();
        }
        // What the thread has taken already, and the buffer: 2 MiB each.
        assert!((10_000 - 2 * 2048..10_000).contains(&log.dropped_lines()), "{}", log.dropped_lines());
        drop(guard);
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        drop(written);
    }
}
