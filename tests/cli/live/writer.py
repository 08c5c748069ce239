# SPDX-License-Identifier: BSD-3-Clause
"""Writes sample files step by step, in place of a process that is being sampled.

usage: writer.py MAKE_SAMPLES DIRECTORY DESCRIPTION < STEPS
DESCRIPTION: a file for make_samples; @PID@ and @HOST@ stand for this process and this machine
STEPS, one a line:
	all		writes what precedes the first chunk of samples of each file
	samples		writes the next chunk of samples of each thread, from the beginning again after the last one
	torn		writes it without its header, as a writer does that is killed
	end		closes all files in order, and exits
The process file stays open, as the library's does. Without END, the process ends at the end of STEPS.
"""
import os
import socket
import struct
import subprocess
import sys
import tempfile

HEADER = struct.Struct('<IHHIIII')
SAMPLES = 1


def chunks_of(data):
    offset = struct.unpack_from('<I', data, 12)[0]
    found = []
    while offset < len(data):
        kind, size = HEADER.unpack_from(data, offset)[1], HEADER.unpack_from(data, offset)[3]
        end = offset + HEADER.size + (size + 7) // 8 * 8
        found.append((kind, data[offset:end]))
        offset = end
    return found


class File:
    def __init__(self, source, path):
        with open(source, 'rb') as file:
            data = file.read()
        chunks = chunks_of(data)
        first = next((i for i, (kind, _) in enumerate(chunks) if kind == SAMPLES), len(chunks))
        self.before = [chunk for _, chunk in chunks[:first]]
        self.samples = [chunk for kind, chunk in chunks if kind == SAMPLES]
        self.turn = 0
        self.fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.write(self.fd, data[:struct.unpack_from('<I', data, 12)[0]])

    def commit(self, chunk, header=True):
        """The payload first, the header last."""
        at = os.lseek(self.fd, 0, os.SEEK_END)
        os.pwrite(self.fd, chunk[HEADER.size:], at + HEADER.size)
        if header:
            os.pwrite(self.fd, chunk[:HEADER.size], at)

    def next_samples(self):
        if self.samples:
            self.turn += 1
            return [self.samples[(self.turn - 1) % len(self.samples)]]
        return []


def main():
    make_samples, directory, description = sys.argv[1:]
    with open(description, encoding='utf-8') as file:
        text = file.read().replace('@PID@', str(os.getpid())).replace('@HOST@', socket.gethostname())
    with tempfile.TemporaryDirectory() as made:
        subprocess.run([make_samples, made], input=text, text=True, check=True)
        os.makedirs(directory, exist_ok=True)
        files = [File(os.path.join(made, name), os.path.join(directory, name)) for name in sorted(os.listdir(made))]
        end = subprocess.run([make_samples, made], input='process 1\nend\n', text=True, check=True)
        with open(os.path.join(made, 'host.1.process.memphis'), 'rb') as file:
            end = chunks_of(file.read())[-1][1]
    for step in sys.stdin:
        step = step.strip()
        for file in files:
            if step == 'all':
                for chunk in file.before:
                    file.commit(chunk)
            elif step in ('samples', 'torn'):
                for chunk in file.next_samples():
                    file.commit(chunk, step == 'samples')
            elif step == 'end':
                file.commit(end)
            else:
                sys.exit(f'writer.py: no step {step}')
        if step == 'end':
            break


if __name__ == '__main__':
    main()
