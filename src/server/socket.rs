//! A connection's socket, which hyper reads and writes, and the server watches.
//!
//! hyper looks at a socket only when it wants something from it. While a stream's lines are being worked on it may want
//! nothing for as long as the longest search takes, and would not see that the client has gone.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    net::sockopt::set_tcp_user_timeout,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

/// A socket. Clones are the same socket.
#[derive(Debug, Clone)]
pub struct Socket(Arc<Mutex<TcpStream>>);

impl From<TcpStream> for Socket {
    /// With the options of a connection. Where one cannot be set, it works all the same.
    fn from(stream: TcpStream) -> Socket {
        // Answers are single writes; without this the last one of a pipeline may wait for the client's acknowledgement.
        let _ = stream.set_nodelay(true);
        Socket(Arc::new(Mutex::new(stream)))
    }
}

impl Socket {
    /// Gives up a client that has gone without a word, or that has read nothing for so long although there is something to
    /// read. hyper has no timeout for writes, so it is the kernel's.
    pub fn give_up_after(&self, time: Duration) {
        let millis = u32::try_from(time.as_millis()).unwrap_or(u32::MAX).max(1);
        let _ = set_tcp_user_timeout(&*self.stream(), millis);
    }

    /// Whether the client has closed its end, even where it has sent things before that are still to be read.
    pub fn is_closed(&self) -> bool {
        let stream = self.stream();
        let mut polled = [PollFd::new(&*stream, PollFlags::RDHUP)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut polled, Some(&at_once)).is_ok_and(|count| count > 0)
    }

    /// Never waited for: hyper and the watch over the connection are one task.
    fn stream(&self) -> MutexGuard<'_, TcpStream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream()).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.stream()).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.stream()).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream()).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream()).poll_shutdown(context)
    }
}
