# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command on a pseudo-terminal with 100 columns, prints its output and exits with its status.

usage: on_terminal.py [--on TEXT COMMAND] COMMAND [ARGUMENT...]
--on: runs this shell command when TEXT appears for the first time
"""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios


def main():
    arguments = sys.argv[1:]
    awaited = reaction = None
    if arguments[0] == '--on':
        awaited, reaction = arguments[1].encode(), arguments[2]
        del arguments[:3]
    pid, terminal = pty.fork()
    if not pid:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 100, 0, 0))
        os.execvp(arguments[0], arguments)
    shown = b''
    while True:
        try:
            got = os.read(terminal, 65536)
        except OSError:  # EIO: the terminal is no longer open in any process
            got = b''
        if not got:
            break
        shown += got
        if awaited and awaited in shown:
            awaited = None
            subprocess.run(['sh', '-c', reaction], check=True)
    sys.stdout.buffer.write(shown.replace(b'\r\n', b'\n'))
    sys.stdout.flush()
    status = os.waitpid(pid, 0)[1]
    if awaited:
        sys.exit(f'on_terminal.py: not shown: {awaited.decode()}')
    sys.exit(os.waitstatus_to_exitcode(status) & 255)


if __name__ == '__main__':
    main()
