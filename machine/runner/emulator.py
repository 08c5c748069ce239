# SPDX-License-Identifier: BSD-3-Clause
"""Selects the QEMU binary, and creates its command line for a machine with NUMA nodes."""

import os
import shutil
import subprocess

PORTS = ("status", "out", "err", "files")
MONITOR = "monitor"
# QEMU's CPU model, the property that enables its sampling unit (None: it has none), and further properties. QEMU 10.0 has no model
# of Zen 5 and Emerald Rapids, and a wrong model number for Ice Lake-SP.
CPUS = {"milan": ("EPYC-Milan", "ibs", ""), "genoa": ("EPYC-Genoa", "ibs", ""),
        "turin": ("EPYC-Genoa", "ibs", "family=26,model=2,stepping=1"),
        "skylake": ("Skylake-Server", "pebs", ""), "cascadelake": ("Cascadelake-Server", "pebs", ""),
        "icelake": ("Icelake-Server", "pebs", "model=106"),
        "sapphirerapids": ("SapphireRapids", "pebs", ""), "emeraldrapids": ("SapphireRapids", "pebs", "model=207"),
        "graniterapids": ("GraniteRapids", "pebs", "")}
# CPUs that can't be sampled, for tests of the refusal. For Linux the model number decides on the events, so that other parts of the
# CPU may be those of another model. Without IBS, a CPU that does not say that it is a guest's is one whose BIOS has disabled it.
CPUS |= {"sierraforest": ("Skylake-Server", "pebs", "model=175,model-id=Sierra Forest"),
         "alderlake": ("SapphireRapids", "pebs", "model=151,model-id=Alder Lake"),
         "noibs": ("EPYC-Milan", None, "-hypervisor")}

# Levels whose latencies can be set, as in the emulator's properties.
LATENCIES = ("l1", "l2", "l3", "peer", "dram", "rcache", "rdram")
LATENCY_MAX = 65535     # what a sample can contain

KERNEL_ARGUMENTS = (
    "console=ttyS0,115200 panic=-1 oops=panic nmi_watchdog=0 msr.allow_writes=on "
    # vCPUs on a busy host may stall for seconds, so lockups are reported after half a minute, and RCU stalls after a minute; by
    # default, after 20 and 21 s. A suite that looks for code that stalls a CPU restores the defaults (DEFAULT_WATCHDOGS).
    "watchdog_thresh=15 rcupdate.rcu_cpu_stall_timeout=60 "
    # The emulated time stamp counter is synchronous on all CPUs; without tsc=reliable the kernel uses a slow timer instead.
    # The frequency (qemu/apply.py) is passed, as calibration at boot may be wrong or fail on a busy host.
    "tsc=reliable tsc_early_khz=2000000 lpj=8000000 no_timer_check "
    # The disabled features cost time under emulation and do not affect the tests.
    "mitigations=off audit=0 apparmor=0 cryptomgr.notests")

# The kernel's defaults, by the files that set them.
DEFAULT_WATCHDOGS = {"/proc/sys/kernel/watchdog_thresh": 10, "/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout": 21}


class EmulatorError(Exception):
    """There is no usable emulator; the message contains the remedy."""


def escape(text):
    """Return the text with commas doubled, as QEMU's option lists require."""
    return text.replace(",", ",,")


def find(choice, here, say):
    """Return the binary to use: the one chosen by option or environment, else the project's, which is built if needed."""
    choice = choice or os.environ.get("MEMPHIS_QEMU")
    if choice:
        return shutil.which(choice) or choice
    build = os.path.join(here, "qemu", "build")
    answer = subprocess.run([build, "--check"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    if answer.returncode != 0:
        say("building the emulated machine first (only once; takes some minutes)")
        answer = subprocess.run([build], stdout=subprocess.PIPE, text=True, check=False)
    lines = answer.stdout.split()
    if answer.returncode != 0 or not lines:
        raise EmulatorError("machine/qemu/build failed (see above); repeat it by hand, or select a binary with --qemu")
    return lines[-1]


def has_property(binary, model, name):
    try:
        answer = subprocess.run([binary, "-device", f"{model}-x86_64-cpu,help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, check=False)
    except OSError as error:
        raise EmulatorError(f"cannot run {binary}: {error.strerror}; machine/setup builds or installs it") from error
    if answer.returncode != 0:
        raise EmulatorError(f"{binary} does not support the CPU {model}; use the emulator of machine/qemu/build")
    return f"  {name}=" in answer.stdout


def cpu_argument(options, binary, say):
    """Return the argument of -cpu, and the part of it that the guest can notice before it is measured."""
    model, sampler, more = CPUS[options.cpu]
    parts = [model] + ([more] if more else [])
    measures = []
    if sampler is None:
        return ",".join(parts), ",".join(parts)
    if has_property(binary, model, "model-l3") and has_property(binary, model, sampler):
        parts.append("+" + sampler)
        for level in ("l1", "l2", "l3"):
            if getattr(options, level) is not None:
                measures.append(f"model-{level}={getattr(options, level)}")
        measures += [f"lat-{level}={cycles}" for level, cycles in options.latency.items()]
        if options.no_jitter:
            measures.append("lat-jitter=off")
        if options.truth:
            measures.append("truth-file=" + escape(os.path.abspath(options.truth)))
        if options.deterministic == "cycles":
            parts.append("model-time=on")
    else:
        say(f"{binary} emulates no {sampler.upper()}: --truth, cache sizes and latencies have no effect, and loads take no time")
    if options.deterministic:
        # Disable random numbers and fast byte-wise string instructions: each repetition counts as an instruction, and with
        # erms or fsrm Linux would clear a page with 4096 repetitions.
        parts += ["-rdrand", "-rdseed", "-erms", "-fsrm"]
    return ",".join(parts + measures), ",".join(parts)


def latencies(texts):
    """Parse ["rdram=310,l3=50", ...]. Return the cycles of each level that is named."""
    result = {}
    for item in ",".join(texts).split(",") if texts else []:
        level, _, cycles = item.partition("=")
        if level not in LATENCIES:
            raise ValueError(f"{level!r} is no level; the levels are {', '.join(LATENCIES)}")
        if not (cycles.isascii() and cycles.isdigit() and 1 <= int(cycles) <= LATENCY_MAX):
            raise ValueError(f"{cycles!r} is no number of cycles from 1 to {LATENCY_MAX}")
        result[level] = int(cycles)
    return result


def distance_rows(text, nodes):
    """Parse "10,21;21,10", or one number for all pairs of different nodes. Return the rows."""
    if ";" not in text and "," not in text:
        return [[10 if a == b else int(text) for b in range(nodes)] for a in range(nodes)]
    rows = [[int(value) for value in row.split(",")] for row in text.split(";")]
    if len(rows) != nodes or any(len(row) != nodes for row in rows):
        raise ValueError(f"--distances: {nodes} rows of {nodes} numbers are needed, separated by ';' and ','")
    return rows


def numa_arguments(options):
    arguments = []
    sizes = [options.memory] * options.nodes + ([options.memory_only_node] if options.memory_only_node else [])
    for node, size in enumerate(sizes):
        cpus = f",cpus={node * options.cpus}-{(node + 1) * options.cpus - 1}" if node < options.nodes else ""
        arguments += ["-object", f"memory-backend-ram,id=m{node},size={size}M", "-numa", f"node,nodeid={node}{cpus},memdev=m{node}"]
    if options.distances:
        for source, row in enumerate(distance_rows(options.distances, len(sizes))):
            for target, value in enumerate(row):
                arguments += ["-numa", f"dist,src={source},dst={target},val={value}"]
    cpus = options.nodes * options.cpus
    return ["-smp", f"{cpus},sockets={options.nodes},cores={options.cpus},threads=1", "-m", f"{sum(sizes)}M"] + arguments


def clock_arguments(options):
    if not options.deterministic:
        return ["-accel", "tcg,thread=multi"]
    # A unit of time takes 2 ** shift ns.
    shift = {"cycles": 0, "instructions": 1}[options.deterministic]
    return ["-accel", "tcg,thread=single", "-icount", f"shift={shift},sleep=off", "-seed", "1",
            "-rtc", "base=2026-01-01T00:00:00,clock=vm"]


def command_line(options, binary, files, say):
    """Return the command line without port_arguments(), and a list of what a booted guest depends on. `files`: paths of kernel, initrd,
    disk (or None) and log."""
    cpu, noticed = cpu_argument(options, binary, say)
    machine = ["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-machine", "q35,hpet=off"]
    machine += clock_arguments(options) + numa_arguments(options) + ["-append", f"{KERNEL_ARGUMENTS} {options.append}".strip()]
    machine += ["-device", "virtio-serial-pci"]
    arguments = [binary, "-cpu", cpu, "-kernel", files["kernel"], "-initrd", files["initrd"]]
    if files["disk"]:
        arguments += ["-drive", f"if=none,id=disk,format=raw,read-only=on,file={escape(files['disk'])}"]
        machine += ["-device", "virtio-blk-pci,drive=disk"]
    arguments += ["-chardev", f"file,id=log,append=on,path={escape(files['log'])}", "-serial", "chardev:log"]
    return arguments + machine, [noticed] + machine


def port_arguments(descriptors):
    """Return the arguments for the ports and the monitor. These are descriptors, as the path of a socket could be too long."""
    arguments = []
    for number, name in enumerate(PORTS, start=1):
        arguments += ["-chardev", f"socket,id={name},fd={descriptors[name]}",
                      "-device", f"virtserialport,chardev={name},name={name},nr={number}"]
    return arguments + ["-chardev", f"socket,id={MONITOR},fd={descriptors[MONITOR]}", "-mon", f"chardev={MONITOR},mode=control"]
