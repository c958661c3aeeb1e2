//! A client of a stream, that sends and reads when a test says so.

use std::{io, time::Duration};

use reqwest::{Method, header::HeaderMap};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, ReadHalf, WriteHalf},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

use crate::{
    app::TestApp,
    client::{Answer, check, check_line},
};

/// How long a test waits for what has to come.
const PATIENCE: Duration = Duration::from_secs(20);

/// A stream and its answers. Its connection is closed when it is dropped.
pub struct Batch {
    pub to: Sending,
    pub from: Reading,
}

impl Batch {
    /// Begins a stream of unknown length.
    pub async fn open(app: &TestApp, path: &str, media_type: &str) -> Batch {
        Batch::with_head(app, path, &chunked(media_type)).await
    }

    /// Begins a stream with these headers.
    pub async fn with_head(app: &TestApp, path: &str, headers: &str) -> Batch {
        let stream = TcpStream::connect(app.client.addr).await.expect("the service listens");
        Batch::over(stream, path, headers).await
    }

    /// Begins a stream of unknown length, whose client's own buffers hold next to nothing.
    pub async fn narrow(app: &TestApp, path: &str, media_type: &str) -> Batch {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4 << 10).unwrap();
        socket.set_send_buffer_size(64 << 10).unwrap();
        let stream = socket.connect(app.client.addr).await.expect("the service listens");
        Batch::over(stream, path, &chunked(media_type)).await
    }

    async fn over(stream: TcpStream, path: &str, headers: &str) -> Batch {
        let (read, write) = tokio::io::split(stream);
        let from =
            Reading { path: String::new(), read: BufReader::new(read), decoded: Vec::new(), at: 0, ended: false };
        let mut batch = Batch { to: Sending(write), from };
        batch.begin(path, headers).await;
        batch
    }

    /// Begins another one on the same connection.
    pub async fn again(&mut self, path: &str, media_type: &str) {
        assert!(self.from.ended, "the one before is over");
        self.from.ended = false;
        self.begin(path, &chunked(media_type)).await;
    }

    async fn begin(&mut self, path: &str, headers: &str) {
        path.clone_into(&mut self.from.path);
        self.to.bytes(format!("POST {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n").as_bytes()).await.unwrap();
    }

    /// Sends all of this, and reads all answers meanwhile.
    pub async fn exchange(&mut self, text: &[u8]) -> Vec<Value> {
        let sending = async {
            self.to.send(text).await.unwrap();
            self.to.end().await.unwrap();
        };
        let reading = async {
            let Head { status, headers } = self.from.head().await;
            assert_eq!(status, 200);
            let mut text = String::new();
            while let Some(line) = self.from.text().await.unwrap() {
                text += &(line + "\n");
            }
            Answer { status, headers, text }
        };
        let (_, answer) = tokio::join!(sending, reading);
        check(&Method::POST, &self.from.path, &answer);
        answer.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn chunked(media_type: &str) -> String {
    format!("Content-Type: {media_type}\r\nTransfer-Encoding: chunked\r\n")
}

/// All answers to a stream.
pub async fn answers(app: &TestApp, path: &str, media_type: &str, text: impl AsRef<[u8]>) -> Vec<Value> {
    Batch::open(app, path, media_type).await.exchange(text.as_ref()).await
}

/// The way to the service.
pub struct Sending(WriteHalf<TcpStream>);

impl Sending {
    /// Sends some of the body.
    pub async fn send(&mut self, text: impl AsRef<[u8]>) -> io::Result<()> {
        for piece in text.as_ref().chunks(256 << 10) {
            self.bytes(&[format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()).await?;
        }
        Ok(())
    }

    /// Ends the body.
    pub async fn end(&mut self) -> io::Result<()> {
        self.bytes(b"0\r\n\r\n").await
    }

    /// Sends bytes as they are.
    pub async fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        timeout(PATIENCE, self.0.write_all(bytes)).await.expect("it is read")
    }

    /// Sends this again and again until the service does not read any more. Nothing can be sent after that.
    pub async fn fill(&mut self, text: impl AsRef<[u8]>) {
        let piece = text.as_ref();
        let piece = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
        loop {
            match timeout(Duration::from_millis(200), self.0.write_all(&piece)).await {
                Err(_elapsed) => return,
                Ok(sent) => sent.expect("the connection is there"),
            }
        }
    }
}

/// The head of an answer.
#[derive(Debug)]
pub struct Head {
    pub status: u16,
    pub headers: HeaderMap,
}

impl Head {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("a text"))
    }
}

/// The way from the service.
pub struct Reading {
    path: String,
    read: BufReader<ReadHalf<TcpStream>>,
    /// What has come of the body, and how far it was taken.
    decoded: Vec<u8>,
    at: usize,
    ended: bool,
}

impl Reading {
    pub async fn head(&mut self) -> Head {
        let status = self.text_line().await.unwrap();
        let status = status.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let mut headers = HeaderMap::new();
        loop {
            let line = self.text_line().await.unwrap();
            let Some((name, value)) = line.split_once(": ") else { break };
            headers.append(name.parse::<reqwest::header::HeaderName>().unwrap(), value.parse().unwrap());
        }
        Head { status, headers }
    }

    /// The body of an answer that is no stream, held to the contract.
    pub async fn sized(&mut self, path: &str, head: &Head) -> Value {
        let mut body = vec![0; head.header("content-length").parse().expect("a length")];
        timeout(PATIENCE, self.read.read_exact(&mut body)).await.expect("a body").unwrap();
        self.ended = true;
        let text = String::from_utf8(body).expect("UTF-8");
        let answer = Answer { status: head.status, headers: head.headers.clone(), text };
        check(&Method::POST, path, &answer);
        answer.json()
    }

    /// The next line of the stream; none at its end. An error where the connection ends before that.
    pub async fn text(&mut self) -> io::Result<Option<String>> {
        loop {
            let found = self.decoded[self.at..].iter().position(|&byte| byte == b'\n');
            if let Some(length) = found {
                let line = self.decoded[self.at..][..length].to_vec();
                self.at += length + 1;
                return Ok(Some(String::from_utf8(line).expect("UTF-8")));
            }
            if self.ended {
                assert_eq!(self.decoded.len(), self.at, "the last line is whole");
                return Ok(None);
            }
            self.piece().await?;
        }
    }

    /// The next line of the stream, held to the contract.
    pub async fn line(&mut self) -> Value {
        let line = self.text().await.unwrap().expect("there is one more line");
        self.checked(&line)
    }

    /// All lines that are left.
    pub async fn rest(&mut self) -> Vec<Value> {
        let mut lines = Vec::new();
        while let Some(line) = self.text().await.unwrap() {
            lines.push(self.checked(&line));
        }
        lines
    }

    /// All lines up to the one that tells how the stream ended.
    pub async fn through_the_end(&mut self) -> Vec<Value> {
        let mut lines = vec![self.line().await];
        while lines.last().is_some_and(|line| line.get("end").is_none()) {
            lines.push(self.line().await);
        }
        lines
    }

    fn checked(&self, line: &str) -> Value {
        let line = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        check_line(&self.path, &line);
        line
    }

    /// Reads so many lines, whatever they say.
    pub async fn skip(&mut self, lines: usize) {
        for _ in 0..lines {
            self.text().await.unwrap().expect("there is one more line");
        }
    }

    /// Reads so many bytes of what comes over the wire, whatever they are. No line can be read after that.
    pub async fn bytes(&mut self, count: usize) -> io::Result<()> {
        timeout(PATIENCE, self.read.read_exact(&mut vec![0; count])).await.expect("something happens")?;
        Ok(())
    }

    /// Whether the service closes the connection after the stream.
    pub async fn closes(&mut self) -> bool {
        assert!(self.rest().await.is_empty());
        let read = timeout(PATIENCE, self.read.fill_buf()).await.expect("something happens");
        read.map_or(true, <[u8]>::is_empty)
    }

    /// Whether nothing comes for so long.
    pub async fn is_silent(&mut self, time: Duration) -> bool {
        self.decoded.len() == self.at && timeout(time, self.read.fill_buf()).await.is_err()
    }

    /// Reads the next piece of a chunked body.
    async fn piece(&mut self) -> io::Result<()> {
        self.decoded.drain(..self.at);
        self.at = 0;
        let size = self.text_line().await?;
        let size = usize::from_str_radix(&size, 16).unwrap_or_else(|_| panic!("the size of a chunk: {size:?}"));
        let before = self.decoded.len();
        self.decoded.resize(before + size + 2, 0);
        timeout(PATIENCE, self.read.read_exact(&mut self.decoded[before..])).await.expect("a chunk in time")?;
        self.decoded.truncate(before + size);
        self.ended = size == 0;
        Ok(())
    }

    async fn text_line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if timeout(PATIENCE, self.read.read_line(&mut line)).await.expect("a line in time")? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end().to_owned())
    }
}
