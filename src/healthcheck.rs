//! `sudoku-server healthcheck`: asks the service on this machine whether it is ready.
//!
//! For container images, which have no curl. One request over one plain socket needs no client library.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// A service that has not answered within this is not ready.
const PATIENCE: Duration = Duration::from_secs(2);

/// Asks the service at this address; where it is not ready, a line that says why.
pub(crate) fn ask(addr: SocketAddr) -> Result<(), String> {
    match status_line(addr) {
        Ok(line) if line.starts_with("HTTP/1.1 200 ") => Ok(()),
        Ok(line) => Err(format!("not ready at {addr}: {line}")),
        Err(error) if [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut].contains(&error.kind()) => {
            Err(format!("not ready at {addr}: no answer within {PATIENCE:?}"))
        }
        Err(error) => Err(format!("not ready at {addr}: {error}")),
    }
}

fn status_line(addr: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&addr, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(stream, "GET /readyz HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(4096).read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    Ok(answer.lines().next().unwrap_or("no answer").to_owned())
}
