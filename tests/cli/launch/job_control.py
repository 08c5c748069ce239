# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command as the foreground job of a shell on a terminal, and prints what the shell sees of it.

usage: job_control.py STEP... -- COMMAND [ARGUMENT...]
Steps, which begin when the command has printed "ready":
  key LETTER    the key with Ctrl is pressed on the terminal
  group SIGNAL  the shell sends a signal to the job's process group
  leader SIGNAL a signal is sent to the process that the shell has started
  value NUMBER  the same, SIGRTMIN with a value
  stopped       the shell waits until the job has stopped, and prints the signal
  line          waits for a line of the command
  ended         the shell waits until the job has ended, and prints how
"""
import ctypes
import os
import pty
import signal
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)


def start(command):
    """Starts the shell's job in the foreground. Returns its process, its standard output, and the terminal."""
    master, slave = pty.openpty()
    os.setsid()
    os.dup2(slave, 0)
    os.close(os.open(os.ttyname(slave), os.O_RDWR))  # becomes the controlling terminal
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    out, into = os.pipe()
    go, gone = os.pipe()
    job = os.fork()
    if not job:
        os.read(go, 1)
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.dup2(into, 1)
        os.execvp(command[0], command)
    os.setpgid(job, job)
    os.tcsetpgrp(0, job)
    os.write(gone, b'.')
    os.close(into)
    return job, os.fdopen(out), master


def settle(job):
    """Waits until a process that was continued has taken the signal and sleeps again, or has ended."""
    while True:
        with open(f'/proc/{job}/status', encoding='ascii') as file:
            status = dict(line.split(':', 1) for line in file)
        state = status['State'].split()[0]
        if state == 'Z' or state == 'S' and not int(status['ShdPnd'], 16):
            return
        time.sleep(0.01)


def name(number):
    return signal.Signals(number).name


def ended(job, rest):
    status = os.waitpid(job, 0)[1]
    print(rest.read(), end='')
    print(f'killed by {name(os.WTERMSIG(status))}' if os.WIFSIGNALED(status) else f'status {os.WEXITSTATUS(status)}')


def main():
    split = sys.argv.index('--')
    steps = iter(sys.argv[1:split])
    # A session needs a process that leads no group.
    shell = os.fork()
    if shell:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(shell, 0)[1]))
    job, output, terminal = start(sys.argv[split + 1:])
    assert output.readline() == 'ready\n'
    for step in steps:
        if step == 'key':
            os.write(terminal, bytes([ord(next(steps)) & 31]))
        elif step == 'group':
            os.killpg(job, getattr(signal, next(steps)))
        elif step == 'leader':
            os.kill(job, getattr(signal, next(steps)))
        elif step == 'value':
            assert not libc.sigqueue(job, signal.SIGRTMIN, ctypes.c_void_p(int(next(steps))))
        elif step == 'stopped':
            status = os.waitpid(job, os.WUNTRACED)[1]
            assert os.WIFSTOPPED(status)
            print(f'stopped by {name(os.WSTOPSIG(status))}', flush=True)
        elif step == 'line':
            print(output.readline(), end='', flush=True)
            settle(job)
        elif step == 'ended':
            ended(job, output)
    sys.stdout.flush()
    os._exit(0)


main()
