# SPDX-License-Identifier: BSD-3-Clause
"""Queries the state of an emulator that does not terminate, with QMP (QEMU's monitor protocol)."""

import json
import re
import time

# Time limit in seconds, as an emulator whose main loop is stuck does not answer.
LIMIT = 10
# Omitted lines: floating-point and vector registers are long, and do not show the condition for which a CPU waits.
DULL = re.compile(r"^(FCW|FPR|MMX|XMM|YMM|ZMM|Opmask|DR\d|MXCSR)")


class Silent(Exception):
    """The emulator did not answer in time."""


def ask(connection, deadline, pending, command, arguments=None):
    """Return the answer to a command; skip the greeting and events. `pending`: received bytes that are not yet parsed."""
    connection.sendall(json.dumps({"execute": command, "arguments": arguments or {}}).encode() + b"\n")
    while True:
        while b"\n" in pending:
            line, _, rest = bytes(pending).partition(b"\n")
            pending[:] = rest
            message = json.loads(line)
            if "return" in message or "error" in message:
                return message.get("return", message.get("error"))
        connection.settimeout(max(deadline - time.monotonic(), 0.001))
        data = connection.recv(1 << 16)
        if not data:
            raise Silent("closed its monitor")
        pending += data


def state(connection):
    """Return the state as a text of some dozen lines, also for an emulator that is stuck."""
    lines = []
    deadline = time.monotonic() + LIMIT
    pending = bytearray()
    connection.settimeout(LIMIT)
    try:
        ask(connection, deadline, pending, "qmp_capabilities")
        lines.append(f"query-status: {json.dumps(ask(connection, deadline, pending, 'query-status'))}")
        # Query twice, to distinguish a CPU that spins from a CPU that waits.
        for _ in range(2):
            registers = ask(connection, deadline, pending, "human-monitor-command", {"command-line": "info registers -a"})
            lines.append("info registers -a:")
            lines += [line.rstrip() for line in str(registers).splitlines() if line.strip() and not DULL.match(line)]
            time.sleep(0.2)
        # Each CPU's timer, and interrupts that are pending or in service.
        for cpu in range(str(registers).count("CPU#")):
            lines += str(ask(connection, deadline, pending, "human-monitor-command",
                             {"command-line": f"info lapic {cpu}"})).splitlines()
    except TimeoutError:
        lines.append(f"the emulator did not answer within {LIMIT} s: its main loop is stuck")
    except (Silent, OSError, ValueError) as error:
        lines.append(f"the emulator does not answer: {error}")
    return "\n".join(lines) + "\n"
