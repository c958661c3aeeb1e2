"""Streams of puzzles through real balancers: they hold nothing back, cut nothing off, and what a replica says gets through."""

import asyncio
import json
import signal
import threading
import time

from harness import EASY, ENDLESS, Haproxy, Nginx, Stream, balancers, percentile
from stage import check, fleet, keep, replica

import stage

SOLVED = "957214386824736591361859742495372618786491235132568974519687423273145869648923157"
# Nothing but a search solves it.
SEARCHED = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4........."
MANY = 200_000


def relabelled(board, number):
    """A board that no other is equal to, until they begin again after 18."""
    turn = number % 9
    digits = "".join(str(1 + (digit + turn) % 9 if number % 18 < 9 else 9 - (digit + turn) % 9) for digit in range(9))
    return board.translate(str.maketrans("123456789", digits))


BOARDS = [relabelled(EASY, number).encode() for number in range(18)]
ANSWERS = [b'"solution":"%s"' % relabelled(SOLVED, number).encode() for number in range(18)]


def boards(count):
    return b"\n".join(BOARDS[number % 18] for number in range(count)) + b"\n"


def read(stream):
    """Reads to the end: how many answers came in order, with the right solution, and the lines after them, three at most."""
    count, last = 0, []
    for line in stream.lines():
        if not last and line.startswith(b'{"line":%d,' % (count + 1)) and ANSWERS[count % 18] in line:
            count += 1
        elif len(last) < 3:
            last.append(json.loads(line))
    return count, last


def whole(port, text, reads_meanwhile, answers_early):
    """Sends all of this, and reads all answers meanwhile or only then."""
    stream = Stream(port)
    found = []
    reader = threading.Thread(target=lambda: found.append(read(stream)), daemon=True)
    if reads_meanwhile:
        reader.start()
    if reads_meanwhile and answers_early:
        # The second half is sent when the first answer is there.
        half = len(text) // 2 // 82 * 82
        stream.send(text[:half])
        until = time.monotonic() + 10
        while not stream.first_at and time.monotonic() < until:
            time.sleep(0.001)
        text = text[half:]
    stream.send(text)
    stream.end()
    if not reads_meanwhile:
        reader.start()
    reader.join(90)
    stream.close()
    return stream, *(found[0] if found else (None, []))


def ports(fronts):
    """Every port that takes batches: nginx has one more, for what its proxy cannot do, which is both directions at once."""
    return [(front.name if port == front.batch_port else f"{front.name}'s proxy", port) for front in fronts for port in sorted({front.port, front.batch_port})]


async def batches_stream():
    """200 000 boards, by a client that reads as it sends and by one that sends everything first."""
    replicas, fronts = await fleet()
    text = boards(MANY)
    end = {"end": True, "lines": MANY, "answers": MANY, "problems": 0}
    for name, port in [("no balancer", replicas[0].port), *ports(fronts)]:
        answers_early = not name.endswith("'s proxy")
        for reads_meanwhile in (True, False):
            how = f"{MANY} boards, {'read meanwhile' if reads_meanwhile else 'sent before anything is read'}, {name}"
            began = time.monotonic()
            try:
                stream, count, last = await asyncio.to_thread(whole, port, text, reads_meanwhile, answers_early)
            except (OSError, ValueError) as error:
                check(how, False, repr(error))
                continue
            took = time.monotonic() - began
            check(how, stream.status == 200 and count == MANY and last == [end], f"{count} answers in order, then {last}, {took:.1f} s")
            if reads_meanwhile and answers_early:
                check(f"answers come before the input has ended, {name}", stream.first_at and stream.first_at < stream.sent_at,
                      f"the first after {(stream.first_at or 0) - began:.3f} s, the last board was sent after {stream.sent_at - began:.3f} s")
    check("memory is bounded", max(each.memory("VmHWM") for each in replicas) < 128, f"{max(each.memory('VmHWM') for each in replicas):.0f} MB at most, at any time")


async def batches_line_by_line():
    """A client that sends a board when it has the answer to the one before; then nothing for longer than balancers wait for
    single requests (1 s here, scaled); then goes on."""
    scaled = {Nginx: [("_timeout 15s", "_timeout 1s")], Haproxy: [("timeout http-request 15s", "timeout http-request 1s"), ("timeout server 15s", "timeout server 1s")]}
    replicas, fronts = await fleet(scaled=scaled)

    def through(port):
        stream = Stream(port)
        lines, seconds = stream.lines(), []
        for number in range(60):
            if number in (20, 40):
                time.sleep(2.5)
            began = time.monotonic()
            stream.send(BOARDS[number % 18] + b"\n")
            line = next(lines)
            assert line.startswith(b'{"line":%d,' % (number + 1)) and ANSWERS[number % 18] in line, line
            seconds.append(time.monotonic() - began)
        stream.end()
        last = [json.loads(line) for line in lines]
        stream.close()
        return seconds, last

    for name, port in ((front.name, front.batch_port) for front in fronts):
        what = f"each board is answered before the next one is sent, with pauses, {name}"
        try:
            seconds, last = await asyncio.to_thread(through, port)
            # Where a balancer waits for more, it does so for 40 ms, 200 ms or longer.
            check(what, percentile(seconds, 0.75) < 0.03 and last == [{"end": True, "lines": 60, "answers": 60, "problems": 0}],
                  f"60 boards, p50 {1000 * percentile(seconds, 0.5):.1f} ms, p75 {1000 * percentile(seconds, 0.75):.1f} ms, slowest {1000 * max(seconds):.0f} ms, then {last}")
        except (OSError, ValueError, AssertionError, StopIteration) as error:
            check(what, False, repr(error))


async def batches_refused():
    """What a replica refuses, it says through the balancer."""
    one = await replica("--max-batches", "1")
    fronts = [await keep(kind(stage.work, [one, one, one])).start() for kind in balancers()]
    for name, port in ports(fronts):

        def through(media_type):
            stream = Stream(port, media_type=media_type)
            stream.send(boards(10))
            stream.end()
            body = json.loads(stream.body())
            stream.close()
            return stream.status, stream.headers.get("retry-after"), body["type"]

        first = Stream(port)
        first.send(boards(1))
        while not await one.metric("batch_streams"):
            await asyncio.sleep(0.01)
        found = await asyncio.to_thread(through, "text/plain")
        check(f"one batch too many, {name}: the service's own 503", found == (503, "1", "/problems/overloaded"), found)
        first.close()
        while await one.metric("batch_streams"):
            await asyncio.sleep(0.01)
        found = await asyncio.to_thread(through, "application/json")
        check(f"not lines, {name}: the service's own 415", found == (415, None, "/problems/unsupported-media-type"), found)


def send(stream, text, ends):
    """Sends this, as far as it is taken."""
    try:
        stream.send(text)
        if ends:
            stream.end()
    except OSError:
        pass


async def batches_left():
    """A client that leaves its batch frees the replica, behind a balancer too: within 100 ms. But a balancer sees a client
    go only when it has passed on what came from it, which may be as late as when the search ends that the replica is at."""
    one = await replica("--max-nodes", "1000000000000", "--solve-timeout", "3s")
    fronts = [await keep(kind(stage.work, [one, one, one])).start() for kind in balancers()]
    endless = json.dumps({"board": ENDLESS, "algorithm": "reading_order", "max_nodes": 10**12}).encode() + b"\n"
    easy = json.dumps(EASY).encode() + b"\n"
    for name, port in [("no balancer", one.port), *ports(fronts)]:
        for how, more, ends in [("waits for more", 0, False), ("has all", 10, True), ("has unread input", 50_000, False)]:
            freed = []
            for _ in range(3):
                stream = keep(Stream(port, media_type="application/x-ndjson"))
                sending = asyncio.create_task(asyncio.to_thread(send, stream, endless + easy * more, ends))
                while await one.metric("solver_permits_in_use") != 1:
                    await asyncio.sleep(0.005)
                await asyncio.sleep(0.1)
                began = time.monotonic()
                stream.leave()
                while (await one.metric("solver_permits_in_use") or await one.metric("batch_streams")) and time.monotonic() - began < 3:
                    await asyncio.sleep(0.005)
                freed.append(time.monotonic() - began)
                await sending
                if freed[-1] >= 3:
                    one.stop()
                    await one.start()
                    break
            longest = 3 if how == "has unread input" and name != "no balancer" else 0.1
            check(f"a client leaves while the replica {how}, {name}", min(freed) < longest, f"freed after {', '.join(f'{1000 * each:.0f}' for each in freed)} ms")


async def batches_memory():
    """A client that never reads, and boards that take about a slice each: what is held is what --batch-buffer says."""
    one = await replica("--batch-buffer", "1MiB", "--batch-idle", "2s")
    line = json.dumps({"board": SEARCHED, "algorithm": "mrv", "max_nodes": 2500}).encode() + b"\n"
    stream = keep(Stream(one.port, "/validate/batch", "application/x-ndjson"))
    before, lines = one.memory(), 0
    sending = asyncio.create_task(asyncio.to_thread(send, stream, line * 60_000, False))
    # Answers fill the kernel's buffers, then the service's.
    while await one.metric("batch_streams") and not (lines > 1000 and lines == await one.metric("batch_lines_total")):
        lines = await one.metric("batch_lines_total")
        await asyncio.sleep(0.5)
    grown = one.memory() - before
    stream.leave()
    await sending
    check("a client that never reads: memory within 6 MB, for 1 MiB of answers held", grown < 6, f"{grown:+.1f} MB after {lines:.0f} lines")


async def batches_at_restart():
    """Each replica is restarted while batches run: each has its end, which says where to go on, and goes on elsewhere."""
    replicas, fronts = await fleet("--drain-delay", "1200ms", "--shutdown-grace", "5s")
    results = {}
    done = threading.Event()

    def client(name, port, how):
        """Batches one after the other."""
        result = results[f"{how} batch, {name}"] = {"cut": 0, "answers": 0, "wrong": []}
        while not done.is_set():
            stream = Stream(port)
            sender = threading.Thread(target=feed, args=(stream, how), daemon=True)
            try:
                sender.start()
                count, last = read(stream)
                end = last[0] if last else {}
                if (stream.status, end.get("end"), end.get("line"), end.get("problem", {}).get("type")) == (200, False, count + 1, "/problems/shutting-down"):
                    result["cut"] += 1
                elif not (end.get("end") is True and end["answers"] == count):
                    result["wrong"].append(f"{stream.status}, {count} answers, {last}")
                result["answers"] += count
            except (OSError, ValueError) as error:
                result["wrong"].append(repr(error))
            sender.join(10)
            stream.close()

    def feed(stream, how):
        text, number = boards(900), 0
        try:
            while not done.is_set():
                if how == "fast":
                    stream.send(text)
                else:
                    stream.send(BOARDS[number % 18] + b"\n")
                    number += 1
                    time.sleep(0.02)
            stream.end()
        except OSError:
            pass

    clients = [threading.Thread(target=client, args=(name, port, how), daemon=True) for name, port in ports(fronts) for how in ("fast", "slow")]
    for each in clients:
        each.start()
    await asyncio.sleep(1)
    exits = []
    for _ in range(2):
        for each in replicas:
            each.signal(signal.SIGTERM)
            exits.append((await each.ended(10))[0])
            await each.start()
            await asyncio.sleep(0.8)
    done.set()
    for each in clients:
        await asyncio.to_thread(each.join, 20)
    for name, result in results.items():
        check(f"restarts under a {name}: each cut says so, and nothing is lost", result["cut"] >= 2 and result["answers"] > 100 and not result["wrong"],
              f"{result['answers']} answers, {result['cut']} cuts, {len(result['wrong'])} other ends {result['wrong'][:2]}")
    check("restarts under batches: every replica drained, exit code 0", exits == [0] * 6, f"{exits}")


TESTS = [batches_stream, batches_line_by_line, batches_refused, batches_left, batches_memory, batches_at_restart]
