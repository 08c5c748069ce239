# SPDX-License-Identifier: BSD-3-Clause
"""Streams of samples of known causes: models of programs, whose threads touch pages and access memory, and a sampler of their accesses.

A page lies on the node of the thread that touches it first, unless the model places or moves it. An access misses the caches with a probability of
its loop, and is then a load from the memory of the home node. Each model states what a report must find: pairs of a pattern and the line of the loop
with the variables, or nothing."""
import collections
import random

PAGE = 4096
ARRAY = 1 << 20
LOCAL, REMOTE, CACHE, PEER = 190, 310, 14, 110
ROWS, ROW_BYTES = 512, 216
MEMBERS = ('x', 'y', 'z', 'mass', 'energy', 'p', 'q', 'v', 'ss', 'area')

# What must be found, or may be if it is not `required`. `patterns` are as true as each other, of the variables one must be named, and the line is one of
# several that are as true if it is None.
Cause = collections.namedtuple('Cause', 'patterns variables line required', defaults=(True,))
Machine = collections.namedtuple('Machine', 'nodes per_node hardware remote memory_only', defaults=(False,))


class Stream:
    """The samples of one process."""

    def __init__(self, machine, seed, pid=100):
        self.machine, self.pid = machine, pid
        self.rng = random.Random(seed)
        self.threads = [(pid + number, number // machine.per_node) for number in range(machine.nodes * machine.per_node)]
        self.homes = {}
        self.blocks = []
        self.samples = collections.defaultdict(list)
        self.remote = 0
        self.clock = 1_000_000
        self.latency = {}

    # ---- memory ----

    def array(self, name):
        """An array of the program with static storage."""
        return (name, ARRAY)

    def allocate(self, name, stack, size, align=PAGE):
        """A block of the heap; the name is the model's own."""
        base = self.blocks[-1][1] + self.blocks[-1][2] if self.blocks else 0x40000000
        base = -(-base // align) * align
        self.blocks.append((name, base, size, stack, self.tick()))
        return (base, size)

    def tick(self):
        self.clock += 1000
        return self.clock

    @staticmethod
    def page(block, offset):
        # Static arrays begin on a page (loops.c is linked so), and so do blocks that are pages.
        start, _ = block
        return (start, offset // PAGE) if isinstance(start, str) else (0, (start + offset) // PAGE)

    def touch(self, block, low, high, node):
        for offset in range(low, max(high, low + 1), PAGE):
            self.homes.setdefault(self.page(block, offset), node)
        self.homes.setdefault(self.page(block, max(high - 1, low)), node)

    def move(self, block, low, high, node):
        for offset in range(low, high, PAGE):
            self.homes[self.page(block, offset)] = node

    # ---- accesses ----

    def access(self, thread, block, offset, line, store=False, miss=1.0, peer=False, node=None):
        tid, own = self.threads[thread]
        node = own if node is None else node
        home = self.homes.setdefault(self.page(block, offset), node)
        flags, source, latency = 'S' if store else 'L', 'unknown', 0
        if peer:
            source, latency, flags = 'peer-cache', PEER, flags + 'H'
        elif not store and self.rng.random() < miss:
            source, latency = 'dram', self.latency.get('dram', LOCAL)
            if node != home:
                flags, latency = flags + 'R', self.latency.get('rdram', REMOTE)
            latency += self.rng.randrange(latency // 8 + 1)
        elif not store:
            source, latency = ('l1', 4) if self.rng.random() < 0.8 else ('l2', CACHE)
        time = self.tick()
        if self.machine.hardware == 'pebs' and (store or latency < 30):
            return
        self.remote += source == 'dram' and node != home
        self.samples[tid].append((time, line, block[0], offset, source, flags, node, home, latency))

    def loop(self, line, target, pick, miss=0.1, store=0.0, line_of_stores=None, threads=None):
        """Lets the threads access `pick(thread)` -> (block, offset) in turn, at random, until `target` remote loads were sampled, or that many times 100."""
        threads = list(range(len(self.threads))) if threads is None else threads
        stop = self.remote + target
        for _ in range(100 * max(target, 20)):
            thread = self.rng.choice(threads)
            block, offset = pick(thread)
            is_store = self.rng.random() < store
            self.access(thread, block, offset, line_of_stores if is_store and line_of_stores else line, is_store, miss)
            if self.remote >= stop > 0 and target:
                break

    def initialise(self, block, by, count=30):
        """`by(offset)` is the thread that touches the page."""
        for low in range(0, block[1], PAGE):
            thread = by(low)
            self.touch(block, low, min(low + PAGE, block[1]), self.threads[thread][1])
        # A short phase, of which few stores are sampled.
        for _ in range(count):
            offset = self.rng.randrange(block[1] // 8) * 8
            self.access(by(offset), block, offset, 'init', store=True)

    # ---- shares of the threads ----

    def owner(self, size):
        """Of an array that is divided: offset -> thread."""
        share = -(-size // len(self.threads))
        return lambda offset: min(offset // share, len(self.threads) - 1)

    def own(self, block):
        """Of an array that is divided: thread -> an offset of its part."""
        share = -(-block[1] // len(self.threads))
        return lambda thread: (block, min(thread * share + self.rng.randrange(share) // 8 * 8, block[1] - 8))

    def anywhere(self, block):
        return lambda thread: (block, self.rng.randrange(block[1] // 8) * 8)

    # ---- the description for make_samples ----

    def describe(self, program, code):
        pebs = self.machine.hardware == 'pebs'
        settings = {'command': './loops', 'backend': 'device', 'hardware': self.machine.hardware, 'pmu': 'cpu' if pebs else 'ibs_op', 'period': 65536,
                    'count': 'loads' if pebs else 'ops', 'drop': 'none', 'hardware_filter': 'none', 'min_latency': 30 if pebs else 0}
        yield f'process {self.pid}'
        yield from (f'setting {key} {value}' for key, value in settings.items())
        count = self.machine.nodes
        per_node = self.machine.per_node
        for node in range(count + self.machine.memory_only):
            cpus = f'{node * per_node}-{(node + 1) * per_node - 1}' if node < count else '-'
            yield f'node {node} 8589934592 {cpus} ' + ' '.join('10' if node == other else '21' for other in range(count + self.machine.memory_only))
        yield 'region 1 0 Loop'
        yield f'object loops {program} 0'
        if self.blocks:
            yield f'map 0x40000000 0x50000000 rw-p 0x0 - [heap]'
        yield 'maps 100'
        yield 'end'
        order = [tid for tid, _ in self.threads]
        for tid in order:
            mine = self.samples[tid]
            yield f'thread {tid}'
            if tid == order[0]:
                yield 'fact main 1'
                stacks = {stack: number for number, stack in enumerate(dict.fromkeys(stack for _, _, _, stack, _ in self.blocks), 1)}
                for stack, number in stacks.items():
                    yield f'stack {number} ' + ' '.join(f'loops^loops.c:{code[mark]}#1' for mark in stack)
                for _, base, size, stack, time in self.blocks:
                    yield f'malloc {time} {base:#x} {size} {stacks[stack]}'
            for time, line, start, offset, source, flags, node, home, latency in mine:
                address = f'loops!{start}+{offset}' if isinstance(start, str) else f'{start + offset:#x}'
                yield f'sample {time} {code.access(line):#x} {address} {source} {flags} {node} {home} 1 {latency}'
            yield f'books {len(mine)} {len(mine)} 0'
            yield 'end'


# ---- the models: each gets a machine and a seed, and returns its streams, one for each process, and its causes ----

def first_touch(machine, seed):
    stream = Stream(machine, seed)
    field = stream.array('field')
    stream.initialise(field, lambda offset: 0)
    stream.loop('sweep', machine.remote, stream.own(field), store=0.2, line_of_stores='update')
    return [stream], [Cause({'first-touch'}, {'field'}, 'sweep')]


def first_touch_not_sampled(machine, seed):
    """The initialisation was before the caliper."""
    stream = Stream(machine, seed)
    field = stream.array('field')
    stream.initialise(field, lambda offset: 0, count=0)
    stream.loop('sweep', machine.remote, stream.own(field), store=0.2, line_of_stores='update')
    return [stream], [Cause({'first-touch'}, {'field'}, 'sweep')]


def read_shared(machine, seed):
    stream = Stream(machine, seed)
    table = stream.array('table')
    stream.initialise(table, lambda offset: 0)
    stream.loop('look_up', machine.remote, stream.anywhere(table), miss=0.8)
    # Without stores, that they are only read is not known.
    return [stream], [Cause({'read-shared'} if machine.hardware == 'ibs' else {'read-shared', 'first-touch-of-all'}, {'table'}, 'look_up')]


def partition(machine, seed):
    """Initialised from the other end."""
    stream = Stream(machine, seed)
    field = stream.array('field')
    owner = stream.owner(ARRAY)
    stream.initialise(field, lambda offset: owner(ARRAY - 8 - offset))
    stream.loop('sweep', machine.remote, stream.own(field), store=0.2, line_of_stores='update')
    return [stream], [Cause({'partition-mismatch'}, {'field'}, 'sweep')]


def producer(machine, seed):
    """Threads of the first node write a buffer again and again, which those of the last one read."""
    stream = Stream(machine, seed)
    buffer = stream.array('buffer')
    stream.initialise(buffer, lambda offset: 0)
    last = (machine.nodes - 1) * machine.per_node
    stop = stream.remote + machine.remote
    while stream.remote < stop:
        _, offset = stream.anywhere(buffer)(0)
        stream.access(stream.rng.randrange(machine.per_node), buffer, offset, 'update', store=True)
        stream.access(last + stream.rng.randrange(machine.per_node), buffer, offset, 'sweep', miss=0.3)
    return [stream], [Cause({'partition-mismatch'}, {'buffer'}, 'sweep')]


def serial(machine, seed):
    stream = Stream(machine, seed)
    field = stream.array('field')
    stream.initialise(field, stream.owner(ARRAY))
    stream.loop('sweep', 0, stream.own(field), store=0.3, line_of_stores='update')
    stream.loop('pack', machine.remote, stream.anywhere(field), threads=[0])
    return [stream], [Cause({'serial-phase'}, {'field'}, 'pack')]


def serial_parts(machine, seed):
    """Each thread allocates and initialises its part, one thread reads all of them."""
    stream = Stream(machine, seed)
    count = len(stream.threads)
    parts = [stream.allocate('part[]', ('make_part',), ARRAY // count) for _ in range(count)]
    for thread, part in enumerate(parts):
        stream.initialise(part, lambda offset, thread=thread: thread, count=8)
    stream.loop('read_parts', machine.remote, lambda thread: (block := stream.rng.choice(parts), stream.rng.randrange(block[1] // 8) * 8), threads=[0])
    return [stream], [Cause({'serial-phase'}, {'part[]'}, 'read_parts')]


def schedule(machine, seed):
    """Blocks that are dealt out to the threads, which use their own in one loop, and in another one a share of neighbouring blocks."""
    stream = Stream(machine, seed)
    field = stream.array('field')
    count, block = len(stream.threads), ARRAY // 64
    stream.initialise(field, lambda offset: offset // block % count)

    def own(thread):
        return field, (thread + stream.rng.randrange(64 // count) * count) * block + stream.rng.randrange(block // 8) * 8
    for _ in range(-(-machine.remote // 40)):
        stream.loop('sweep', 0, own, store=0.2, line_of_stores='update')
        stream.loop('pack', 40, stream.own(field))
    return [stream], [Cause({'schedule-mismatch'}, {'field'}, 'pack')]


def dynamic(machine, seed):
    """Initialised in equal parts, and then used by whichever thread comes first."""
    stream = Stream(machine, seed)
    field = stream.array('field')
    stream.initialise(field, stream.owner(ARRAY))
    stream.loop('sweep', machine.remote, stream.anywhere(field), store=0.2, line_of_stores='update')
    return [stream], [Cause({'schedule-mismatch'}, {'field'}, 'sweep', machine.remote >= 400)]


def cached_elsewhere(machine, seed):
    """An interleaved table that all read at random; in the other loop, it is in the caches, and no remote access is missing there."""
    stream = Stream(machine, seed)
    table = stream.array('table')
    for number in range(ARRAY // PAGE):
        stream.touch(table, number * PAGE, (number + 1) * PAGE, number % machine.nodes)
    stream.loop('look_up', machine.remote, stream.anywhere(table), miss=0.8, store=0.1)
    stream.loop('sweep', 0, stream.anywhere(table), miss=0, store=0.1)
    return [stream], [Cause({'read-shared'}, {'table'}, 'look_up', False)]


def seams(machine, seed):
    """Divided among the threads, and each reads a little of its neighbour's part."""
    stream = Stream(machine, seed)
    field = stream.array('field')
    stream.initialise(field, stream.owner(ARRAY))
    own = stream.own(field)

    def pick(thread):
        block, offset = own(thread)
        if stream.rng.random() < 0.02:
            offset = (offset + ARRAY // len(stream.threads)) % ARRAY
        return block, offset
    stream.loop('sweep', machine.remote, pick)
    return [stream], []


def seams_of_one(machine, seed):
    """The same, but only the first thread has remote pages in its part: the loop is parallel, although one thread makes all remote accesses."""
    stream = Stream(machine, seed)
    field = stream.array('field')
    share = ARRAY // len(stream.threads)
    last = stream.threads[-1][1]
    for low in range(share * 3 // 4, share, PAGE):
        stream.touch(field, low, low + PAGE, last)
    stream.initialise(field, stream.owner(ARRAY))
    stream.loop('sweep', machine.remote, stream.own(field), store=0.2, line_of_stores='update')
    return [stream], [Cause({'partition-mismatch'}, {'field'}, 'sweep', False)]


def parallel_rows(machine, seed):
    """Each thread allocates and reads its rows; the first one also reads some of the others: no serial phase."""
    stream = Stream(machine, seed)
    count = len(stream.threads)
    parts = [stream.allocate('part[]', ('make_part',), ARRAY // count) for _ in range(count)]
    for thread, part in enumerate(parts):
        stream.initialise(part, lambda offset, thread=thread: thread, count=8)

    def pick(thread):
        block = parts[thread if thread or stream.rng.random() < 0.7 else stream.rng.randrange(count)]
        return block, stream.rng.randrange(block[1] // 8) * 8
    stream.loop('read_parts', machine.remote, pick)
    return [stream], []


def local(machine, seed):
    stream = Stream(machine, seed)
    field = stream.array('field')
    stream.initialise(field, stream.owner(ARRAY))
    stream.loop('sweep', 0, stream.own(field), store=0.2, line_of_stores='update')
    return [stream], []


def interleaved(machine, seed):
    """A table that all read at random, interleaved: as good as it gets, but for copies."""
    stream = Stream(machine, seed)
    table = stream.array('table')
    for number in range(ARRAY // PAGE):
        stream.touch(table, number * PAGE, (number + 1) * PAGE, number % machine.nodes)
    stream.loop('look_up', machine.remote, stream.anywhere(table), miss=0.8, store=0.1)
    return [stream], []


def interleaved_parts(machine, seed):
    stream = Stream(machine, seed)
    field = stream.array('field')
    for number in range(ARRAY // PAGE):
        stream.touch(field, number * PAGE, (number + 1) * PAGE, number % machine.nodes)
    stream.loop('sweep', machine.remote, stream.own(field), store=0.2, line_of_stores='update')
    return [stream], [Cause({'partition-mismatch'}, {'field'}, 'sweep')]


def memory_only(machine, seed):
    machine = machine._replace(memory_only=True)
    stream = Stream(machine, seed)
    field = stream.array('field')
    stream.touch(field, 0, ARRAY, machine.nodes)
    stream.loop('sweep', machine.remote, stream.own(field), store=0.2, line_of_stores='update')
    return [stream], [Cause({'memory-only-node'}, {'field'}, 'sweep')]


def moved_threads(machine, seed):
    stream = Stream(machine, seed)
    field = stream.array('field')
    stream.initialise(field, stream.owner(ARRAY))
    own = stream.own(field)
    stream.loop('sweep', 0, own)
    stop = stream.remote + machine.remote
    while stream.remote < stop:
        thread = stream.rng.randrange(len(stream.threads))
        block, offset = own(thread)
        stream.access(thread, block, offset, 'sweep', miss=0.1, node=(stream.threads[thread][1] + 1) % machine.nodes)
    return [stream], [Cause({'moved-threads'}, {'field'}, 'sweep')]


def moved_to_users(machine, seed):
    """Automatic balancing moves the pages to their users after a third of the run: the remote accesses ended by themselves."""
    stream = Stream(machine, seed)
    field = stream.array('field')
    stream.initialise(field, lambda offset: 0)
    stream.loop('sweep', machine.remote, stream.own(field), store=0.2, line_of_stores='update')
    owner = stream.owner(ARRAY)
    for low in range(0, ARRAY, PAGE):
        stream.move(field, low, low + PAGE, stream.threads[owner(low)][1])
    length = sum(map(len, stream.samples.values()))
    own = stream.own(field)
    for _ in range(2 * length):
        thread = stream.rng.randrange(len(stream.threads))
        stream.access(thread, *own(thread), 'sweep', miss=0.1)
    return [stream], [Cause({'moved-to-users', 'first-touch'}, {'field'}, 'sweep')]


def take_turns(stream, block, node_of, pick, phases=6):
    """In each phase, another node uses the block; in the middle of it, balancing moves the pages there, one by one."""
    machine = stream.machine
    pages = list(range(0, block[1], PAGE))
    for phase in range(phases):
        node = node_of(phase)
        stop = stream.remote + -(-machine.remote // phases)
        while stream.remote < stop:
            thread, offset = pick(phase)
            stream.access(thread, block, offset, 'sweep', stream.rng.random() < 0.2, 0.1, node=node)
        stream.rng.shuffle(pages)
        for low in pages:
            stream.move(block, low, low + PAGE, node)
            thread, offset = pick(phase)
            stream.access(thread, block, offset, 'sweep', stream.rng.random() < 0.2, 0.1, node=node)
        for _ in range(4 * machine.remote // phases):
            thread, offset = pick(phase)
            stream.access(thread, block, offset, 'sweep', stream.rng.random() < 0.2, 0.1, node=node)


def ping_pong(machine, seed):
    """A producer and a consumer on different nodes use the array in turn, and its pages follow."""
    stream = Stream(machine, seed)
    field = stream.array('field')
    stream.initialise(field, lambda offset: 0)
    last = machine.nodes - 1

    def pick(phase):
        return stream.rng.randrange(machine.per_node) + (0 if phase % 2 else last * machine.per_node), stream.rng.randrange(ARRAY // 8) * 8
    take_turns(stream, field, lambda phase: 0 if phase % 2 else last, pick)
    return [stream], [Cause({'ping-pong'}, {'field'}, 'sweep', machine.remote >= 400)]


def ping_pong_of_thread(machine, seed):
    """The scheduler moves a thread to and fro, and its pages follow."""
    stream = Stream(machine, seed)
    field = stream.array('field')
    stream.initialise(field, lambda offset: 0)
    take_turns(stream, field, lambda phase: (phase + 1) % machine.nodes, lambda phase: (0, stream.rng.randrange(ARRAY // 8) * 8), 8)
    # One thread alone uses memory of several nodes, too, as long as it is not known that these are the same pages.
    few = machine.remote < 50 * machine.nodes
    return [stream], [Cause({'ping-pong', 'serial-phase'} if few else {'ping-pong'}, {'field'}, 'sweep', not few)]


def slow_sweeps(machine, seed):
    """Interleaved pages that stay, which each thread reads one after the other, twice in the whole run: the homes of a part change with time."""
    stream = Stream(machine, seed)
    field = stream.array('field')
    for number in range(ARRAY // PAGE):
        stream.touch(field, number * PAGE, (number + 1) * PAGE, number % machine.nodes)
    count = len(stream.threads)
    share = ARRAY // count
    steps = 4 * machine.remote * machine.nodes
    for step in range(steps):
        thread = stream.rng.randrange(count)
        place = 2 * step * share // steps % share
        stream.access(thread, field, thread * share + place // 8 * 8, 'sweep', miss=0.1)
    return [stream], [Cause({'partition-mismatch'}, {'field'}, 'sweep', False)]


def false_sharing(machine, seed):
    stream = Stream(machine, seed)
    counters = ('counters', 1024)
    count = len(stream.threads)
    for number in range(20 * max(machine.remote, 40)):
        thread = number % count
        offset = thread * 16 % 1024
        if stream.rng.random() < 0.5:
            stream.access(thread, counters, offset, 'count', store=True)
        else:
            stream.access(thread, counters, offset, 'count', peer=stream.rng.random() < 0.3, miss=0)
    # Loads alone don't show who stores.
    return [stream], [Cause({'false-sharing'}, {'counters'}, 'count')] if machine.hardware == 'ibs' else []


def true_sharing(machine, seed):
    stream = Stream(machine, seed)
    counters = ('counters', 1024)
    for number in range(20 * max(machine.remote, 40)):
        thread = number % len(stream.threads)
        if stream.rng.random() < 0.5:
            stream.access(thread, counters, 8, 'add_all', store=True)
        else:
            stream.access(thread, counters, 8, 'add_all', peer=stream.rng.random() < 0.3, miss=0)
    return [stream], [Cause({'true-sharing'}, {'counters'}, 'add_all')] if machine.hardware == 'ibs' else []


def rows(machine, seed):
    """Rows that one thread allocates and initialises one by one, and all use in parallel."""
    stream = Stream(machine, seed)
    blocks = [stream.allocate('rows[]', ('make_rows',), ROW_BYTES, 16) for _ in range(ROWS)]
    for block in blocks:
        stream.touch(block, 0, block[1], 0)
    for _ in range(30):
        stream.access(0, stream.rng.choice(blocks), 8 * stream.rng.randrange(27), 'init', store=True)
    share = ROWS // len(stream.threads)
    stream.loop('multiply', machine.remote, lambda thread: (blocks[thread * share + stream.rng.randrange(share)], 8 * stream.rng.randrange(27)))
    return [stream], [Cause({'first-touch'}, {'rows[]'}, 'multiply')]


def rows_dealt(machine, seed):
    """Rows that the threads allocate and initialise in turn, each from memory of its own, and use in blocks of rows: each row has one user, on another node."""
    stream = Stream(machine, seed)
    count = len(stream.threads)
    blocks = [None] * ROWS
    for thread in range(count):
        for row in range(thread, ROWS, count):
            blocks[row] = stream.allocate('rows[]', ('make_rows',), ROW_BYTES, 16)
            stream.touch(blocks[row], 0, ROW_BYTES, stream.threads[thread][1])
    for _ in range(30):
        row = stream.rng.randrange(ROWS)
        stream.access(row % count, blocks[row], 8 * stream.rng.randrange(27), 'init', store=True)
    share = ROWS // count
    stream.loop('multiply', machine.remote, lambda thread: (blocks[thread * share + stream.rng.randrange(share)], 8 * stream.rng.randrange(27)))
    return [stream], [Cause({'partition-mismatch'}, {'rows[]'}, 'multiply', False)]


def crowded(machine, seed):
    """All memory is on one node, whose controller all wait for: local loads take as long as remote ones."""
    stream = Stream(machine, seed)
    stream.latency = {'dram': 850, 'rdram': 870}
    field = stream.array('field')
    stream.initialise(field, lambda offset: 0)
    stream.loop('sweep', machine.remote, stream.own(field), store=0.2, line_of_stores='update')
    return [stream], [Cause({'first-touch'}, {'field'}, 'sweep'), Cause({'crowded-memory'}, {'field'}, 'sweep', machine.remote >= 400)]


def members(machine, seed):
    """The arrays of one class, all of them first written by one thread; no array has many samples."""
    stream = Stream(machine, seed)
    blocks = [stream.allocate(name, (name,), ARRAY) for name in MEMBERS]
    for block in blocks:
        stream.initialise(block, lambda offset: 0, count=2)
    own = [stream.own(block) for block in blocks]
    stream.loop('step', machine.remote, lambda thread: own[stream.rng.randrange(len(own))](thread))
    return [stream], [Cause({'first-touch'}, {'domain->' + name for name in MEMBERS}, 'step')]


def fields(machine, seed):
    """Arrays of one program that have nothing in common but that one thread initialised them before the caliper; each has a loop of its own."""
    stream = Stream(machine, seed)
    names = ('field', 'table', 'other', 'buffer', 'order')
    for name, line in zip(names, ('sweep', 'gather', 'walk_columns', 'pack', 'step')):
        block = stream.array(name)
        stream.initialise(block, lambda offset: 0, count=0)
        stream.loop(line, machine.remote // len(names), stream.own(block), store=0.2, line_of_stores='update')
    return [stream], [Cause({'first-touch'}, set(names), None)]


def ranks(machine, seed):
    """Many processes with too few samples in each."""
    streams = []
    for rank in range(32):
        one, _ = first_touch(machine._replace(remote=max(machine.remote // 32, 2)), seed * 100 + rank)
        one[0].pid = 1000 + 100 * rank
        one[0].samples = collections.defaultdict(list, {tid - 100 + one[0].pid: found for tid, found in one[0].samples.items()})
        one[0].threads = [(tid - 100 + one[0].pid, node) for tid, node in one[0].threads]
        streams += one
    return streams, [Cause({'first-touch'}, {'field'}, 'sweep')]


def one_loop(machine, seed):
    """One thread copies four arrays that the others own: one cause."""
    stream = Stream(machine, seed)
    arrays = [stream.array(name) for name in ('field', 'table', 'other', 'buffer')]
    for array in arrays:
        stream.initialise(array, stream.owner(ARRAY), count=8)
        stream.loop('sweep', 0, stream.own(array), store=0.2, line_of_stores='update')
    stream.loop('pack', machine.remote, lambda thread: (stream.rng.choices(arrays, (4, 2, 1, 1))[0], stream.rng.randrange(ARRAY // 8) * 8), threads=[0])
    return [stream], [Cause({'serial-phase'}, {'field', 'table', 'other', 'buffer'}, 'pack')]


def spinning(machine, seed):
    """The same with threads that wait for the one: many accesses without a miss."""
    streams, causes = serial(machine, seed)
    stream = streams[0]
    flag = ('counters', 1024)
    for _ in range(3 * sum(map(len, stream.samples.values()))):
        stream.access(stream.rng.randrange(1, len(stream.threads)), flag, 512, 'count', miss=0)
    return streams, causes


def gather(machine, seed):
    """A load whose address comes from another load: data of one thread's pages, read in any order."""
    stream = Stream(machine, seed)
    field, order = stream.array('field'), ('order', ARRAY)
    stream.initialise(field, lambda offset: 0)
    stream.initialise(order, stream.owner(ARRAY))
    pick, own = stream.anywhere(field), stream.own(order)
    stop = stream.remote + machine.remote
    while stream.remote < stop:
        thread = stream.rng.randrange(len(stream.threads))
        stream.access(thread, *own(thread), 'gather index', miss=0.1)
        stream.access(thread, *pick(thread), 'gather', miss=0.5)
    # Loads that miss say nothing on how much of each line is read.
    ibs = machine.hardware == 'ibs'
    return [stream], [Cause({'read-shared'} if ibs else {'read-shared', 'first-touch-of-all'}, {'field'}, 'gather'), Cause({'indirect'}, {'field'}, 'gather', ibs)]


def columns(machine, seed):
    """Each thread walks along the columns of its own rows."""
    stream = Stream(machine, seed)
    matrix = stream.array('other')
    stream.initialise(matrix, stream.owner(ARRAY))
    stream.loop('walk_columns', 0, stream.own(matrix), miss=0.9)
    return [stream], [Cause({'strided'}, {'other'}, 'walk_columns')] if machine.hardware == 'ibs' else []


MODELS = (first_touch, first_touch_not_sampled, read_shared, partition, producer, serial, serial_parts, schedule, dynamic, cached_elsewhere, seams, seams_of_one, parallel_rows, local, interleaved, interleaved_parts, memory_only,
          moved_threads, moved_to_users, ping_pong, ping_pong_of_thread, slow_sweeps, false_sharing, true_sharing, rows, rows_dealt, crowded, members, fields, ranks, one_loop, spinning, gather, columns)
