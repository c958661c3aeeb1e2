"""What an operator relies on, tested with real balancers and real signals. Times are scaled by flags; `defaults` holds the
real ones to what balancers and orchestrators expect. Usage: see run.sh."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import batches
import stage
from harness import (BIN, DEPLOY, ENDLESS, ROOT, Connection, Haproxy, Load, Nginx, Replica, balancers, get, percentile,
                     plain, program, solve_body)
from stage import check, fleet, keep, replica

async def raw(port, sent=b""):
    """A connection with these bytes sent, of which nothing is read."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
    writer.write(sent)
    return reader, writer


async def closed(reader, longest):
    """Seconds until the peer closes; none where it does not in time."""
    began = time.monotonic()
    try:
        while await asyncio.wait_for(reader.read(65536), longest - (time.monotonic() - began)):
            pass
    except asyncio.TimeoutError:
        return None
    except OSError:
        pass
    return time.monotonic() - began


# --- behind balancers ---

async def rolling_restart():
    """All three replicas are restarted in turn, five times, under a steady load: no request fails."""
    replicas, fronts = await fleet("--drain-delay", "1200ms", "--shutdown-grace", "5s")
    loads = [Load(front.port, rate=80) for front in fronts]
    exits = []
    for _ in range(5):
        for each in replicas:
            each.signal(signal.SIGTERM)
            exits.append((await each.ended(10))[0])
            await each.start()
            # Until HAProxy has seen it: `inter` and a bit. A balancer that asks for nothing needs no such time.
            await asyncio.sleep(0.8)
    for front, load in zip(fronts, loads):
        await load.stop()
        check(f"rolling restart, 5 times 3 replicas, {front.name}: no request failed",
              not load.failures and load.total > 1000, f"{load.total} requests, {len(load.failures)} failed {load.failures[:3]}")
    check("rolling restart: every replica drained, exit code 0", exits == [0] * 15, f"{exits.count(0)} of {len(exits)}")


async def kill_9():
    """A replica is killed under load: what was in flight is sent again to another one."""
    replicas, fronts = await fleet()
    loads = [Load(front.port, rate=150) for front in fronts]
    for each in replicas:
        await asyncio.sleep(1)
        each.signal(signal.SIGKILL)
        each.process.wait()
        await asyncio.sleep(1)
        await each.start()
    await asyncio.sleep(1)
    for front, load in zip(fronts, loads):
        await load.stop()
        check(f"kill -9 of one replica after the other, {front.name}: no request failed",
              not load.failures and load.total > 500, f"{load.total} requests, {front.repeats()} sent again, {len(load.failures)} failed {load.failures[:3]}")


async def keep_alive_idle():
    """Connections idle for about as long as the balancer keeps them: it closes them, never the replica under its hand.
    The times are the real ones divided by 30: nginx keeps them for 2 s, the replicas for 2.5 s."""
    scaled = {Nginx: [("keepalive_timeout 60s", "keepalive_timeout 2s")], Haproxy: [("pool-purge-delay 5s", "pool-purge-delay 170ms")]}
    replicas, fronts = await fleet("--idle-timeout", "2500ms", scaled=scaled)

    async def through(front):
        statuses, failures = {}, []
        connections = [Connection(front.port) for _ in range(100)]

        async def ask(connection):
            try:
                status = (await connection.request("POST", "/solve", solve_body())).status
                statuses[status] = statuses.get(status, 0) + 1
            except OSError as error:
                failures.append(str(error))

        # From less than the balancer's time to more than the replicas'.
        for round in range(10):
            await asyncio.gather(*map(ask, connections))
            await asyncio.sleep(1.8 + 0.1 * round)
        for connection in connections:
            connection.close()
        check(f"keep-alive idle past the balancer's timeout, {front.name}: no 502", statuses == {200: 1000} and not failures,
              f"statuses {statuses}, {front.repeats()} sent again, no answer {len(failures)} {failures[:2]}")

    async def kept():
        # One is that of the question itself.
        return sum([await each.metric("connections_open") - 1 for each in replicas])

    await asyncio.gather(*map(through, fronts))
    for front in fronts:
        if front.name == "nginx":
            check("nginx: no connection was closed under its hand", front.repeats() == 0, f"{front.repeats()} sent again")
            await asyncio.sleep(3)
            for _ in range(6):
                await get(front.port, "/version")
            await asyncio.sleep(1.6)
            before = await kept()
            await asyncio.sleep(0.7)
            after = await kept()
            check("nginx: it is the one that closes idle connections", before > 0 and after == 0, f"{before:.0f} kept after 1.6 s, {after:.0f} after 2.3 s")


async def overloaded_replica():
    """One replica has no place: the balancer asks another one, once, and the client never knows."""
    full = await replica("--solver-threads", "1", "--queue-depth", "0", "--max-nodes", "1000000000000", "--solve-timeout", "60s")
    others = [await replica() for _ in range(2)]
    fronts = [await keep(kind(stage.work, [full, *others])).start() for kind in balancers()]
    endless = json.dumps({"board": ENDLESS, "algorithm": "reading_order", "max_nodes": 10**12}).encode()
    _, writer = await raw(full.port, f"POST /solve HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(endless)}\r\n\r\n".encode() + endless)
    while await full.metric("solver_permits_in_use") != 1:
        await asyncio.sleep(0.02)
    for front in fronts:
        shed = await full.metric('requests_shed_total{reason="queue_full"}')
        statuses = [(await get_solve(front.port, algorithm="mrv")).status for _ in range(60)]
        shed = await full.metric('requests_shed_total{reason="queue_full"}') - shed
        check(f"a replica without a place, {front.name}: repeated on another one", statuses == [200] * 60 and shed > 0,
              f"{statuses.count(200)} of 60 answered, {shed:.0f} refused by the full replica")
    writer.close()


async def get_solve(port, **members):
    connection = Connection(port)
    try:
        return await connection.request("POST", "/solve", solve_body(**members))
    finally:
        connection.close()


async def problems_pass_through():
    """What the service says reaches the client through the balancer as it was said."""
    replicas, fronts = await fleet()
    for front in fronts:
        connection = Connection(front.port)
        large = await connection.request("POST", "/solve", b" " * (65 << 10))
        check(f"65 KiB through {front.name}: the service's own 413", (large.status, json.loads(large.body)["type"]) == (413, "/problems/payload-too-large"), large.status)
        bad = await connection.request("POST", "/solve", b"{}", headers=["X-Request-Id: through-1"])
        check(f"through {front.name}: a 422 with its request id", (bad.status, bad.headers.get("x-request-id")) == (422, "through-1"), bad.status)
        hidden = await connection.request("GET", "/metrics")
        check(f"through {front.name}: no metrics", hidden.status == 404, hidden.status)
        connection.close()


# --- overload ---

async def overload():
    """Three times more than the cores can solve: as much is solved as before, and the rest is told so at once."""
    cores = os.cpu_count()
    one = await replica("--queue-depth", str(2 * cores), "--max-nodes", "1000000000000", "--solver-threads", str(cores))

    def body(nodes):
        return json.dumps({"board": ENDLESS, "algorithm": "reading_order", "max_nodes": nodes}).encode()

    connection = Connection(one.port)
    answer = await connection.request("POST", "/validate", body(1_000_000))
    work_body = body(int(1_000_000 * 100_000 / max(1, json.loads(answer.body)["elapsed_us"])))  # 100 ms
    connection.close()
    pool = []

    async def ask(into):
        connection = pool.pop() if pool else Connection(one.port)
        try:
            into.append(await connection.request("POST", "/validate", work_body))
        except OSError as error:
            into.append(error)
        pool.append(connection)

    async def once(seconds):
        """As much as there is room for: as many at a time as run."""
        answers, until = [], time.monotonic() + seconds

        async def client():
            while time.monotonic() < until:
                await ask(answers)

        await asyncio.gather(*(client() for _ in range(cores + 1)))
        return answers, seconds

    async def open_loop(seconds, rate):
        answers, tasks, began = [], [], time.monotonic()
        while (now := time.monotonic() - began) < seconds:
            await asyncio.sleep(max(0.0, len(tasks) / rate - now))
            tasks.append(asyncio.create_task(ask(answers)))
        await asyncio.gather(*tasks)
        return answers, seconds

    probes, probing = [], True

    async def probe():
        connection = Connection(one.port)
        while probing:
            answer = await connection.request("GET", "/livez")
            ready = await connection.request("GET", "/readyz")
            probes.append((answer.status, answer.seconds, ready.status))
            await asyncio.sleep(0.02)

    def cpu():
        """Seconds of CPU so far: of the whole machine, and of the replica and these tests."""
        ticks = [int(part) for part in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        ours = sum(int(part) for pid in (one.process.pid, os.getpid()) for part in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])
        return (sum(ticks) - ticks[3] - ticks[4]) / 100, ours / 100

    good = lambda answers: [a for a in answers if getattr(a, "status", 0) == 200]
    await once(2)
    warm = one.memory()
    at_one, at_three, answers = [], [], []
    (all_before, ours_before), began = cpu(), time.monotonic()
    for _ in range(3):
        alone, seconds = await once(4)
        at_one.append(len(good(alone)) / seconds)
        probing = True
        prober = asyncio.create_task(probe())
        crowd, seconds = await open_loop(4, 3 * at_one[-1])
        probing = False
        await prober
        at_three.append(len(good(crowd)) / seconds)
        answers += crowd
    (all_after, ours_after), took = cpu(), time.monotonic() - began
    foreign = ((all_after - all_before) - (ours_after - ours_before)) / took / cores
    ratio = sum(at_three) / sum(at_one)
    check("3 times more load than the cores can solve: goodput at least 0.9 of that at 1 times", ratio >= 0.9,
          f"{ratio:.2f} ({sum(at_one) / 3:.1f} a second at 1 times, {sum(at_three) / 3:.1f} at 3 times, {len(answers)} requests)")

    def bound(what, holds, figures):
        """Milliseconds say something of the service where nothing else is at the cores."""
        if holds or foreign < 0.15:
            return check(what, holds, figures)
        print(f"skipped: {what}: {figures}; other programs took {100 * foreign:.0f} % of the cores")

    refused = [a for a in answers if getattr(a, "status", 0) == 503]
    check("every other request is a 503 with Retry-After", len(refused) + len(good(answers)) == len(answers) and all(a.headers.get("retry-after") == "1" for a in refused) and refused,
          f"{len(good(answers))} solved, {len(refused)} refused, {len(answers)} in all")
    # The others have waited for --queue-wait, 500 ms.
    at_once = [a.seconds * 1000 for a in refused if a.seconds < 0.45]
    bound("a full queue refuses in under 10 ms at p99", percentile(at_once, 0.99) < 10,
          f"p50 {percentile(at_once, 0.5):.1f} ms, p99 {percentile(at_once, 0.99):.1f} ms of {len(at_once)}")
    alive = [1000 * seconds for _, seconds, _ in probes]
    bound("/livez under it: p99 under 20 ms", percentile(alive, 0.99) < 20, f"p50 {percentile(alive, 0.5):.1f} ms, p99 {percentile(alive, 0.99):.1f} ms of {len(alive)}")
    check("/livez and /readyz under it: always 200", all((live, ready) == (200, 200) for live, _, ready in probes), len(probes))
    grown = one.memory() - warm
    check("memory within 20 MB of what it was after warm-up", grown < 20, f"{warm:.1f} MB, {grown:+.1f} MB")


async def queue_wait():
    """Who waits is told at the end of the wait; who leaves gives the permit back."""
    one = await replica("--solver-threads", "1", "--queue-depth", "8", "--queue-wait", "300ms", "--max-nodes", "1000000000000", "--solve-timeout", "60s")
    endless = json.dumps({"board": ENDLESS, "algorithm": "reading_order", "max_nodes": 10**12}).encode()
    head = f"POST /solve HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(endless)}\r\n\r\n".encode()
    freed = []
    for round in range(5):
        _, writer = await raw(one.port, head + endless)
        while await one.metric("solver_permits_in_use") != 1:
            await asyncio.sleep(0.01)
        if round == 0:
            waited = await asyncio.gather(*(get_solve(one.port, algorithm="mrv") for _ in range(8)))
            seconds = [answer.seconds for answer in waited]
            check("who waits is refused at --queue-wait", all(a.status == 503 for a in waited) and min(seconds) >= 0.29 and max(seconds) < 0.45,
                  f"{len(waited)} refused after {min(seconds):.3f} to {max(seconds):.3f} s of 0.3 s")
        writer.transport.abort()
        began = time.monotonic()
        while await one.metric("solver_permits_in_use") != 0:
            await asyncio.sleep(0.005)
        freed.append(time.monotonic() - began)
    check("a disconnect frees its permit within 100 ms", max(freed) < 0.1, f"{1000 * max(freed):.0f} ms at most, of {len(freed)}")
    check("what waited in vain was never started", await one.metric('solver_nodes_count{algorithm="mrv"}') == 0, "0 of 8 searches")


# --- rude clients ---

async def slow_clients():
    """500 slow heads and 500 silent connections: the others do not notice, and these are closed at the timeout."""
    one = await replica("--idle-timeout", "3s")
    calm = await Load(one.port, rate=200, connections=8).after(2)
    began = time.monotonic()
    silent = [await raw(one.port) for _ in range(500)]
    slow = [await raw(one.port, b"POST /solve HTTP/1.1\r\n") for _ in range(500)]
    opened = time.monotonic() - began

    async def drip():
        while True:
            for _, writer in slow:
                if not writer.transport.is_closing():
                    writer.write(b"X: y\r\n")
            await asyncio.sleep(0.5)

    dripping = asyncio.create_task(drip())
    load = Load(one.port, rate=200, connections=8)
    ends = asyncio.gather(*(closed(reader, 12) for reader, _ in silent + slow))
    await load.after(2)
    ends = await ends
    dripping.cancel()
    check("500 slow heads and 500 silent connections: normal traffic unharmed", not load.failures and load.total > 200,
          f"{load.total} requests, {len(load.failures)} failed, p99 {1000 * percentile(load.seconds, 0.99):.1f} ms ({1000 * percentile(calm.seconds, 0.99):.1f} ms without them)")
    gone = [end for end in ends if end is not None]
    check("the slow ones are closed at the timeout of 3 s", len(gone) == 1000 and min(gone) > 3 - opened - 0.6 and max(gone) < 6,
          f"{len(gone)} of 1000 closed after {min(gone, default=0):.1f} to {max(gone, default=0):.1f} s, opened within {opened:.1f} s")
    for _, writer in silent + slow:
        writer.close()


async def rude_at_shutdown():
    """A silent connection and half a head do not hold up the end; a client that never reads does, until the grace."""
    one = await replica("--shutdown-grace", "2s")
    rude = [await raw(one.port), await raw(one.port, b"POST /solve HTTP/1.1\r\nHost: x\r\nConte")]
    idle = Connection(one.port)
    await idle.request("GET", "/version")
    one.signal(signal.SIGTERM)
    code, seconds = await one.ended(10)
    check("SIGTERM with a silent connection, half a head and an idle one: gone within a second, 0", code == 0 and seconds < 1, f"exit {code} after {seconds:.2f} s")
    for _, writer in rude:
        writer.close()
    idle.close()

    one = await replica("--shutdown-grace", "2s")
    reader, writer = await raw(one.port, b"GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n" * 200)
    reader._transport.pause_reading()
    await asyncio.sleep(0.5)
    one.signal(signal.SIGTERM)
    code, seconds = await one.ended(10)
    check("SIGTERM with a client that never reads its answer: gone at the grace of 2 s, and not 0", code not in (None, 0) and 1.5 < seconds < 3.5, f"exit {code} after {seconds:.2f} s")
    writer.transport.abort()

    one = await replica("--shutdown-grace", "1s", "--max-nodes", "1000000000000", "--solve-timeout", "60s")
    endless = json.dumps({"board": ENDLESS, "algorithm": "reading_order", "max_nodes": 10**12}).encode()
    _, writer = await raw(one.port, f"POST /solve HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(endless)}\r\n\r\n".encode() + endless)
    while await one.metric("solver_permits_in_use") != 1:
        await asyncio.sleep(0.02)
    one.signal(signal.SIGTERM)
    code, seconds = await one.ended(10)
    check("SIGTERM with a search that does not end: cut off at the grace of 1 s, and not 0", code not in (None, 0) and 0.8 < seconds < 3, f"exit {code} after {seconds:.2f} s")
    writer.close()

    one = await replica("--drain-delay", "1s", "--shutdown-grace", "5s")
    connection = Connection(one.port)
    await connection.request("GET", "/version")
    one.signal(signal.SIGTERM)
    while (await get(one.admin, "/readyz")).status == 200:
        await asyncio.sleep(0.01)
    served = await connection.request("POST", "/solve", solve_body())
    check("while it drains: /readyz 503, requests served, Connection: close", (served.status, served.headers.get("connection")) == (200, "close"), served.status)
    code, seconds = await one.ended(10)
    check("drained: exit code 0", code == 0, f"exit {code} after {seconds:.2f} s more")


async def large_bodies():
    """A body over the limit: the client reads the problem, or has the documented close (over 8 MiB, sent unasked)."""
    one = await replica()
    told, cut = [], []
    for size in (65 << 10, 1 << 20, 50 << 20):
        for chunked in (False, True):
            for expect in (False, True):
                outcome = await asyncio.to_thread(send_large, one.port, size, chunked, expect)
                name = f"{size >> 10} KiB{' chunked' if chunked else ''}{' with Expect' if expect else ''}"
                may_be_cut = size > 8 << 20 and (chunked or not expect)
                (told if outcome == "413" else cut).append(name)
                if outcome != "413" and not (may_be_cut and outcome == "closed"):
                    check(f"413: {name}", False, outcome)
    check("413 for 65 KiB, 1 MiB and 50 MiB, with and without Content-Length and Expect", len(told) + len(cut) == 12 and len(told) >= 9,
          f"{len(told)} read the problem, {len(cut)} had the documented close {cut}")
    check("and it goes on serving", (await get(one.port, "/livez")).status == 200)


def send_large(port, size, chunked, expect):
    """`413` where the problem was read, `closed` where the connection ended without it, else what came."""
    import select
    import socket

    stream = socket.create_connection(("127.0.0.1", port), 10)
    stream.settimeout(15)
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {size}"
    more = "Expect: 100-continue\r\n" if expect else ""
    stream.sendall(f"POST /solve HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{length}\r\n{more}\r\n".encode())
    received = b""
    try:
        if expect:
            received = stream.recv(65536)
            if b" 100 " in received[:20]:
                received = received.partition(b"\r\n\r\n")[2]
        block = b" " * 65536
        block = b"10000\r\n" + block + b"\r\n" if chunked else block
        sent = 0
        while sent < size and not received:
            stream.sendall(block if sent + 65536 <= size or chunked else block[: size - sent])
            sent += 65536
            if select.select([stream], [], [], 0)[0]:
                break
        if chunked and sent >= size:
            stream.sendall(b"0\r\n\r\n")
    except OSError:
        pass
    try:
        while chunk := stream.recv(65536):
            received += chunk
    except TimeoutError:
        return f"hangs after {received[:60]!r}"
    except OSError:
        pass
    stream.close()
    if received.startswith(b"HTTP/1.1 413 ") and b"/problems/payload-too-large" in received:
        return "413"
    return "closed" if not received else received[:60].decode("latin-1")


async def stopped_log_reader():
    """What reads the log is stopped: the service goes on, and counts what it could not say."""
    reader = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, preexec_fn=plain)
    one = keep(Replica(stage.work, "--shutdown-grace", "2s"))
    try:
        await one.start(stderr=reader.stdin)
        reader.stdin.close()
        reader.send_signal(signal.SIGSTOP)
        statuses, seconds = {}, []

        async def client(count):
            connection = Connection(one.port)
            for _ in range(count):
                answer = await connection.request("GET", "/version")
                statuses[answer.status] = statuses.get(answer.status, 0) + 1
                seconds.append(answer.seconds)
            connection.close()

        await asyncio.gather(*(client(1500) for _ in range(8)))
        dropped = await one.metric("log_lines_dropped_total")
        check("SIGSTOP on what reads the log: 12000 requests answered", statuses == {200: 12000}, f"{statuses}, slowest {1000 * max(seconds):.0f} ms")
        check("the lines that were dropped are counted", dropped > 0, f"{dropped:.0f} dropped, {12000 - dropped:.0f} kept")
        one.signal(signal.SIGTERM)
        code, took = await one.ended(10)
        check("and it ends all the same", code == 0 and took < 3, f"exit {code} after {took:.2f} s")
    finally:
        reader.send_signal(signal.SIGCONT)
        one.stop()
        reader.kill()
        reader.wait()


# --- what is written down ---

def seconds_of(text):
    value, unit = re.fullmatch(r"(\d+)(ms|s|m|h)?", text).groups()
    return int(value) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600, None: 1}[unit]


async def defaults():
    """The real times, against what stands in front."""
    help = subprocess.run([BIN, "--help"], capture_output=True, text=True, env={}).stdout
    flag = {name: value for name, value in re.findall(r"--([a-z-]+) <[^>]*>(?:(?!--).)*?\[default: ([^\]]+)\]", help, re.S)}
    for name, value in {"idle-timeout": "75s", "body-timeout": "10s", "drain-delay": "0s", "shutdown-grace": "8s", "queue-wait": "500ms", "solve-timeout": "5s", "max-connections": "10000",
                        "max-batches": "4", "batch-buffer": "64MiB", "batch-timeout": "1h", "batch-idle": "30s"}.items():
        check(f"default of --{name}", flag.get(name) == value, flag.get(name))
    idle = seconds_of(flag["idle-timeout"])
    nginx, haproxy = (DEPLOY / "nginx.conf").read_text(), (DEPLOY / "haproxy.cfg").read_text()
    kept = seconds_of(re.search(r"upstream sudoku \{.*?keepalive_timeout (\w+);", nginx, re.S)[1])
    check("nginx gives idle connections up before the replicas do", kept < idle, f"{kept:g} s, {idle:g} s")
    purged = seconds_of(re.search(r"pool-purge-delay (\w+)", haproxy)[1])
    check("HAProxy gives idle connections up before the replicas do, in ten halves", 10 * purged < idle, f"{10 * purged:g} s, {idle:g} s")
    longest = seconds_of(flag["queue-wait"]) + seconds_of(flag["solve-timeout"])
    single, proxied, streams = re.split("location ~|\nstream", nginx)
    waits = [seconds_of(re.search(pattern, text)[1]) for pattern, text in [(r"proxy_read_timeout (\w+);", single), (r"timeout server (\w+)", haproxy)]]
    check("both wait longer than the longest search", min(waits) > longest, f"{waits} s, {longest:g} s")
    batch = max(seconds_of(flag["batch-timeout"]), seconds_of(flag["batch-idle"]))
    timeouts = {name: seconds_of(value) for name, value in re.findall(r"(\w+_timeout) (\w+);", proxied + streams) if name != "proxy_connect_timeout"}
    timeouts |= {f"timeout {name}": seconds_of(re.search(rf"timeout {name} (\w+)", haproxy[start:])[1]) for name, start in [("client", 0), ("server", haproxy.index("backend sudoku-batches"))]}
    check("both wait longer than the longest batch", len(timeouts) == 7 and min(timeouts.values()) > batch, f"{timeouts}, {batch:g} s")
    check("HAProxy's buffer holds a whole request", int(re.search(r"tune.bufsize (\d+)", haproxy)[1]) >= (64 << 10) + (16 << 10))


async def manifests():
    """The Kubernetes manifests: the schemas of Kubernetes, and what they have to agree on among themselves."""
    python = ROOT / "target/ops-venv/bin/python"
    if not python.exists():
        return print("skipped: the manifests, since kubernetes-validate is not installed")
    done = subprocess.run([python, Path(__file__).with_name("manifests.py")], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    for line in lines:
        check(line[6:], line.startswith("ok"))
    check("the manifests were read", done.returncode == 0 and len(lines) > 10, done.stderr[-500:])


TESTS = [defaults, manifests, problems_pass_through, rude_at_shutdown, large_bodies, slow_clients, stopped_log_reader, queue_wait, overload,
         overloaded_replica, keep_alive_idle, kill_9, rolling_restart, *batches.TESTS]


async def main():
    wanted = [test for test in TESTS if not sys.argv[1:] or any(name in test.__name__ for name in sys.argv[1:])]
    for kind in (Haproxy, Nginx):
        if not program(kind.name):
            print(f"skipped: everything behind {kind.name}, which is not installed")
    with tempfile.TemporaryDirectory(prefix="sudoku-ops-") as directory:
        os.chmod(directory, 0o755)
        stage.work = Path(directory)
        for test in wanted:
            print(f"\n-- {test.__name__.replace('_', ' ')}", flush=True)
            began = time.monotonic()
            try:
                await asyncio.wait_for(test(), 120)
            except Exception as error:  # one test's fall is no other's
                check(f"{test.__name__} ran to its end", False, f"{error!r}")
            finally:
                while stage.running:
                    stage.running.pop().stop()
            print(f"      {time.monotonic() - began:.1f} s", flush=True)
    print(f"\n{stage.passed} passed, {stage.failed} failed")
    return stage.failed == 0


if __name__ == "__main__":
    try:
        # The load must not wait for the service that it loads: what is measured is the service.
        os.setpriority(os.PRIO_PROCESS, 0, -5)
    except PermissionError:
        pass
    sys.exit(0 if asyncio.run(main()) else 1)
