"""A terminal with a program in it. Its input says what a person does, a line of JSON each; its output is the screen as it changes.

Started with one argument, the program as JSON: file, args, env, cwd, rows, columns.
In:  {"type": TEXT} presses keys, {"resize": [ROWS, COLUMNS]} changes the window's size; the end of the input closes the window.
Out: {"above": TEXT, "screen": TEXT} after changes: what has scrolled away, and what is seen; {"exit": CODE} at the end.
"""

import json
import os
import re
import select
import signal
import sys
import time

import pexpect
import pyte

# pyte would print these: private modes of cursor and keyboard, and strings of DCS, SOS, PM and APC.
UNKNOWN = re.compile(
    rb"\x1b\[[<>=][0-9;:]*[a-zA-Z]|\x1b\[\?u|\x1b\[[?0-9;]*\$[a-zA-Z]|\x1b[P_X^][^\x1b\x07]*(?:\x1b\\|\x07)"
)
UNFINISHED = re.compile(rb"\x1b(?:\[[0-9;:?<>=$]*|[P_X^][^\x1b\x07]*\x1b?|)$")
PAUSE_SECONDS = 0.05
SCROLLBACK = 5000
GRACE_SECONDS = 1


class Screen(pyte.HistoryScreen):
    """What the program has drawn; its questions about the terminal are answered."""

    child = None

    def write_process_input(self, data):
        self.child.send(data)

    def above(self):
        return "\n".join("".join(line[x].data for x in range(self.columns)).rstrip() for line in self.history.top)

    def seen(self):
        return "\n".join(line.rstrip() for line in self.display).rstrip()


class Window:
    def __init__(self, file, args, env, cwd, rows, columns):
        self.screen = Screen(columns, rows, history=SCROLLBACK)
        self.stream = pyte.ByteStream(self.screen)
        self.child = pexpect.spawn(file, args, env=env, cwd=cwd, dimensions=(rows, columns), timeout=None)
        # pexpect waits before it sends; a person is slow enough.
        self.child.delaybeforesend = None
        self.screen.child = self.child
        self.waiting = b""
        self.told = None

    def draw(self, data):
        self.waiting += data
        held = UNFINISHED.search(self.waiting)
        end = held.start() if held else len(self.waiting)
        self.stream.feed(UNKNOWN.sub(b"", self.waiting[:end]))
        self.waiting = self.waiting[end:]

    def obey(self, command):
        if "type" in command:
            self.child.send(command["type"])
        if "resize" in command:
            rows, columns = command["resize"]
            self.screen.resize(rows, columns)
            self.child.setwinsize(rows, columns)

    def tell(self):
        seen = {"above": self.screen.above(), "screen": self.screen.seen()}
        if seen != self.told:
            self.told = seen
            tell(seen)

    def close(self):
        deadline = time.monotonic() + GRACE_SECONDS
        while self.child.isalive() and time.monotonic() < deadline:
            time.sleep(0.02)
        if self.child.isalive():
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()
        code = self.child.exitstatus
        return code if code is not None else -(self.child.signalstatus or 0)


def tell(event):
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def read(descriptor):
    try:
        return os.read(descriptor, 65536)
    except OSError:
        # How Linux says that nobody is at the other end of a terminal.
        return b""


def main():
    window = Window(**json.loads(sys.argv[1]))
    program, person = window.child.child_fd, sys.stdin.fileno()
    commands, due = b"", None
    while True:
        patience = None if due is None else max(0, due - time.monotonic())
        readable, _, _ = select.select([program, person], [], [], patience)
        if program in readable:
            data = read(program)
            if not data:
                break
            window.draw(data)
            due = due or time.monotonic() + PAUSE_SECONDS
        if due is not None and time.monotonic() >= due:
            due = None
            window.tell()
        if person in readable:
            data = read(person)
            if not data:
                break
            *lines, commands = (commands + data).split(b"\n")
            for line in lines:
                window.obey(json.loads(line))
    window.tell()
    tell({"exit": window.close()})


main()
