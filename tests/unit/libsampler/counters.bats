#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Counters of real programs, from the kernel's files, a pmcd of Performance Co-Pilot and PAPI; they must never
# disturb the program, even if the daemon does not answer. If these tests fail, a site's monitoring breaks programs.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/library-counters

    rm -rf "$work"
    mkdir -p "$work"
    cd "$BATS_TEST_DIRNAME/programs/counters" || exit
    gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -I"$top/include" -shared -fPIC -o "$work/idle.so" ../idle_device.c -ldl
    gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -pthread -o "$work/steps" steps.c -I"$top/include" -I"$build/include" -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
}

setup() {
    unset "${!MEMPHIS_@}" LD_PRELOAD "${!PCP_@}" "${!PMCD_@}"
    export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/out MEMPHIS_COUNTERS_INTERVAL_MS=50
    files=$BATS_TEST_TMPDIR/made
    mkdir "$files"
    pmcd=
    ulimit -c 0
}

teardown() {
    [ -z "$pmcd" ] || { kill -CONT "$pmcd" && kill -KILL "$pmcd"; } 2> /dev/null || true
}

# with COUNTERS STEP...: runs the program with the library and these counters; may run in the background.
with() {
    MEMPHIS_COUNTERS=$1 MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$work/steps" "${@:2}" 2> "$BATS_TEST_TMPDIR/stderr" 3>&-
}

# recorded [PID]: prints the counters in the process files.
recorded() {
    python3 "$BATS_TEST_DIRNAME/counters.py" "$MEMPHIS_OUTPUT" "$@"
}

# await_recorded PATTERN [COUNT]: waits until the files of the running program have COUNT lines that match.
await_recorded() {
    local end=$((SECONDS + 300))

    while [ "$(recorded 2> /dev/null | grep -Ec -- "$1")" -lt "${2:-1}" ]; do
        # The limit is not an assertion: it ends a test that would hang.
        if ! kill -0 "$program" || [ "$SECONDS" -ge "$end" ]; then
            recorded
            return 1
        fi
        sleep 0.05
    done
}

# Starts a private pmcd with few metrics, which packaging/packages has unpacked. Its libpcp looks for pmcpp in PCP_BINADM_DIR.
start_pmcd() {
    local port root=$BATS_TEST_DIRNAME/../../../build/packages/pcp

    root=$(realpath "$root")
    export PCP_BINADM_DIR=$root/usr/lib/pcp/bin
    state=$BATS_TEST_TMPDIR/pcp
    [ -d "$state" ] || mkdir -p "$state"/{run,tmp,log}
    export PCP_RUN_DIR=$state/run PCP_TMP_DIR=$state/tmp PCP_LOG_DIR=$state/log
    cat > "$state/conf" <<TEXT
pmcd	2	dso	pmcd_init	$root/usr/lib/pcp/pmdas/pmcd/pmda_pmcd.so
linux	60	dso	linux_init	$root/usr/lib/pcp/pmdas/linux/pmda_linux.so
sample	29	dso	sample_init	$root/usr/lib/pcp/pmdas/sample/pmda_sample.so
TEXT
    cat > "$state/names" <<TEXT
root { hinv sample mem pmcd }
pmcd { version 2:0:7 }
hinv { ncpu 60:0:32 }
mem { physmem 60:1:9 numa }
mem.numa { alloc }
mem.numa.alloc { hit 60:36:32 }
sample { long bin 29:0:6 rapid 29:0:64 milliseconds 29:0:3 }
sample.long { hundred 29:0:12 }
TEXT
    # A free port below those that the kernel chooses from, which any other process may get in the meantime.
    port=${PMCD_PORT:-$(python3 -c 'import os, socket
for port in range(20000 + os.getpid() % 10000, 32000):
    try:
        socket.socket().bind(("127.0.0.1", port))
    except OSError:
        continue
    print(port)
    break')}
    export PMCD_PORT=$port
    "$PCP_BINADM_DIR/pmcd" -f -A -U "$(id -un)" -c "$state/conf" -n "$state/names" -i 127.0.0.1 -p "$port" -s "$state/run/pmcd.socket" -l "$state/log/pmcd.log" -x /dev/null > /dev/null 2>&1 3>&- &
    pmcd=$!
    export MEMPHIS_COUNTERS_PCP_HOST=127.0.0.1
    until (exec 9<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do
        kill -0 "$pmcd" || { cat "$state/log/pmcd.log"; return 1; }
        sleep 0.1
    done
}

@test "without counters, there is no thread for them, and nothing in the files" {
    with off begin a end a
    [ "$(recorded)" = "" ]
}

@test "pages of each node and bytes of interfaces are read at the outermost calipers, and marks name the calipers" {
    local node
    with 'numastat,net' begin a await "$files/go" begin inner end inner end a begin b end b &
    program=$!
    await_recorded '^value numa_hit '
    touch "$files/go"
    wait "$program"
    recorded > "$BATS_TEST_TMPDIR/recorded"
    [ "$(grep '^mark' "$BATS_TEST_TMPDIR/recorded" | tr '\n' ' ')" = 'mark a mark - mark b mark - ' ]
    for node in /sys/devices/system/node/node*; do
        grep -qx "metric numastat host counter ${node##*node} pages numa_hit" "$BATS_TEST_TMPDIR/recorded"
    done
    # At least the first and the last reading are recorded.
    [ "$(grep -c '^value numa_hit ' "$BATS_TEST_TMPDIR/recorded")" -ge 2 ]
    [ "$(grep -m1 '^value numa_hit ' "$BATS_TEST_TMPDIR/recorded")" = 'value numa_hit 0' ]
    [ ! -s "$BATS_TEST_TMPDIR/stderr" ]
}

@test "on request, calipers inside the outermost one are marked, down to the requested depth" {
    MEMPHIS_COUNTERS_DEPTH=2 with numastat begin a begin b begin c end c end b begin d begin e end d end e end a begin f end f
    [ "$(recorded | grep '^mark' | tr '\n' ' ')" = 'mark a mark b mark a mark d mark e mark a mark - mark f mark - ' ]
}

# A reading comes at most 10 ms after a change of the caliper; the pauses are longer.
@test "what a phase inside the time loop writes is counted for this phase, and not for its sibling" {
    MEMPHIS_COUNTERS_DEPTH=2 with io begin TimeLoop begin Compute sleep 800 end Compute begin Write sleep 800 write 60 sleep 800 end Write begin Exchange sleep 800 end Exchange end TimeLoop
    "$build/bin/memphis" report --format json "$MEMPHIS_OUTPUT" 2> "$BATS_TEST_TMPDIR/stderr" | python3 -c '
import json, sys
counters = json.load(sys.stdin)["counters"]
for region in counters["regions"]:
    for row in region["metrics"]:
        if counters["metrics"][row["metric"]]["name"] == "wchar":
            print(region["region"], round(row["total"] / 1e6))' | sort > "$BATS_TEST_TMPDIR/written"
    cat "$BATS_TEST_TMPDIR/written"
    grep -qx 'TimeLoop > Write 60' "$BATS_TEST_TMPDIR/written"
    grep -qx 'TimeLoop > Compute 0' "$BATS_TEST_TMPDIR/written"
    grep -qx 'TimeLoop > Exchange 0' "$BATS_TEST_TMPDIR/written"
}

@test "a wrong setting is reported in one line, and nothing is read" {
    with 'numastat bogus' begin a end a
    [ "$(cat "$BATS_TEST_TMPDIR/stderr")" = "memphis: MEMPHIS_COUNTERS=numastat bogus is invalid, using off; valid values: off, or a list of numastat, vmstat, net, io, uncore, pcp:METRIC[,METRIC...] and papi:EVENT[,EVENT...]" ]
    [ "$(recorded)" = "" ]
}

@test "counters of memory controllers are recorded by node, or refused with the reason where there are none" {
    with 'uncore numastat' begin a end a
    if compgen -G '/sys/bus/event_source/devices/uncore_imc*' > /dev/null || compgen -G '/sys/bus/event_source/devices/amd_umc*' > /dev/null; then
        recorded | grep -Eq '^metric uncore host (counter [0-9]+ bytes .*cas|refused - - uncore: kernel.perf_event_paranoid is )'
    else
        recorded | grep -qx 'metric uncore host refused - - uncore: the kernel shows no counters of memory controllers here, as in virtual machines'
    fi
}

@test "marks follow the leading thread, also when another thread takes over, and when calipers overlap" {
    with numastat begin a begin b end a end b
    [ "$(recorded | grep '^mark' | tr '\n' ' ')" = 'mark a mark b mark - ' ]
    rm -r "$MEMPHIS_OUTPUT"
    # A thread that ends closes its open calipers.
    with numastat thread-begin a begin b end b
    [ "$(recorded | grep '^mark' | tr '\n' ' ')" = 'mark a mark - mark b mark - ' ]
}

@test "page faults of a process, and the bytes that it reads, are counted" {
    local last
    # The program waits for the first reading, which includes its own page faults.
    with 'vmstat io' begin a await "$files/go" touch 3000 thread-touch 2000 end a &
    program=$!
    await_recorded '^value minor_faults 0$'
    touch "$files/go"
    wait "$program"
    last=$(recorded | grep '^value minor_faults ' | tail -1 | cut -d' ' -f3)
    echo "minor_faults $last"
    [ "$last" -ge 5000 ]
    # Thread stacks and the library itself take hundreds of page faults at most.
    [ "$last" -le 8000 ]
    recorded | grep -qx 'metric io process counter - bytes rchar'
}

@test "fork, exec and abort work as before, and each process has its own readings" {
    run -0 with 'numastat vmstat' begin a fork wait begin b end b
    # In the child's own files, counters start at 0 again.
    [ "$(recorded "$output" | grep -m1 '^value numa_hit ')" = 'value numa_hit 0' ]
    [ "$(recorded "$output" | grep '^mark' | tr '\n' ' ')" = 'mark b mark - ' ]
    rm -r "$MEMPHIS_OUTPUT"
    run -0 with numastat begin a exec begin b end b
    [ "$(recorded | grep -c '^value numa_hit 0$')" -ge 2 ]
    rm -r "$MEMPHIS_OUTPUT"
    run -134 with 'numastat pcp:hinv.ncpu' begin a abort x
}

@test "a process whose threads end one by one ends, and its last output is written" {
    local tries=0
    # Repeated, as it varies which of the library's threads ends last.
    while [ $((tries += 1)) -le 20 ]; do
        run -0 with 'numastat vmstat' begin a end a leave 'said last'
        [ "$output" = 'said last' ]
    done
}

@test "metrics of Performance Co-Pilot are recorded with values, units, nodes and instances; wrong names are refused" {
    start_pmcd
    with 'numastat pcp:hinv.ncpu,sample.long.hundred,sample.bin[bin-500],mem.numa.alloc.hit net pcp:mem.physmem,sample.rapid,pmcd.version,no.such,sample.bin[bin-5]' begin a await "$files/go" end a wait &
    program=$!
    await_recorded '^value sample.rapid ' 5
    touch "$files/go"
    wait "$program"
    recorded > "$BATS_TEST_TMPDIR/recorded"
    # The position of refusals among the metrics varies, as the drain may take some metrics before them.
    diff -u - <(for kind in 'gauge|counter' refused; do grep -E "^metric pcp host ($kind) " "$BATS_TEST_TMPDIR/recorded"; done | grep -v 'numa.alloc.hit\[node[1-9]') <<TEXT
metric pcp host gauge - - hinv.ncpu
metric pcp host gauge - - sample.long.hundred
metric pcp host gauge - - sample.bin[bin-500]
metric pcp host counter 0 count mem.numa.alloc.hit[node0]
metric pcp host gauge - bytes mem.physmem
metric pcp host counter - count sample.rapid
metric pcp host refused - - pmcd.version: it is no number
metric pcp host refused - - no.such: Unknown metric name
metric pcp host refused - - sample.bin[bin-5]: Unknown or illegal instance identifier
TEXT
    grep -qx "value hinv.ncpu $(getconf _NPROCESSORS_ONLN)" "$BATS_TEST_TMPDIR/recorded"
    [ "$(grep '^value sample.long.hundred ' "$BATS_TEST_TMPDIR/recorded" | sort -u)" = 'value sample.long.hundred 100' ]
    [ "$(grep '^value sample.bin' "$BATS_TEST_TMPDIR/recorded" | sort -u)" = 'value sample.bin[bin-500] 500' ]
    # The metric counts megabytes; the value is in bytes.
    grep -Eqx 'value mem.physmem [0-9]{9,}' "$BATS_TEST_TMPDIR/recorded"
    # The metric grows by 800 million per reading, and wraps around at 2^32.
    [ "$(grep '^value sample.rapid ' "$BATS_TEST_TMPDIR/recorded" | head -4 | tr '\n' ' ')" = 'value sample.rapid 0 value sample.rapid 800000000 value sample.rapid 1600000000 value sample.rapid 2400000000 ' ]
    grep -qx 'loss counters_metrics_refused 3' "$BATS_TEST_TMPDIR/recorded"
}

@test "a pmcd that is killed is recorded as lost, and after a restart its metrics continue with a gap" {
    start_pmcd
    with 'pcp:sample.milliseconds,sample.long.hundred' begin a await "$files/go" end a &
    program=$!
    await_recorded '^value sample.milliseconds ' 3
    kill -KILL "$pmcd"
    wait "$pmcd" || true
    await_recorded '^metric pcp host lost - - pcp: 127.0.0.1: '
    start_pmcd
    await_recorded '^value sample.milliseconds .* gap$'
    await_recorded '^value sample.long.hundred 100$' 5
    touch "$files/go"
    wait "$program"
    # The gap adds nothing to the value.
    recorded | grep '^value sample.milliseconds ' | awk '$4 == "gap" { if ($3 != last) exit 1; gaps++ } { last = $3 } END { exit gaps != 1 }'
    recorded | grep -qx 'metric pcp host counter - ns sample.milliseconds'
    [ ! -s "$BATS_TEST_TMPDIR/stderr" ]
}

@test "a pmcd that is stopped delays neither other sources nor the end of the program" {
    start_pmcd
    with 'numastat pcp:sample.milliseconds' begin a await "$files/go" end a &
    program=$!
    await_recorded '^value sample.milliseconds ' 3
    kill -STOP "$pmcd"
    await_recorded '^loss counters_readings_late '
    count=$(recorded | grep -c '^value numa_hit ')
    await_recorded '^value numa_hit ' $((count + 5))
    touch "$files/go"
    wait "$program"
    [ "$(recorded | grep -c '^value sample.milliseconds .*gap')" = 0 ]
    # The helper, which still waits for an answer, ends, too.
    while pgrep -f "^[^ ]*/memphis-pcp .* $program\$"; do sleep 0.1; done
}

@test "without a pmcd the source is lost, and the program runs as before" {
    export PMCD_PORT=1 MEMPHIS_COUNTERS_PCP_HOST=127.0.0.1
    with 'pcp:hinv.ncpu' begin a await "$files/go" end a &
    program=$!
    await_recorded '^metric pcp host lost - - pcp: 127.0.0.1: Connection refused$'
    touch "$files/go"
    wait "$program"
}

@test "without its helper, a source is refused with the reason" {
    mkdir "$work/alone"
    cp "$build/lib/libmemphis.so.0" "$work/alone/libmemphis.so"
    [ ! -e /usr/lib/memphis ] && [ ! -e /usr/local/lib/memphis ] || skip "helpers are installed on this machine"
    MEMPHIS_COUNTERS='pcp:a net papi:b' MEMPHIS_DEVICE=/dev/null LD_LIBRARY_PATH="$work/alone" LD_PRELOAD="$work/alone/libmemphis.so $work/idle.so" "$work/steps" begin a end a
    recorded | grep -qx 'metric pcp host refused - - pcp: memphis-pcp: No such file or directory; it is built with libmemphis only if its library (libpcp, libpapi) is installed'
    recorded | grep -qx 'loss counters_metrics_refused 2'
}

@test "PAPI counts software events of all threads, also of later ones; other events are refused with the reason" {
    local faults
    with 'papi:perf::PAGE-FAULTS,PAPI_TOT_CYC,no_such_event numastat' begin a await "$files/go" touch 3000 thread-touch 2000 end a wait &
    program=$!
    await_recorded '^(value perf::PAGE-FAULTS 0$|metric papi host refused - - perf::PAGE-FAULTS)'
    touch "$files/go"
    wait "$program"
    recorded > "$BATS_TEST_TMPDIR/recorded"
    if grep -q 'refused - - perf::PAGE-FAULTS: ' "$BATS_TEST_TMPDIR/recorded"; then
        skip "perf refuses: $(grep -m1 'refused - - perf::PAGE-FAULTS' "$BATS_TEST_TMPDIR/recorded")"
    fi
    grep -qx 'metric papi process counter - count perf::PAGE-FAULTS' "$BATS_TEST_TMPDIR/recorded"
    grep -q '^metric papi host refused - - no_such_event: ' "$BATS_TEST_TMPDIR/recorded"
    grep -q '^metric papi host refused - - PAPI_TOT_CYC: ' "$BATS_TEST_TMPDIR/recorded"
    faults=$(grep '^value perf::PAGE-FAULTS ' "$BATS_TEST_TMPDIR/recorded" | tail -1 | cut -d' ' -f3)
    echo "$faults"
    [ "$faults" -ge 5000 ]
    [ "$faults" -le 8000 ]
}
