"""Processes, requests and load for the tests: what they need, and nothing that knows what they test."""

import asyncio
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = os.environ.get("BIN", str(ROOT / "target/release/sudoku-server"))
DEPLOY = ROOT / "deploy"

EASY = "9.7.....6824.3......1..9..2.9...2.18...4....51325.8......687.........8.9.4.9...5."
# Reading order finds out only at the end that the last cell has no candidate: a search as long as its budget.
ENDLESS = "........9...............................................................12345678."


def solve_body(**members):
    return json.dumps({"board": EASY, **members}).encode()


def free_ports(count):
    """Free ports. They are all held until all are found, so that they differ."""
    sockets = [socket.socket() for _ in range(count)]
    for held in sockets:
        held.bind(("127.0.0.1", 0))
    ports = [held.getsockname()[1] for held in sockets]
    for held in sockets:
        held.close()
    return ports


def percentile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0.0


LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1


def plain():
    """In a child: gone when the tests are gone, and at the priority that everything has, whatever the tests have."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    try:
        os.setpriority(os.PRIO_PROCESS, 0, 0)
    except PermissionError:
        pass


class Replica:
    """The service as a process of its own, with an admin port. It may be started again on the same ports."""

    def __init__(self, work, *flags, port=None, admin=None):
        self.work, self.flags = work, flags
        self.port, self.admin = (port, admin) if port else free_ports(2)
        self.process = None

    async def start(self, stderr=None):
        log = stderr if stderr is not None else open(self.work / f"replica-{self.port}.log", "ab")
        command = [BIN, "--port", str(self.port), "--admin-addr", f"127.0.0.1:{self.admin}", *self.flags]
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("SUDOKU_", "RUST_"))}
        environment.pop("PORT", None)
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, env=environment, preexec_fn=plain)
        if stderr is None:
            log.close()
        for _ in range(400):
            assert self.process.poll() is None, f"the service ended with {self.process.returncode}; see {self.work}"
            try:
                if (await get(self.admin, "/readyz")).status == 200:
                    return self
            except OSError:
                pass
            await asyncio.sleep(0.025)
        raise AssertionError("the service does not become ready")

    def signal(self, number):
        self.process.send_signal(number)

    async def ended(self, longest):
        """Its exit code and how long it took; killed where it takes longer."""
        began = time.monotonic()
        while self.process.poll() is None:
            if time.monotonic() - began > longest:
                self.process.kill()
                self.process.wait()
                return None, time.monotonic() - began
            await asyncio.sleep(0.01)
        return self.process.returncode, time.monotonic() - began

    async def metric(self, series):
        text = (await get(self.admin, "/metrics")).body.decode()
        found = re.search(rf"^{re.escape(series)} (\S+)$", text, re.M)
        return float(found[1]) if found else 0.0

    def memory(self, which="VmRSS"):
        """Resident memory in MB; VmHWM is the most that it was."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{which}:\s+(\d+)", status)[1]) / 1024

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()


class Answer:
    def __init__(self, status, headers, body, seconds):
        self.status, self.headers, self.body, self.seconds = status, headers, body, seconds


class Connection:
    """One connection of an HTTP/1.1 client, kept alive."""

    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    async def request(self, method, path, body=b"", headers=()):
        """The answer. OSError where there is none: it is the caller's to count that."""
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        began = time.perf_counter()
        lines = [f"{method} {path} HTTP/1.1", "Host: sudoku.test", *headers]
        if method == "POST":
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        try:
            self.writer.write(("\r\n".join(lines) + "\r\n\r\n").encode() + body)
            answer = await asyncio.wait_for(self.read(), 30)
        except (asyncio.IncompleteReadError, asyncio.TimeoutError, OSError) as error:
            self.close()
            raise OSError(f"no answer: {error!r}") from error
        answer.seconds = time.perf_counter() - began
        if answer.headers.get("connection", "").lower() == "close":
            self.close()
        return answer

    async def read(self):
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while size := int((await self.reader.readline()).strip(), 16):
                body += (await self.reader.readexactly(size + 2))[:-2]
            await self.reader.readline()
        else:
            body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        return Answer(int(head[0].split(" ")[1]), headers, body, 0.0)

    def close(self):
        if self.writer is not None:
            self.writer.close()
            self.reader = self.writer = None


async def get(port, path):
    connection = Connection(port)
    try:
        return await connection.request("GET", path)
    finally:
        connection.close()


class Stream:
    """A batch over a connection of its own, with a thread that sends and one that reads: what it does, it does as fast as it
    can. Times are those of `time.monotonic`."""

    def __init__(self, port, path="/solve/batch", media_type="text/plain"):
        self.socket = socket.create_connection(("127.0.0.1", port), 10)
        self.socket.settimeout(90)
        head = f"POST {path} HTTP/1.1\r\nHost: sudoku.test\r\nContent-Type: {media_type}\r\nTransfer-Encoding: chunked\r\n\r\n"
        self.socket.sendall(head.encode())
        self.file = self.socket.makefile("rb", 1 << 18)
        self.status, self.headers, self.rest, self.ended = None, {}, b"", False
        self.sent_at = self.first_at = None

    def send(self, text):
        """Sends some lines; all of them in pieces of 64 KiB."""
        for at in range(0, len(text), 1 << 16):
            piece = text[at : at + (1 << 16)]
            self.socket.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))

    def end(self):
        self.socket.sendall(b"0\r\n\r\n")
        self.sent_at = time.monotonic()

    def head(self):
        self.status = int(self.file.readline().split(b" ")[1])
        while line := self.file.readline().strip():
            name, _, value = line.decode("latin-1").partition(":")
            self.headers[name.lower()] = value.strip()
        return self.status

    def lines(self):
        """The lines of the answer, as they come. OSError where the connection ends before the answer does."""
        if self.status is None:
            self.head()
        while not self.ended:
            size = self.file.readline()
            if not size:
                raise OSError("the answer broke off")
            size = int(size, 16)
            piece = self.file.read(size + 2)
            if len(piece) != size + 2:
                raise OSError("the answer broke off")
            self.first_at = self.first_at or time.monotonic()
            self.ended = size == 0
            *lines, self.rest = (self.rest + piece[:-2]).split(b"\n")
            yield from lines
        assert not self.rest, "the last line is whole"

    def body(self):
        """The body of an answer that is no stream."""
        if self.status is None:
            self.head()
        return self.file.read(int(self.headers["content-length"]))

    def close(self):
        self.file.close()
        self.socket.close()

    def leave(self):
        """Closes the connection under the hand of who sends."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.close()

    def stop(self):
        self.close()


class Load:
    """A steady load: so many requests a second, over so many connections, from a moment on until it is stopped. A
    connection that was closed between two requests is opened anew; a request without an answer is a failure."""

    def __init__(self, port, rate, connections=16, path="/solve", body=None):
        self.port, self.rate, self.path, self.body = port, rate, path, body or solve_body()
        self.statuses, self.failures, self.seconds = {}, [], []
        self.going = True
        self.tasks = [asyncio.create_task(self.client(n, connections)) for n in range(connections)]

    async def client(self, number, of):
        connection = Connection(self.port)
        interval = of / self.rate
        due = time.monotonic() + interval * number / of
        while self.going:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            due = max(due + interval, time.monotonic() - interval)
            try:
                answer = await connection.request("POST", self.path, self.body)
            except OSError as error:
                self.failures.append(str(error))
                continue
            self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
            self.seconds.append(answer.seconds)
            if answer.status != 200:
                self.failures.append(f"{answer.status} {answer.body[:200]!r}")
        connection.close()

    async def after(self, seconds):
        """Goes on for so long, and stops."""
        await asyncio.sleep(seconds)
        return await self.stop()

    async def stop(self):
        self.going = False
        await asyncio.gather(*self.tasks)
        return self

    @property
    def total(self):
        return sum(self.statuses.values()) + sum(1 for failure in self.failures if failure.startswith("no answer"))


def marked(text, name, lines):
    """The text of a configuration with other lines between its marks BEGIN and END of that name."""
    pattern = rf"(# --- BEGIN {name}\n).*?([ \t]*# --- END {name}\n)"
    changed, count = re.subn(pattern, lambda found: found[1] + "\n".join(lines) + "\n" + found[2], text, flags=re.S)
    assert count == 1, f"the mark {name}"
    return changed


class Balancer:
    """A balancer that runs with the file of deploy/, addresses and paths exchanged; `scaled` exchanges times too."""

    def __init__(self, work, replicas, scaled=()):
        self.work = Path(tempfile.mkdtemp(prefix=f"{self.name}-", dir=work))
        os.chmod(self.work, 0o755)
        # Batches may have a port of their own.
        self.port, self.batch_port = free_ports(2)
        text = self.addressed((DEPLOY / self.file).read_text(), replicas)
        for default, value in scaled:
            assert default in text, f"{self.file} says {default}"
            text = text.replace(default, value)
        self.config = self.work / self.file
        self.config.write_text(text)
        self.process = None

    async def start(self):
        self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=open(self.work / "out", "wb"), stderr=subprocess.STDOUT, preexec_fn=plain)
        for _ in range(400):
            assert self.process.poll() is None, (self.work / "out").read_text()
            try:
                if (await get(self.port, "/version")).status == 200:
                    return self
            except OSError:
                pass
            await asyncio.sleep(0.025)
        raise AssertionError(f"{self.name} does not come up: {(self.work / 'out').read_text()}")

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def program(name):
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/local/sbin")


class Haproxy(Balancer):
    name, file = "haproxy", "haproxy.cfg"

    def addressed(self, text, replicas):
        self.socket = self.work / "admin.sock"
        text = marked(text, "paths", [f"    stats socket {self.socket} mode 600 level admin"])
        self.batch_port = self.port
        text = marked(text, "listen", [f"    bind 127.0.0.1:{self.port}"])
        servers = [f"    server replica{n} 127.0.0.1:{r.port} port {r.admin}" for n, r in enumerate(replicas, 1)]
        text = marked(text, "replicas", servers)
        return marked(text, "batch replicas", [f"    server replica{n} 127.0.0.1:{r.port} track sudoku/replica{n}" for n, r in enumerate(replicas, 1)])

    def command(self):
        return [program("haproxy"), "-db", "-f", str(self.config)]

    def repeats(self):
        """Requests that were sent again, to the same replica (wretr) or to another one (wredis)."""
        asked = socket.socket(socket.AF_UNIX)
        asked.connect(str(self.socket))
        asked.sendall(b"show stat\n")
        text = b"".join(iter(lambda: asked.recv(65536), b"")).decode()
        names, *rows = [line.split(",") for line in text.lstrip("# ").splitlines() if line]
        rows = [dict(zip(names, row)) for row in rows]
        return sum(int(row["wretr"] or 0) + int(row["wredis"] or 0) for row in rows if row["pxname"] == "sudoku" and row["svname"] == "BACKEND")


class Nginx(Balancer):
    name, file = "nginx", "nginx.conf"

    def addressed(self, text, replicas):
        # A replica is a line `server 127.0.0.1:8081 …;`, for single requests and for batches: only its address is exchanged,
        # the options stay.
        lines = iter(2 * replicas)
        text, count = re.subn(r"server 127\.0\.0\.1:808\d", lambda _: f"server 127.0.0.1:{next(lines).port}", text)
        assert count == 2 * len(replicas)
        self.log = self.work / "access.log"
        text = marked(text, "paths", [f"    access_log {self.log} requests;", f"    error_log {self.work / 'error.log'} warn;"]
                      + [f"    {kind}_temp_path {self.work / kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")])
        text = marked(text, "listen", [f"        listen 127.0.0.1:{self.port} reuseport;"])
        text = marked(text, "batch listen", [f"        listen 127.0.0.1:{self.batch_port} reuseport;"])
        return text.replace("pid /run/nginx.pid;", f"pid {self.work / 'pid'};")

    def command(self):
        return [program("nginx"), "-e", str(self.work / "error.log"), "-g", "daemon off;", "-c", str(self.config)]

    def repeats(self):
        """Requests that were sent again: those with two upstream addresses in the log."""
        return sum(1 for line in self.log.read_text().splitlines() if re.search(r'" \S+:\d+, ', line))


def balancers():
    return [kind for kind in (Haproxy, Nginx) if program(kind.name)]
