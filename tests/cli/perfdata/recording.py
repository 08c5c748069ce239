#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a perf.data file from a description on standard input, so that its reader is tested without perf and without sampling hardware.

usage: recording.py [--stream] [--unfinished] [--compressed [--kept BYTES]] [--swapped] FILE < DESCRIPTION

A directory is written if FILE ends in "/": its events and features in FILE/data, and the records of each line "buffer N" in FILE/data.N.

    event TYPE CONFIG PERIOD FIELDS [KEY=VALUE...]  FIELDS: names of FIELDS below with commas; KEY: a member of ATTRIBUTE, a flag of FLAGS, id, or name
    host|release|arch|cpu|cpuid TEXT        command WORD...         node N KILOBYTES CPUS
    memory BLOCK_BYTES NODE BLOCK...        pmu TYPE NAME           clock ID WALL_NS CLOCK_NS
    build_id PATH HEX
    object NAME PATH                        a program without position-independence, whose symbols are NAME!SYMBOL
    maps PID NAME TIME [data]               the maps of the program, of code only or all
    map PID START END PERMS OFFSET PATH TIME [build-id]             map1: the same as the old record MMAP
    comm PID TID NAME TIME [exec]           fork|exit PID PARENT TID TIME       place ID CPU
    sample EVENT KEY=VALUE...               KEY: one of FIELDS; EVENT: number from 0
    lost EVENT NUMBER PID TID TIME          lost_samples EVENT NUMBER           throttle EVENT PID TID TIME
    round                                   record TYPE MISC HEX                buffer N"""

import argparse
import os
import struct
import subprocess
import sys

FIELDS = {"identifier": 16, "ip": 0, "tid": 1, "time": 2, "addr": 3, "id": 6, "stream": 9, "cpu": 7, "period": 8, "read": 4, "chain": 5, "raw": 10,
          "branch": 11, "regs": 12, "stack": 13, "weight": 14, "weight_struct": 24, "data_src": 15, "transaction": 17, "regs_intr": 18, "phys": 19}
ATTRIBUTE = {"read_format": (32, "Q"), "config1": (56, "Q"), "branch_sample_type": (72, "Q"), "sample_regs_user": (80, "Q"), "sample_stack_user": (88, "I"),
             "clockid": (92, "i"), "sample_regs_intr": (96, "Q")}
FLAGS = {"exclude_kernel": 5, "freq": 10, "enable_on_exec": 12, "use_clockid": 25}
SAMPLE_ID_ALL = 1 << 18
ATTRIBUTE_BYTES = 128
FEATURES = {"build_id": 2, "host": 3, "release": 4, "arch": 6, "cpu": 8, "cpuid": 9, "command": 11, "event": 12, "node": 14, "pmu": 16, "memory": 22,
            "compressed": 27, "clock": 29}
EXACT = 1 << 14
USER = 2


def string(text):
    data = text.encode() + b"\0"
    data += b"\0" * (-len(data) % 64)
    return struct.pack("<I", len(data)) + data


class Recording:
    def __init__(self):
        self.events, self.features, self.objects, self.buffers, self.at = [], {}, {}, {-1: []}, -1

    def number(self, text):
        name, _, symbol = text.partition("!")
        if not symbol:
            return int(text, 0)
        symbol, _, offset = symbol.partition("+")
        return self.objects[name][1][symbol] + int(offset or "0", 0)

    def put(self, kind, misc, body):
        self.buffers[self.at].append(struct.pack("<IHH", kind, misc, 8 + len(body)) + body)

    def trailer(self, pid, tid, time, event=0):
        """The end of a record that is no sample."""
        asked, data = self.events[event]["fields"], b""
        for name in ("tid", "time", "id", "stream", "cpu", "identifier"):
            if name not in asked:
                continue
            value = {"tid": pid | tid << 32, "time": time, "id": self.events[event]["ids"][0], "identifier": self.events[event]["ids"][0]}.get(name, 0)
            data += struct.pack("<Q", value)
        return data

    def do_event(self, kind, config, period, fields, *more):
        event = {"fields": fields.split(","), "ids": [100 + len(self.events)], "name": f"event{len(self.events)}"}
        attribute, flags = bytearray(ATTRIBUTE_BYTES), SAMPLE_ID_ALL
        sample_type = sum(1 << FIELDS[name] for name in event["fields"])
        struct.pack_into("<IIQQQ", attribute, 0, int(kind, 0), ATTRIBUTE_BYTES, int(config, 0), int(period, 0), sample_type)
        for word in more:
            key, _, value = word.partition("=")
            if key in FLAGS:
                flags |= 1 << FLAGS[key]
            elif key == "id":
                event["ids"] = [int(number) for number in value.split(",")]
            elif key == "name":
                event["name"] = value
            else:
                struct.pack_into("<" + ATTRIBUTE[key][1], attribute, ATTRIBUTE[key][0], int(value, 0))
        struct.pack_into("<Q", attribute, 40, flags)
        self.events.append(event | {"attribute": bytes(attribute)})

    def do_object(self, name, path):
        symbols = {}
        for line in subprocess.run(["nm", path], check=True, capture_output=True, text=True).stdout.splitlines():
            words = line.split()
            if len(words) == 3:
                symbols[words[2]] = int(words[0], 16)
        self.objects[name] = (os.path.abspath(path), symbols)

    def do_maps(self, pid, name, time, data=""):
        path = self.objects[name][0]
        for line in subprocess.run(["readelf", "-lW", path], check=True, capture_output=True, text=True).stdout.splitlines():
            words = line.split()
            if len(words) < 7 or words[0] != "LOAD" or not (data or "E" in words[6:-1]):
                continue
            offset, start, size = int(words[1], 16), int(words[2], 16), int(words[5], 16)
            low, high = start & ~4095, (start + size + 4095) & ~4095
            permissions = "r" + ("w" if "W" in words[6] else "-") + ("x" if "E" in words[6:-1] else "-") + "p"
            self.do_map(pid, hex(low), hex(high), permissions, hex(offset & ~4095), path, time)

    def do_map(self, pid, start, end, permissions, offset, path, time, build_id=""):
        start, end, pid = self.number(start), self.number(end), int(pid)
        protection = sum(bit for bit, letter in zip((1, 2, 4), permissions) if letter != "-")
        inode = os.stat(path).st_ino if os.path.exists(path) else 77
        identity, misc = struct.pack("<IIQQ", 8, 1, inode, 0), USER
        if build_id:
            identity, misc = struct.pack("<B3x20s", len(build_id) // 2, bytes.fromhex(build_id)), USER | 1 << 14
        name = path.encode() + b"\0"
        body = struct.pack("<IIQQQ", pid, pid, start, end - start, int(offset, 0)) + identity
        body += struct.pack("<II", protection, 1 if permissions[3] == "s" else 2) + name + b"\0" * (-len(name) % 8)
        self.put(10, misc, body + self.trailer(pid, pid, int(time)))

    def do_map1(self, pid, start, end, permissions, offset, path, time):
        start, end, pid, name = self.number(start), self.number(end), int(pid), path.encode() + b"\0"
        body = struct.pack("<IIQQQ", pid, pid, start, end - start, int(offset, 0)) + name + b"\0" * (-len(name) % 8)
        self.put(1, USER | (0 if "x" in permissions else 1 << 13), body + self.trailer(pid, pid, int(time)))

    def do_comm(self, pid, tid, name, time, executed=""):
        data = name.encode() + b"\0"
        self.put(3, 1 << 13 if executed else 0, struct.pack("<II", int(pid), int(tid)) + data + b"\0" * (-len(data) % 8) + self.trailer(int(pid), int(tid), int(time)))

    def task(self, kind, pid, parent, tid, time):
        self.put(kind, 0, struct.pack("<IIIIQ", int(pid), int(parent), int(tid), int(parent), int(time)) + self.trailer(int(pid), int(tid), int(time)))

    def do_fork(self, *words):
        self.task(7, *words)

    def do_exit(self, *words):
        self.task(4, *words)

    def do_sample(self, event, *words):
        event, values = self.events[int(event)], dict(word.split("=", 1) for word in words)
        mode = {"kernel": 1, "user": 2, "guest": 5}[values.pop("mode", "user")]
        misc, body = mode | (0 if values.pop("exact", "1") == "0" else EXACT), b""
        for name in FIELDS:
            if name not in event["fields"]:
                continue
            value = values.pop(name, "0")
            if name == "tid":
                pid, _, tid = value.partition("/")
                body += struct.pack("<II", int(pid), int(tid or pid))
            elif name in ("id", "identifier"):
                body += struct.pack("<Q", int(value) or event["ids"][0])
            elif name in ("raw", "chain", "read", "branch", "regs", "stack", "regs_intr"):
                # A list of words; raw data are 4 bytes of size before, and 4 bytes of capabilities first.
                numbers = [self.number(number) for number in value.split(",")]
                if name == "raw":
                    body += struct.pack("<II", 4 + 8 * (len(numbers) - 1), numbers.pop(0))
                body += b"".join(struct.pack("<Q", number) for number in ([len(numbers)] if name == "chain" else []) + numbers)
            else:
                body += struct.pack("<Q", self.number(value))
        if values:
            raise SystemExit(f"recording.py: the event does not have {', '.join(values)}")
        self.put(9, misc, body)

    def do_lost(self, event, number, pid, tid, time):
        self.put(2, 0, struct.pack("<QQ", self.events[int(event)]["ids"][0], int(number)) + self.trailer(int(pid), int(tid), int(time), int(event)))

    def do_lost_samples(self, event, number):
        self.put(13, 0, struct.pack("<Q", int(number)) + self.trailer(0, 0, 0, int(event)))

    def do_throttle(self, event, pid, tid, time):
        self.put(5, 0, struct.pack("<QQQ", int(time), 0, 0) + self.trailer(int(pid), int(tid), int(time), int(event)))

    def do_round(self):
        self.put(68, 0, b"")

    def do_place(self, number, cpu):
        self.put(69, 0, struct.pack("<QQQqq", 1, int(number), 0, int(cpu), -1))

    def do_record(self, kind, misc, data=""):
        self.put(int(kind), int(misc, 0), bytes.fromhex(data))

    def do_buffer(self, number):
        self.at = int(number)
        self.buffers[self.at] = []

    def do_node(self, node, kilobytes, cpus):
        self.features.setdefault("node", []).append(struct.pack("<IQQ", int(node), int(kilobytes), 0) + string(cpus))

    def do_memory(self, block, node, *blocks):
        bits = sum(1 << int(number) for number in blocks)
        words = struct.pack("<QQQQ", int(node), 64, 64, bits)
        self.features.setdefault("memory", [struct.pack("<QQ", 1, self.number(block))]).append(words)

    def do_pmu(self, kind, name):
        self.features.setdefault("pmu", []).append(struct.pack("<I", int(kind)) + string(name))

    def do_command(self, *words):
        self.features["command"] = struct.pack("<I", len(words)) + b"".join(string(word) for word in words)

    def do_clock(self, clock, wall, time):
        self.features["clock"] = struct.pack("<IIQQ", 1, int(clock), int(wall), int(time))

    def do_build_id(self, path, digits):
        data = bytes.fromhex(digits)
        name = path.encode() + b"\0"
        body = struct.pack("<i20sB3x", -1, data, len(data)) + name + b"\0" * (-len(name) % 8)
        self.features.setdefault("build_id", []).append(struct.pack("<IHH", 67, 1 << 15, 8 + len(body)) + body)

    def text_feature(self, key, *words):
        self.features[key] = string(" ".join(words))

    def run(self, line):
        key, *words = line.split()
        if key in ("host", "release", "arch", "cpu", "cpuid"):
            self.text_feature(key, *words)
        else:
            getattr(self, "do_" + key)(*words)

    def contents(self, key):
        """The contents of a feature, by its number."""
        parts = self.features[key]
        if key in ("node", "pmu"):
            return struct.pack("<I", len(parts)) + b"".join(parts)
        if key == "memory":
            return parts[0] + struct.pack("<Q", len(parts) - 1) + b"".join(parts[1:])
        return b"".join(parts) if isinstance(parts, list) else parts

    def feature_list(self):
        names = [struct.pack("<I", len(self.events)) + struct.pack("<I", ATTRIBUTE_BYTES)]
        for event in self.events:
            ids = b"".join(struct.pack("<Q", number) for number in event["ids"])
            names.append(event["attribute"] + struct.pack("<I", len(event["ids"])) + string(event["name"]) + ids)
        self.features["event"] = b"".join(names)
        return sorted((FEATURES[key], self.contents(key)) for key in self.features)


def compress(records, kept=None):
    """The records as COMPRESSED records of one stream, each with 1,000 bytes of it at most; of the stream, only `kept` bytes."""
    data = subprocess.run(["zstd", "-q", "-c"], input=b"".join(records), check=True, capture_output=True).stdout[:kept]
    parts = [data[at:at + 1000] for at in range(0, len(data), 1000)]
    return [struct.pack("<IHH", 81, 0, 8 + len(part)) + part for part in parts]


def as_stream(recording):
    data = [struct.pack("<QQ", 0x32454C4946524550, 16)]
    for event in recording.events:
        body = event["attribute"] + b"".join(struct.pack("<Q", number) for number in event["ids"])
        data.append(struct.pack("<IHH", 64, 0, 8 + len(body)) + body)
    for number, contents in recording.feature_list():
        contents += b"\0" * (-len(contents) % 8)
        data.append(struct.pack("<IHHQ", 80, 0, 16 + len(contents), number) + contents)
    return b"".join(data + recording.buffers[-1])


def as_file(recording, options):
    each, ids, attributes = ATTRIBUTE_BYTES + 16, b"", b""
    first_id = 104
    for event in recording.events:
        attributes += event["attribute"] + struct.pack("<QQ", first_id + len(ids), 8 * len(event["ids"]))
        ids += b"".join(struct.pack("<Q", number) for number in event["ids"])
    records = compress(recording.buffers[-1], options.kept) if options.compressed else recording.buffers[-1]
    if options.compressed:
        recording.features["compressed"] = struct.pack("<5I", 1, 1, 1, 1, 4096)
    data, features, bitmap = b"".join(records), recording.feature_list(), [0, 0, 0, 0]
    begin = first_id + len(ids) + len(attributes)
    end, table, contents = begin + len(data), b"", b""
    for number, content in features:
        bitmap[number // 64] |= 1 << number % 64
        table += struct.pack("<QQ", end + 16 * len(features) + len(contents), len(content))
        contents += content
    size = 0 if options.unfinished else len(data)
    head = struct.pack("<9Q4Q", 0x32454C4946524550, 104, each, first_id + len(ids), len(attributes), begin, size, 0, 0, *bitmap)
    if options.swapped:
        head = struct.pack(">Q", 0x32454C4946524550) + head[8:]
    return head + ids + attributes + data + (b"" if options.unfinished else table + contents)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name in ("stream", "unfinished", "compressed", "swapped"):
        parser.add_argument("--" + name, action="store_true")
    parser.add_argument("--kept", type=int)
    parser.add_argument("file")
    options, recording = parser.parse_args(), Recording()
    for line in sys.stdin:
        if line.strip():
            recording.run(line)
    path = options.file
    if path.endswith("/"):
        os.makedirs(path, exist_ok=True)
        for number, records in recording.buffers.items():
            if number >= 0:
                with open(f"{path}data.{number}", "wb") as stream:
                    stream.write(b"".join(compress(records) if options.compressed else records))
        path += "data"
    with open(path, "wb") as stream:
        stream.write(as_stream(recording) if options.stream else as_file(recording, options))


main()
