"""Radicale with a limit on the CPU time of a request: an event that recurs a billion times would occupy it for hours.

Python can't end a thread, so the process exits, and its supervisor starts it again. The user whose request it was gets 429
for ten minutes.
"""

# cspell:ignore pthread getcpuclockid
import json
import os
import sys
import threading
import time

from radicale import application as radicale

CPU_SECONDS_MAX = float(os.environ.get("CALENDAR_CPU_SECONDS", 20))
WAIT_SECONDS = 600
FILE = os.path.expanduser("~/slow-users.json")

running = {}

try:
    with open(FILE) as file:
        waiting = json.load(file)
except (OSError, ValueError):
    waiting = {}


def application(environ, start_response):
    user = environ.get("HTTP_X_REMOTE_USER", "")
    if waiting.get(user, 0) > time.time():
        start_response("429 Too Many Requests", [("Retry-After", str(WAIT_SECONDS))])
        return [b"Your last request took too long. Try again in ten minutes.\n"]
    thread = threading.get_ident()
    running[thread] = user, time.thread_time()
    try:
        return list(radicale(environ, start_response))
    finally:
        del running[thread]


def is_slow(thread, began):
    return time.clock_gettime(time.pthread_getcpuclockid(thread)) - began > CPU_SECONDS_MAX


def watch():
    while True:
        time.sleep(0.5)
        slow = [user for thread, (user, began) in list(running.items()) if is_slow(thread, began)]
        if not slow:
            continue
        for user in slow:
            print(f"A request of {user} took {CPU_SECONDS_MAX:g} seconds of CPU time", file=sys.stderr, flush=True)
            waiting[user] = time.time() + WAIT_SECONDS
        with open(FILE, "w") as file:
            json.dump({user: until for user, until in waiting.items() if until > time.time()}, file)
        os._exit(1)


threading.Thread(target=watch, daemon=True).start()
