# SPDX-License-Identifier: BSD-3-Clause
"""Made-up reports in the format of `memphis report --format json`: a small one of a halo exchange with numbers that the tests
assert, and one of any size."""

NODES, THREADS, PERIOD, LINE = 4, 8, 8192, 64
FILE, PROGRAM, LIBRARY = "/home/ada/ice/halo.F90", "/home/ada/ice/ice_model", "/usr/lib/libgomp.so.1"
SOURCE = [
    "module halo", "  use grid, only: tx, ty, blocks", "  implicit none", "contains", "",
    "  subroutine exchange()", "    integer :: b, i, j", "    do b = 1, blocks", "      call copy(b)", "    end do", "  end subroutine", "",
    "  subroutine copy(b)", "    integer, intent(in) :: b", "    do j = 1, ny", "      do i = 1, nx",
    "        buffer(i, j) = tx(i, j, b) + ty(i, j, b)", "      end do", "    end do", "    if (any(buffer > 1 .and. buffer < 2)) call warn(b)",
    "  end subroutine", "", "  subroutine sums()", "    !$omp parallel do reduction(+: total)", "    do b = 1, blocks",
    "      total = total + sum(tracer(:, :, b))", "      stats%hits = stats%hits + 1", "    end do", "  end subroutine", "end module halo"]
# Segment, name, site, holder, how, low, bytes; then for each line: pc, function, cycles per sample, and samples by (node, home).
MASTER = {(0, 0): 210, (1, 0): 200, (2, 0): 190, (3, 0): 180}
VARIABLES = [
    ("heap", "tx", "grid.F90:31", "grid::tx", "holder", 0x7f4166d00000, 16 << 20,
     [(17, 0x7858, "copy", 420, MASTER), (20, 0x78a0, "copy", 310, {(0, 0): 40})]),
    ("heap", "ty", "grid.F90:32", "grid::ty", "holder", 0x7f4175b00000, 16 << 20,
     [(17, 0x785c, "copy", 400, {key: number // 2 for key, number in MASTER.items()})]),
    ("bss", "grid::tracer", None, None, "debug-info", 0x556108aa0000, 8 << 20,
     [(26, 0x5e15, "sums._omp_fn.0", 260, {(0, 0): 90, (0, 1): 5, (1, 1): 85, (1, 2): 5, (2, 2): 80, (2, 3): 5, (3, 3): 75, (3, 0): 5})]),
    ("data", "stats", None, None, "debug-info", 0x556108a00040, 256,
     [(27, 0x5e40, "sums._omp_fn.0", 650, {(0, 2): 20, (1, 2): 22, (2, 2): 18, (3, 2): 24})]),
    ("stack", "<not-found>", None, None, "none", 0x7ffd00001000, 4096,
     [(20, 0x78b0, "copy", 200, {(0, 0): 6, (None, None): 2})]),
]
TOTAL = 1652
LONG_NAME = "a_file_with_a_very_long_name_that_has_no_place_to_break_it_anywhere.F90"


def rows_of(entry):
    """(line, pc, function, cycles, node, home, samples) of a variable."""
    for line, pc, function, cycles, cells in entry[7]:
        for (node, home), samples in cells.items():
            yield line, pc, function, cycles, node, home, samples


def sums(rows, segment_is_stats=False):
    rows = list(rows)
    samples = sum(row[6] for row in rows)
    homes = {}
    for row in rows:
        homes[row[5]] = homes.get(row[5], 0) + row[6]
    return {"count": samples, "accesses": samples * PERIOD, "bytes": samples * PERIOD * LINE,
            "stores": samples // 2 if segment_is_stats else 0, "hitm": samples // 3 if segment_is_stats else 0,
            "latency_cycles": sum(row[3] * row[6] for row in rows), "latency_max_cycles": max(2 * row[3] for row in rows),
            "share": samples / TOTAL, "share_low": 0, "share_high": 1,
            "homes": [{"home": home, "count": number} for home, number in homes.items()]}


def instruction(entry, row, rows):
    line, pc, function = row[:3]
    inlined = [{"function": "exchange", "path": FILE, "line": 9}] if function == "copy" else []
    return {"file": "halo.F90", "line": line, "pc": hex(pc), "low": hex(entry[5]), "high": hex(entry[5] + entry[6] - 8),
            **sums(rows, entry[1] == "stats"), "path": FILE, "function": function, "object": LIBRARY if entry[4] == "none" else PROGRAM, "inlined": inlined, "via": None, "library": [], "approximate": False}


def variable(entry, node):
    rows = [row for row in rows_of(entry) if row[4] == node]
    if not rows:
        return None
    by_pc = {}
    for row in rows:
        by_pc.setdefault(row[1], []).append(row)
    instructions = sorted((instruction(entry, group[0], group) for group in by_pc.values()), key=lambda found: -found["count"])
    missing = entry[4] == "none"
    return {"segment": entry[0], "name": entry[1], "low": hex(entry[5]), "high": hex(entry[5] + entry[6] - 8),
            **sums(rows, entry[1] == "stats"), "site": entry[2], "holder": entry[3], "how": entry[4],
            "reason": "stack-frame" if missing else None,
            "reasons": {"stack-frame": sum(row[6] for row in rows)} if missing else {},
            "instruction_rows": len(instructions), "instructions": instructions}


def node_tables(entries=None):
    tables = []
    for node in [*range(NODES), None]:
        rows = [row for row in (variable(entry, node) for entry in entries or VARIABLES) if row]
        rows.sort(key=lambda row: -row["count"])
        if rows:
            tables.append({"node": node, "total": sum(row["count"] for row in rows), "variable_rows": len(rows), "variables": rows})
    return tables


def groups():
    """The copy's lines were sampled inside a caliper, the others outside."""
    inside = [(*entry[:7], [part for part in entry[7] if part[2] == "copy"]) for entry in VARIABLES]
    outside = [(*entry[:7], [part for part in entry[7] if part[2] != "copy"]) for entry in VARIABLES]
    made = []
    for kind, path, entries in (("caliper", ["TimeLoop", "Bound"], inside), ("outside", [], outside)):
        nodes = node_tables([entry for entry in entries if entry[7]])
        selected = sum(table["total"] for table in nodes)
        made.append({"kind": kind, "path": path, "selected": selected, "selected_inclusive": selected, "written": selected,
                     "written_inclusive": selected, "nodes": nodes})
    return made


def matrix():
    cells = {}
    for entry in VARIABLES:
        for row in rows_of(entry):
            cell = cells.setdefault((row[4], row[5]), [0, 0])
            cell[0] += row[6]
            cell[1] += row[3] * row[6]
    return [{"node": node, "home": home, "count": number, "accesses": number * PERIOD, "bytes": number * PERIOD * LINE,
             "latency_cycles": cycles, "share": number / TOTAL, "share_low": max(0, number / TOTAL - 0.02),
             "share_high": number / TOTAL + 0.02} for (node, home), (number, cycles) in cells.items()]


def spread(samples, seed):
    """Integers that look irregular but are the same on every machine."""
    value = seed
    for _ in range(samples):
        value = (value * 1103515245 + 12345) & 0x7fffffff
        yield value >> 8


def heatmap(entry, finding):
    """Each thread works on its own eighth, in rounds; the master copies all of it."""
    spots, threads, moments = {}, {}, {}
    lines = [part[0] for part in entry[7]]
    for index, row in enumerate(rows_of(entry)):
        line, _, _, _, node, home, samples = row
        for at, value in enumerate(spread(samples, index + 1)):
            thread = 2 * node + at % 2
            place = value % 128 if node == 0 and entry[1] == "tx" else 16 * thread + value % 16
            time = (value // 128) % 8 + 8 * ((at * 8) // samples)
            spots[place, time, node, home] = spots.get((place, time, node, home), 0) + 1
            if node != home:
                moments[lines.index(line), time, node] = moments.get((lines.index(line), time, node), 0) + 1
            threads[180 + thread, node, place] = threads.get((180 + thread, node, place), 0) + 1
    return {"process": 0, "pid": 180, "segment": entry[0], "name": entry[1], "site": entry[2], "low": hex(entry[5]),
            "high": hex(entry[5] + entry[6] - 8), "bin_low": hex(entry[5]), "bin_bytes": entry[6] // 128, "from_ns": 2_000_000_123, "to_ns": 33_999_999_999,
            "tick_from_ns": 2_000_000_000, "tick_ns": 500_000_000, "samples": sum(spots.values()),
            "selected": sum(number for key, number in spots.items() if key[2] != key[3]), "one_in": 1,
            # As in a selection that leaves out a node's own memory.
            "spots": [[*key, number, number if key[2] != key[3] else 0] for key, number in spots.items()],
            "threads": [[*key, number, 0, number if key[1] else 0, 2_000_000_123] for key, number in threads.items()],
            "over_time": {"lines": [{"path": FILE, "line": line, "function": None} for line in lines], "samples": [[*key, number] for key, number in moments.items()]},
            "element_bytes": 8, "fields": [], "lines": [], "finding": finding}


def shared_heatmap():
    entry = VARIABLES[3]
    made = heatmap(entry, "four nodes write fields of one line of 64 bytes")
    made["bin_bytes"], made["element_bytes"] = 64, 64
    made["spots"] = [[0, at, node, 2, samples, samples if node != 2 else 0] for at, (node, samples) in enumerate(((0, 20), (1, 22), (2, 18), (3, 24)))]
    made["threads"] = [[180 + 2 * node, node, 0, samples, samples // 2, samples if node != 2 else 0, 2_000_000_123] for node, samples in ((0, 20), (1, 22), (2, 18), (3, 24))]
    made["over_time"]["samples"] = [[0, at, node, samples] for _, at, node, _, _, samples in made["spots"] if samples]
    made["samples"], made["selected"] = 84, 66
    made["parts"] = [{"indices": "[0..1]", "node": 1, "samples": 61, "first": 0, "last": 1, "elements": 4},
                     {"indices": "[3]", "node": 2, "samples": 1234, "first": 3, "last": 3, "elements": 4}]
    made["lines"] = [{"address": "0x556108a00040", "tid": 180, "loads": 10, "stores": 10, "hitm": 6},
                     {"address": "0x556108a00048", "tid": 184, "loads": 9, "stores": 9, "hitm": 6}]
    made["fields"] = [{"offset": 0, "name": "hits", "node": 0, "count": 20, "stores": 10, "hitm": 6},
                      {"offset": 0, "name": "hits", "node": 1, "count": 22, "stores": 11, "hitm": 7},
                      {"offset": 8, "name": "misses", "node": 2, "count": 18, "stores": 9, "hitm": 6},
                      {"offset": 8, "name": "misses", "node": 3, "count": 24, "stores": 12, "hitm": 8}]
    return made


def thread_rows():
    cells = {}
    for entry in VARIABLES:
        for row in rows_of(entry):
            if row[4] is None:
                continue
            for half in range(2):
                cell = cells.setdefault((2 * row[4] + half, row[4], row[5]), [0, 0])
                samples = (row[6] + half) // 2
                cell[0] += samples
                cell[1] += samples * row[3]
    return [{"process": 0, "pid": 180, "tid": 180 + thread, "name": "ice_model" if thread == 0 else f"OpenMP thread {thread}",
             "node": node, "home": home, "count": samples, "latency_cycles": cycles}
            for (thread, node, home), (samples, cycles) in cells.items()]


def timeline():
    # Six rounds, each of computing and then copying.
    return [over_time(0, [(cell["node"], cell["home"], [cell["count"] // (50 if index % 13 < 8 or cell["node"] == cell["home"] else 400) for index in range(80)])
                          for cell in matrix() if cell["node"] is not None])]


def steps(ticks):
    """Threads and waiting are counted in steps of eight ticks."""
    return [sum(ticks[at:at + 8]) for at in range(0, len(ticks), 8)]


def over_time(process, series, tid=180, width_ns=400_000_000):
    """The samples over time of a process with one thread, from lists of (node, home, ticks), and its waiting, as in waits()."""
    return {"process": process, "width_ns": width_ns, "series": [{"node": node, "home": home, "ticks": ticks} for node, home, ticks in series],
            "step_ns": 8 * width_ns, "threads": [{"tid": tid, "node": node, "home": home, "steps": steps(ticks)} for node, home, ticks in series],
            "waiting": [{"node": node, "source": source, "samples": steps(ticks), "latency_cycles": [latency * count for count in steps(ticks)]}
                        for node, home, ticks in series for source, latency in [("local-dram", 200) if node == home else ("remote-dram", 330)]]}


def counters():
    """The kernel's counts of pages from other nodes, for two nodes; a gauge; and a value that the program wrote."""
    def metric(name, source, unit, kind, scope, node, **sums):
        return {"source": source, "name": name, "unit": unit, "kind": kind, "scope": scope, "node": node, "processes": 1, "readings": 320, "gaps": 0,
                "gap_seconds": 0, "backwards": 0, "took_most_seconds": 0.001, "seconds": 32, **sums}

    def counted(number, total, seconds, shared):
        return {"metric": number, "seconds": seconds, "total": total, "per_second": total / seconds, "shared": shared}
    calm, busy = 1_000_000, 9_000_000
    return {
        "metrics": [metric("written", "io", "bytes", "counter", "process", None, total=0, per_second=0, shared=0),
                    metric("load", "vmstat", None, "gauge", "host", None, mean=3, low=2, high=4),
                    metric("other_node", "numastat", "pages", "counter", "host", 0, total=160_000_000, per_second=5e6, shared=8_000_000),
                    metric("other_node", "numastat", "pages", "counter", "host", 1, total=640, per_second=20, shared=0)],
        "regions": [{"region": "TimeLoop", "place": "caliper", "seconds": 24, "metrics": [
                        {"metric": 1, "seconds": 24, "mean": 3.5, "low": 3, "high": 4}, counted(2, 150_000_000, 24, 4_000_000), counted(3, 640, 24, 0)]},
                    {"region": None, "place": "outside", "seconds": 8, "metrics": [
                        {"metric": 1, "seconds": 8, "mean": 1.5, "low": 2, "high": 2}, counted(2, 10_000_000, 8, 4_000_000), counted(3, 0, 8, 0)]}],
        "series": {"width_ns": 200_000_000, "list": [
            {"metric": 0, "first": 0, "values": []}, {"metric": 1, "first": 0, "values": [2, 4] * 80},
            {"metric": 2, "first": 10, "values": [busy if at % 20 < 12 else calm for at in range(70)] + [None] * 10 + [calm] * 70},
            {"metric": 3, "first": 0, "values": [4] * 160}]},
        "problems": [{"kind": "refused", "source": "uncore", "text": "cas_count_read: Permission denied"}]}


def bandwidth():
    """Node 0 is near its limit for the first 16 s; a gap, then little traffic. Node 1 has no measured limit."""
    report = small()
    counters = report["counters"]
    first = len(counters["metrics"])
    for name, node in (("imc cas_count_read", 0), ("imc cas_count_write", 0), ("imc cas_count_read", 1), ("imc cas_count_read (nodes 4-5,7)", None)):
        counters["metrics"].append({**counters["metrics"][2], "source": "uncore", "name": name, "unit": "bytes", "node": node, "total": 100e9, "per_second": 5e9, "shared": 0})
    counters["series"]["list"] += [
        {"metric": first, "first": 0, "values": [1_600_000_000] * 80 + [None] * 10 + [200_000_000] * 70},
        {"metric": first + 1, "first": 0, "values": [400_000_000] * 80 + [None] * 10 + [0] * 70},
        {"metric": first + 2, "first": 0, "values": [100_000_000] * 160}, {"metric": first + 3, "first": 0, "values": [400_000_000] * 160}]
    row = {"of": "memory", "node": 0, "from": None, "by": "counters", "region": "TimeLoop", "place": "caliper", "host": "n03", "hosts": 1, "seconds": 16, "read_per_second": 8e9,
           "written_per_second": 2e9, "limit_per_second": 11e9, "measured_on": "n03", "share": 10 / 11, "share_low": 10 / 11, "share_high": 10 / 11, "shared": 0,
           "sentence": "TimeLoop: the memory of node 0 is used to 91 % of what this machine can do", "advice": "spread the data"}
    link = {**row, "of": "link", "from": 1, "by": "samples", "region": None, "place": "selected", "written_per_second": None, "limit_per_second": 80e9, "share": 0.1, "share_low": 0.08,
            "share_high": 0.125}
    del link["sentence"], link["advice"]
    of_caliper = {**link, "from": 2, "region": "Halo"}
    report["limits"] = {"measured": "run/n03.node", "measured_on": "n03", "hosts_measured": 2, "hosts_not_measured": 1, "rows": [row, link, of_caliper], "nodes": [{"node": 0, "by_tenths_of_writes": [12e9, 11.5e9, 11e9] + [10e9] * 8}] + [
        {"node": node, "by_tenths_of_writes": [2e9] * 11} for node in (4, 5, 6)]}
    return report


def region_times():
    """Three calipers, of which one is inside another one; cycles are counted in one of them."""
    def row(path, calls, threads, time, own, cpu, least, cycles):
        ends = {key: {"ns": value, "process": 4711, "tid": 4712, "rank": None} for key, value in (("least", least), ("median", least), ("most", 2 * least))}
        return {"path": path, "calls": calls, "threads": threads, "ns": time, "ns_exclusive": own, "cpu_ns": cpu, "cycles": cycles, "cycles_exclusive": cycles,
                "instructions": cycles // 2, "instructions_exclusive": cycles // 2, **ends}
    loads = {key: {"count": value, "process": 4711, "tid": tid, "rank": None} for key, value, tid in (("least", 1000, 4712), ("median", 2000, 4713), ("most", 3_000_000, 4714))}
    events = [{"name": "cpu/event=0x29/", "count": 3_003_000, "count_exclusive": 2_003_000, "threads": 3, **loads}]
    return [row(["TimeLoop"], 1, 1, 24_000_000_000, 4_000_000_000, 23_000_000_000, 24_000_000_000, 0),
            row(["TimeLoop", "Bound <halo>"], 600, 1, 20_000_000_000, 20_000_000_000, None, 20_000_000_000, 50_000_000_000) | {"events": events},
            row(["Part"], 9600, 16, 1_200_000, 1_200_000, None, 50_000, 0)]


def mpi():
    """Three ranks, of which the last one makes the others wait; nothing is known of the waits of the first one."""
    def sums(calls, sent, received, time, waits, known, waited):
        return {"calls": calls, "sent": 0, "received": 0, "sent_bytes": sent, "received_bytes": received, "mpi_ns": time, "waits": waits, "known": known, "waited_ns": waited}
    ranks = [{"process": 0, "rank": rank, "ns": 2_000_000_000, **own, "compared": True, "remote_cycles": 0, "mpi_remote_cycles": 0} for rank, own in enumerate(
        [sums(10, 80, 80, 500_000_000, 10, 0, 0), sums(10, 80, 4080, 1_000_000_000, 10, 10, 900_000_000), sums(10, 4080, 80, 10_000_000, 0, 0, 0)])]
    return {"ranks": ranks, "calls": [{"function": "MPI_Allreduce", "region": "TimeLoop/Bound <halo>", "sampled": True, "ranks": 3, **sums(30, 240, 240, 1_500_000_000, 20, 10, 900_000_000)},
                                      {"function": "MPI_Init", "region": None, "sampled": False, "ranks": 3, **sums(3, 0, 0, 3_000_000_000, 0, 0, 0)}],
            "findings": [{"pattern": "late-rank", "function": "MPI_Allreduce", "region": "TimeLoop/Bound <halo>", "late": 2, "ranks": [1], "share": 0.45, "waited_ns": 900_000_000,
                          "what": "rank 1 waits 45.0 % of its time in region TimeLoop/Bound <halo> in MPI_Allreduce for rank 2, which comes last"}],
            "rank_count": 3, "unknown": 10, "clock_error_ns": 0, "left_out": 0}


def findings():
    return [
        {"pattern": "first-touch", "variable": "tx", "segment": "heap", "variables": [{"segment": "heap", "variable": "tx", "site": None, "samples": 570, "share": 1}],
         "sentence": "570 of 820 accesses to tx come from other nodes than node 0, which holds all of its pages.",
         "advice": "Initialize tx in a parallel loop with the schedule of the loop that uses it (grid.F90:31), so that each page is first touched on the node that works on it.",
         "samples": 570, "share": 0.695, "share_low": 0.663, "share_high": 0.726,
         "evidence": {"home": 0, "nodes": [0, 1, 2, 3], "apart": False, "thread": None, "thread_share": 0, "touched_by": None, "store_share": 0.355, "home_share": 1, "lines": 0,
                      "path": FILE, "line": 17, "function": "copy", "initialised": {"known": "one-place", "path": f"/home/ada/ice/{LONG_NAME}", "line": 31, "function": "read_grid", "object": PROGRAM},
                      "regions": [{"name": "Bound <halo>", "share": 0.98}]}},
        {"pattern": "false-sharing", "variable": "stats", "segment": "data", "variables": [{"segment": "data", "variable": "stats", "site": None, "samples": 27, "share": 1}],
         "sentence": "Threads of 4 nodes write different fields of one 64-byte line of stats.",
         "advice": "Give each thread a copy of its own, padded to 64 bytes.", "evidence": {"hitm": 27, "stores": 42}}]


def books():
    return {"interrupts": 9000, "kept": 4100, "lost": 40, "throttled": 3,
            "filtered": {"invalid": 0, "kernel-pc": 1200, "not-memory": 3640, "no-address": 0, "kernel-address": 20, "loads": 0, "stores": 0,
                         "not-dram": 0, "local": 0, "latency": 0, "stopped": 0}}


def accounting():
    return {**books(), "enabled_ns": 256_000_000_000, "starved_ns": 0, "cpu_ns": 0, "unseen_ns": 0, "written": 4100, "own": 41,
            "homes": {"told": 1600, "remote_at_home": 20, "local_away": 4}, "selected": TOTAL,
            "attributed": TOTAL - 8, "unattributed": {"stack-frame": 8}, "balanced": True,
            "threads": [{"process": 0, "pid": 180, "tid": 180, **books(), "written": 4100, "own": 41,
                         "homes": {"told": 1600, "remote_at_home": 20, "local_away": 4}, "selected": TOTAL, "closed": True, "balanced": True,
                         "path": "run/sky.180.180.thread.memphis", "facts": {"name": "ice_model", "main": "1"}}]}


def explained():
    return [{"reason": "stack-frame", "count": 8, "help": "a local variable on a thread's stack", "advice": "look at these lines for locals",
             "examples": [{"address": "0x7fffe4a1c8d0", "segment": "stack", "path": "/home/ada/ice/step.F90", "line": 41, "function": "step", "object": PROGRAM,
                           "pc": "0x4011c0", "pid": 180, "tid": 181, "since_ns": 2_000_000_500},
                          {"address": "0x7fffe4a1c8e0", "segment": "stack", "path": None, "line": 0, "function": None, "object": PROGRAM, "pc": "0x4011d0",
                           "pid": 180, "tid": 180, "since_ns": 0}]}]


def processes():
    settings = {
        "command": "./ice_model --blocks 64 --steps 600 namelist.ice", "executable": PROGRAM, "host": "sky", "kernel_release": "6.12.107-amd64",
        "cpu_model": "AMD EPYC 7763 64-Core Processor", "hardware": "ibs", "pmu": "ibs_op", "mode": "caliper", "period": str(PERIOD), "count": "ops",
        "threads": str(THREADS), "start_realtime_ns": "1795311694074698433", "active_ns": "32000000000", "library_version": "0.1.0"}
    topology = [{"node": node, "memory_bytes": 64 << 30, "cpus": f"{16 * node}-{16 * node + 15}",
                 "distances": ",".join("10" if other == node else "32" for other in range(NODES))} for node in range(NODES)]
    return [{"process": 0, "pid": 180, "run": "e9ec89bab034edbb14b492a5e708beaa", "closed": True, "path": "run/sky.180.process.memphis", "settings": settings,
             "losses": {"ring_full": "40"}, "topology": topology, "regions": []}]


def binaries():
    return [{"path": PROGRAM, "build_id": "9eb59c4d318a030ee78ec127f29d06ab1f4bde82", "state": "ok", "found": PROGRAM, "debug": None, "unverified": False},
            {"path": LIBRARY, "build_id": "3856f0954e1931eebc020ca4a4e6bef40f4f7765", "state": "missing", "found": None, "debug": None, "unverified": False},
            {"path": "/dev/memphis", "build_id": None, "state": "missing", "found": None, "debug": None, "unverified": False}]


def answer():
    """What the first screen says of the small report."""
    def share(value, low, high):
        return {"share": value, "share_low": low, "share_high": high}
    return {"command": "./ice_model --blocks 64 --steps 600 namelist.ice", "run": "1 process, 8 threads, 1 host (sky), 24 s in TimeLoop",
            "sampling": "AMD IBS, backend device, period 8192 ops, inside calipers", "selected": "only in region Bound",
            "sentence": "57.0 % of the loads from DRAM go to another node (95 % CI 54.6 to 59.4). Waiting for remote DRAM is 31.0 % of the threads' time in calipers; if all data were local, "
            "at most 12.0 % would be saved (95 % CI 10.0 to 14.0).", "verdict": "placing memory better is worth it: 0.348 cycles of remote latency per op (95 % CI 0.282 to 0.427), above the limit of 0.1",
            "remote": share(0.57, 0.546, 0.594), "whole": "the threads' time in calipers", "saving": "could save at most, of the time", "waiting": share(0.31, 0.28, 0.34), "gain": share(0.12, 0.1, 0.14),
            "limits": ["/usr/lib/libgomp.so.1 is not here: its instructions have no lines; give its place with --binaries DIR"],
            "causes": [{"place": "at halo.F90:17 (copy)", "problem": "first-touch: on node 0, used by nodes 0 to 3, all the same parts", "remedy": "interleave the pages", "saving": "9.5 %", "share": 0.095},
                       {"place": "at an unknown place", "problem": "false-sharing: threads use different words of the same cache lines", "remedy": "pad or align what each thread writes",
                        "saving": "not known", "share": None}],
            "none": None, "unexplained": "No pattern fits [bss]:grid::tracer: 350 of the 1652 samples, most at halo.F90:26"}


def without_findings():
    """A report of a run without a problem."""
    made = small()
    made["findings"] = []
    made["answer"] = {**answer(), "verdict": "placing memory better is not worth it: 0.01 cycles of remote latency per op (95 % CI 0.005 to 0.02), below the limit of 0.1", "causes": [], "limits": [],
                      "waiting": None, "gain": None, "whole": None, "saving": None, "none": "No findings: 12 remote loads were sampled, and a pattern needs 20 of a variable.", "unexplained": None}
    return made


def small():
    return {"answer": answer(), "nodes": node_tables(), "groups": groups(), "matrix": matrix(), "threads": thread_rows(), "timeline": timeline(), "region_times": region_times(), "mpi": mpi(), "counters": counters(),
            "heatmaps": [heatmap(VARIABLES[0], "pages of node 0 only"), heatmap(VARIABLES[2], None), shared_heatmap()],
            "findings": findings(), "accounting": accounting(), "explained": explained(),
            "selection": {"select": "dram", "node": None, "process": None, "rank": None, "host": None, "region": None}, "processes": processes(), "binaries": binaries(),
            "notes": ["ranks 0 of 2; the others have no files here",
                      "/usr/lib/libgomp.so.1 is not here: its instructions have no lines; give its place with --binaries DIR"]}


def sixteen():
    """The samples of sixteen nodes, in pairs: each node has those of another one of the small report, as if it had more nodes."""
    made = small()
    for table in list(made["nodes"][:NODES]):
        made["nodes"] += [{**table, "node": table["node"] + NODES * step} for step in range(1, 4)]
    made["accounting"]["selected"] = sum(table["total"] for table in made["nodes"])
    return made


def bare():
    """Content of a report without any of the newer keys."""
    made = small()
    for key in ("answer", "groups", "matrix", "threads", "timeline", "region_times", "mpi", "counters", "heatmaps", "findings", "explained"):
        del made[key]
    for row in [row for table in made["nodes"] for row in table["variables"]]:
        for part in [row, *row["instructions"]]:
            for key in ("accesses", "bytes", "stores", "hitm", "latency_cycles", "latency_max_cycles", "share", "share_low", "share_high", "homes"):
                del part[key]
    made["notes"] = []
    made["processes"][0]["losses"] = {}
    return made


def large(variables, instructions):
    """This many variables, each with that many instructions, on two nodes."""
    made = bare()
    made["nodes"] = []
    for node in range(2):
        rows = []
        for number in range(variables):
            count = (variables - number) * instructions
            rows.append({"segment": "heap", "name": f"array_{number}", "low": hex(4096 * (number + 1)), "high": hex(4096 * (number + 2) - 8),
                         "count": count, "site": f"many.c:{number}", "holder": None, "how": "holder", "reason": None, "reasons": {},
                         "instruction_rows": instructions, "instructions": [
                             {"file": "many.c", "line": number % 900 + at + 1, "pc": hex(64 * number + at), "low": "0x1000", "high": "0x2000",
                              "count": variables - number, "path": "/src/many.c", "function": f"work_{at}", "object": "/src/many", "inlined": [], "via": None, "library": [], "approximate": False}
                             for at in range(instructions)]})
        made["nodes"].append({"node": node, "total": sum(row["count"] for row in rows), "variable_rows": variables, "variables": rows})
    made["accounting"]["selected"] = made["accounting"]["attributed"] = sum(table["total"] for table in made["nodes"])
    return made


def ranks(processes, ticks):
    """All samples of this many processes, each with that many time steps and a heatmap of the same variable."""
    made = small()
    made["selection"]["select"] = "all"
    made["timeline"] = [over_time(number, [(0, 1, [1] * ticks)], 100 + number, 1000000) for number in range(processes)]
    made["heatmaps"] = [{**made["heatmaps"][0], "process": number, "pid": 100 + number, "rank": str(number), "host": f"n{number // 64}"} for number in range(processes)]
    made["heatmaps_left_out"] = {"heatmaps": 40, "processes": 20}
    cells = [[number // 64, number, number, 1, 500 if number == 17 else 100, 50, int(number == 17), number // 64] for number in range(processes)]
    made["job"] = {"processes": processes, "threads": 4 * processes, "detailed": len(made["processes"]), "ranked": True,
                   "hosts": [f"n{host}" for host in range((processes + 63) // 64)], "cells": cells}
    return made


def sharing():
    """Three threads of rank 2 and two of rank 3 that share memory."""
    def numbers(a_loads, b_loads, remote, modified, size):
        return {"a_loads": a_loads, "b_loads": b_loads, "remote": remote, "modified": modified, "bytes": size}
    threads = [{"process": rank, "pid": 100 + rank, "rank": str(rank), "host": "n0", "tid": tid, "openmp_thread": str(number)} for rank, tid, number in ((2, 102, 0), (2, 202, 1), (2, 302, 2), (3, 103, 0), (3, 203, 1))]
    tx = {"segment": "heap", "name": "tx", "site": "grid.F90:31", **numbers(60, 30, 40, 0, 8192)}
    pairs = [{"a": 0, "b": 1, **numbers(60, 30, 40, 5, 12288), "variable_count": 4, "variables": [tx, {**tx, "name": "other"}]},
             {"a": 3, "b": 4, **numbers(7, 0, 7, 0, 4096), "variable_count": 1, "variables": [tx]}, {"a": 0, "b": 2, **numbers(0, 0, 0, 2, 4096), "variable_count": 1, "variables": [tx]}]
    return {"loads": 200, "own": 93, "unowned": 10, "thread_count": 40, "pair_count": 50, "threads": threads, "pairs": pairs}


def job(count=8, per_host=4):
    """A job of this many ranks with details of each: ranks differ in samples, in the middle of the run they use another node's memory."""
    made = waiting()
    numbers, hosts = range(count), [f"n{host}" for host in range((count + per_host - 1) // per_host)]
    [process] = made["processes"]
    made["processes"] = [{**process, "process": rank, "pid": 100 + rank, "settings": {**process["settings"], "rank": str(rank), "host": hosts[rank // per_host]}} for rank in numbers]
    made["threads"] = [{"process": rank, "pid": 100 + rank, "tid": 100 + rank, "name": "ice_model", "node": node, "home": 0, "count": number, "latency_cycles": 300 * number}
                       for rank in numbers for node, number in ((0, 80), (1, 10 * (rank + 1)))]
    made["timeline"] = [over_time(rank, [(0, 0, [1] * 80), (1, 0, [0] * 40 + [rank + 1] * 10)], 100 + rank) for rank in numbers]
    made["waiting"]["threads"] = [{"process": rank, "pid": 100 + rank, "tid": 100 + rank, **waits(10 * (rank + 1), 80)} for rank in numbers]
    made["heatmaps"] = [{**heatmap(VARIABLES[at], None), "process": rank, "pid": 100 + rank, "rank": str(rank), "host": hosts[rank // per_host], "selected": 100 * rank + at}
                        for rank, at in ((1, 0), (2, 0), (2, 2))]
    made["findings"][0]["evidence"] |= {"pid": 102, "processes": 2, "ranks": [1, 2]}
    made["findings"][1]["evidence"] |= {"pid": 105, "processes": 1, "ranks": [5]}
    [first] = made["accounting"]["threads"]
    made["accounting"]["threads"] = [{**first, "process": rank, "pid": 100 + rank, "tid": 100 + rank} for rank in numbers]
    made["mpi"]["ranks"] = [{**made["mpi"]["ranks"][1], "process": rank, "rank": rank, "calls": 10 + rank, "waited_ns": 100_000_000 * rank} for rank in numbers]
    made["mpi"]["rank_count"] = count
    made["sharing"] = sharing()
    made["job"] = {"processes": count, "threads": count, "detailed": count, "ranked": True, "hosts": hosts,
                   "cells": [[rank // per_host, rank, rank, 1, 90 + 10 * rank, 10 * (rank + 1), 0, rank // per_host] for rank in numbers]}
    return made


def estimate(cycles):
    return {"cycles": cycles, "low": 0.9 * cycles, "high": 1.2 * cycles}


def waits(remote, local):
    """The waiting of a row with these numbers of samples: 330 cycles each from remote DRAM, 200 from local DRAM; each stands for PERIOD loads."""
    sources = [{"source": name, "samples": samples, "latency_cycles": samples * latency, "waited": estimate(samples * latency * PERIOD)}
               for name, samples, latency in (("local-dram", local, 200), ("remote-dram", remote, 330)) if samples]
    return {"waited": estimate(sum(source["waited"]["cycles"] for source in sources)),
            "gain": estimate(remote * 130 * PERIOD) if remote else None, "sources": sources}


def waiting():
    """A report with estimated waiting."""
    made = small()
    for table in made["nodes"]:
        for row in table["variables"]:
            away = sum(part["count"] for part in row["homes"] if part["home"] != table["node"])
            row["waiting"] = waits(away, row["count"] - away)
    made["waiting"] = {**waits(900, 700), "why_not": None, "contains": "latencies of sampled loads beyond the L2, each times the period", "lost_share": 0,
                       "threads": [], "pairs": [], "verdict": {"worth": "yes", "why_not": None, "lpi": 0.348, "lpi_low": 0.282, "lpi_high": 0.427, "ops": 1e9}}
    made["findings"][0]["gain"] = estimate(400 * 130 * PERIOD)
    made["heatmaps"][0]["latencies"] = [{"source": source, "low": low, "below": below, "count": count, "cycles": count * low, "peak": peak} for source, low, below, count, peak in (
        ("l3", 40, 48, 30, False), ("l3", 48, 56, 12, False), ("local-dram", 160, 192, 100, False), ("local-dram", 192, 224, 300, True), ("local-dram", 224, 256, 40, False),
        ("remote-dram", 256, 320, 150, False), ("remote-dram", 320, 384, 420, True), ("remote-dram", 640, 768, 25, False))]
    return made


def failing():
    made = bare()
    made["threads"] = {"length": 1}
    return made


def pebs():
    """A report of loads by source."""
    made = bare()
    for process in made["processes"]:
        process["settings"] = {"hardware": "pebs", "event": "local-dram,remote-dram", "period": "10007", "count": "loads"}
    return made


def fields():
    """A report by field."""
    made = bare()
    for table in made["nodes"]:
        for row in table["variables"]:
            del row["instructions"], row["instruction_rows"]
            row["fields"] = [{"field": None, "offset": 0, "element_bytes": 0, "count": row["count"], "stores": 0, "hitm": 0}]
            row["field_rows"] = 1
            if row["name"] == "tx":
                row["fields"] = [{"field": "velocity.x", "offset": 24, "element_bytes": 64, "count": row["count"] - 2, "stores": 1, "hitm": 3},
                                 {"field": "cell", "offset": 8, "element_bytes": 64, "count": 2, "stores": 0, "hitm": 0}]
                row["field_rows"] = 2
    return made


def columns():
    """What `memphis report --format html` writes of the numbers of rows; tests/cli/report/html.bats compares them."""
    keys = ("key", "path", "title", "help", "unit", "combined", "estimate", "order")
    return [dict(zip(keys, column)) for column in (
        ("low", "low", None, None, None, "min", False, 0),
        ("high", "high", None, None, None, "max", False, 0),
        ("count", "count", "Samples", None, "count", "sum", False, 1),
        ("share", "share", "Share", "of all selected samples, with its 95 % interval", "share", None, False, 2),
        ("share_low", "share_low", None, None, "share", None, False, 0),
        ("share_high", "share_high", None, None, "share", None, False, 0),
        ("accesses", "accesses", None, None, "count", "sum", False, 0),
        ("bytes", "bytes", "Est. data", None, "bytes", "sum", False, 7),
        ("stores", "stores", "Stores", None, "count", "sum", False, 0),
        ("hitm", "hitm", "Hitm", "lines that another cache held modified", "count", "sum", False, 0),
        ("waited_cycles", "waiting.waited.cycles", "Est. waiting", None, "cycles", "sum", True, 3),
        ("gain_cycles", "waiting.gain.cycles", "Could gain", None, "cycles", "sum", True, 4),
        ("latency_cycles", "latency_cycles", None, None, "cycles", "sum", False, 0),
        ("latency_mean_cycles", "latency_mean_cycles", "Mean latency", None, "cycles", None, False, 5),
        ("away_share", "away_share", "Away", "pages that another node owns", "share", None, False, 6),
        ("latency_max_cycles", "latency_max_cycles", None, None, "cycles", "max", False, 0))]


def sources():
    return [{"path": FILE, "found": FILE, "parts": [{"line": 1, "text": SOURCE}]}]


def callers():
    """A report in which one instruction is in a library, and its callers are known."""
    made = bare()
    row = made["nodes"][0]["variables"][0]["instructions"][0]

    def frame(function, line, program=False):
        return {"function": function, "path": FILE, "line": line, "object": "/home/ada/ice/ice_model", "pc": "0x10", "inlined": False, "program": program}

    row["via"] = "memcpy"
    row["callers"] = {"via": "memcpy", "chains": [
        {"count": row["count"] - 1, "frames": [frame("exchange", 9, True), frame("main", 30)]},
        {"count": 1, "frames": [frame("exchange", 9, True), frame("restart", 31), frame("main", 32)]}]}
    made["accounting"]["callers"] = {"known": row["count"], "lost": 0, "short": 2}
    return made


def types():
    """A report with the types that instructions access."""
    made = bare()
    rows = made["nodes"][0]["variables"]
    rows[0]["accessed"] = [{"type": "grid::Cell", "member": "grid::Cell.high", "count": 600, "stores": 0},
                           {"type": "grid::Cell", "member": "grid::Cell.low", "count": 100, "stores": 40},
                           {"type": "double", "member": "double", "count": 60, "stores": 0},
                           {"type": None, "member": None, "reason": "no-variable", "count": 20, "stores": 0}]
    made["types"] = {"known": 760, "unknown": {"no-variable": 20, "no-debug-info": 390}, "compared": 700, "contradicted": 7, "types": [], "members": []}
    return made
