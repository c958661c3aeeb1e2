"""What the tests share while they run: their count, their directory, and what has to be stopped after each."""

from harness import Replica, balancers

passed, failed = 0, 0
work = None
running = []


def check(what, holds, figures=""):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    print(f"{'ok  ' if holds else 'FAIL'}  {what}{': ' if figures != '' else ''}{figures}", flush=True)


def keep(started):
    """Stopped when the test is over, whatever comes of it."""
    running.append(started)
    return started


async def replica(*flags, **ports):
    return await keep(Replica(work, *flags, **ports)).start()


async def fleet(*flags, scaled=()):
    """Three replicas, and every balancer that there is in front of them."""
    replicas = [await replica(*flags) for _ in range(3)]
    return replicas, [await keep(kind(work, replicas, scaled.get(kind, ()) if scaled else ())).start() for kind in balancers()]
