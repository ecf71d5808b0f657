"""Runs a command on a terminal of its own, as the foreground job of a shell that can do nothing else.

Commands come as lines of JSON on stdin: {"type": TEXT}, {"resize": [ROWS, COLUMNS]}, {"continue": true}.
Events leave as lines of JSON on stdout: {"output": TEXT}, {"stopped": SIGNAL}, {"ended": CODE}.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios


def shell(command, events, orders):
    """The leader of the terminal's session: starts the job, and reports what becomes of it."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execvp(command[0], command)
    while True:
        _, status = os.waitpid(job, os.WUNTRACED)
        os.tcsetpgrp(0, os.getpgrp())
        if not os.WIFSTOPPED(status):
            break
        os.write(events, b"stopped %d\n" % os.WSTOPSIG(status))
        os.read(orders, 1)
        os.tcsetpgrp(0, job)
        os.killpg(job, signal.SIGCONT)
    os.write(events, b"ended %d\n" % os.waitstatus_to_exitcode(status))


def main():
    events, tell = os.pipe()
    take, orders = os.pipe()
    pid, terminal = pty.fork()
    if pid == 0:
        shell(sys.argv[1:], tell, take)
        os._exit(0)
    sources = {0: b"", events: b"", terminal: None}
    while True:
        for source in select.select(list(sources), [], [])[0]:
            if source == terminal:
                if not drain(terminal):
                    sources.pop(terminal, None)
                continue
            try:
                chunk = os.read(source, 65536)
            except OSError:
                chunk = b""
            if not chunk:
                del sources[source]
                if source == 0:
                    return
                continue
            *lines, sources[source] = (sources[source] + chunk).split(b"\n")
            for line in lines:
                if source == events:
                    # What the job printed before comes first.
                    if not drain(terminal):
                        sources.pop(terminal, None)
                    what, number = line.split()
                    report({what.decode(): int(number)})
                else:
                    obey(json.loads(line), terminal, orders)


def drain(terminal):
    """Reports what the terminal holds. Returns whether it is still open."""
    while select.select([terminal], [], [], 0)[0]:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            return False
        if not chunk:
            return False
        report({"output": chunk.decode("utf-8", "replace")})
    return True


def obey(order, terminal, orders):
    if "type" in order:
        os.write(terminal, order["type"].encode())
    if "resize" in order:
        rows, columns = order["resize"]
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    if "continue" in order:
        os.write(orders, b"c")


def report(event):
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


main()
