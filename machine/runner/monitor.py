# SPDX-License-Identifier: BSD-3-Clause
"""Commands to a running emulator by QMP (QEMU's monitor protocol): its state when it does not terminate, and snapshots."""

import json
import re
import time

# Time limits in seconds, as an emulator whose main loop is stuck does not answer; and for the whole memory of a guest on a busy host.
LIMIT = 10
MOVE_LIMIT = 120
# Omitted lines: floating-point and vector registers are long, and do not show the condition for which a CPU waits.
DULL = re.compile(r"^(FCW|FPR|MMX|XMM|YMM|ZMM|Opmask|DR\d|MXCSR)")
# Pages at fixed places of the file, and none for those that are zero.
CAPABILITIES = {"capabilities": [{"capability": "mapped-ram", "state": True}]}
UNLIMITED = {"max-bandwidth": 1 << 50}


class Silent(Exception):
    """The emulator did not answer in time."""


class Refused(Exception):
    """The emulator can't do what it was asked for; the message has its reason."""


class Monitor:
    def __init__(self, connection):
        self.connection = connection
        self.pending = bytearray()
        self.greeted = False

    def ask(self, command, arguments=None, limit=LIMIT):
        """Return the answer to a command; skip the greeting and events."""
        if not self.greeted:
            self.greeted = True
            self.ask("qmp_capabilities")
        deadline = time.monotonic() + limit
        self.connection.settimeout(limit)
        self.connection.sendall(json.dumps({"execute": command, "arguments": arguments or {}}).encode() + b"\n")
        while True:
            while b"\n" in self.pending:
                line, _, rest = bytes(self.pending).partition(b"\n")
                self.pending[:] = rest
                message = json.loads(line)
                if "error" in message:
                    raise Refused(f"{command}: {message['error'].get('desc')}")
                if "return" in message:
                    return message["return"]
            self.connection.settimeout(max(deadline - time.monotonic(), 0.001))
            data = self.connection.recv(1 << 16)
            if not data:
                raise Silent("closed its monitor")
            self.pending += data

    def wait(self, command, ended):
        """Repeat a query until ended(answer), and return this answer."""
        deadline = time.monotonic() + MOVE_LIMIT
        while not ended(answer := self.ask(command)):
            if time.monotonic() > deadline:
                raise Silent(f"did not end a snapshot within {MOVE_LIMIT} s")
            time.sleep(0.005)
        return answer

    def save(self, path):
        """Write the state of the machine to a file while the machine is stopped."""
        self.ask("stop")
        try:
            self.ask("migrate-set-capabilities", CAPABILITIES)
            self.ask("migrate-set-parameters", UNLIMITED)
            self.ask("migrate", {"uri": f"file:{path}"})
            answer = self.wait("query-migrate", lambda answer: answer.get("status") in ("completed", "failed", "cancelled"))
            if answer["status"] != "completed":
                raise Refused(answer.get("error-desc", answer["status"]))
        except (OSError, Silent, Refused):
            # A save that ended later would stop the machine again.
            self.ask("migrate_cancel")
            self.wait("query-migrate", lambda answer: answer.get("status") not in ("setup", "active", "device", "cancelling"))
            raise
        finally:
            self.ask("cont")

    def resume(self, path):
        """Let a machine that was started with `-incoming defer` go on from the state in a file."""
        self.ask("migrate-set-capabilities", CAPABILITIES)
        self.ask("migrate-incoming", {"uri": f"file:{path}"})
        self.wait("query-status", lambda answer: answer["status"] != "inmigrate")
        self.ask("cont")

    def state(self):
        """Return the state as a text of some dozen lines, also for an emulator that is stuck."""
        lines = []
        try:
            lines.append(f"query-status: {json.dumps(self.ask('query-status'))}")
            # Query twice, to distinguish a CPU that spins from a CPU that waits.
            for _ in range(2):
                registers = str(self.by_hand("info registers -a"))
                lines.append("info registers -a:")
                lines += [line.rstrip() for line in registers.splitlines() if line.strip() and not DULL.match(line)]
                time.sleep(0.2)
            # Each CPU's timer, and interrupts that are pending or in service.
            for cpu in range(registers.count("CPU#")):
                lines += str(self.by_hand(f"info lapic {cpu}")).splitlines()
        except TimeoutError:
            lines.append(f"the emulator did not answer within {LIMIT} s: its main loop is stuck")
        except (Silent, Refused, OSError, ValueError) as error:
            lines.append(f"the emulator does not answer: {error}")
        return "\n".join(lines) + "\n"

    def by_hand(self, line):
        return self.ask("human-monitor-command", {"command-line": line})
