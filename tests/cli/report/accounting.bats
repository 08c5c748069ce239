#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The accounting of interrupts, and disturbances of sampling. If these tests fail, an incomplete report looks complete.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

@test "time without the hardware, threads found too late and perf pauses are reported, summed over processes" {
    samples disturbed <<'TEXT'
process 100
setting enabled_ns 6000
setting starved_ns 100
setting starved_ns 200
maps 100
end
thread 100
books 3 0 0 1=3 throttled=2
end
process 200
setting cpu_ns 8000
setting enabled_ns 2000
setting starved_ns 800
maps 100
end
thread 200
books 4 0 0 1=4 throttled=5
end
TEXT
    run -0 paper disturbed
    expect "$(cat <<'TEXT'
books: 7 interrupts = 0 kept + 0 lost + 7 filtered (kernel-pc 7)
starved: another user of the sampling hardware had it for 12.5 % of the time; nothing was sampled then
unseen: threads that were not found in time had 75.0 % of the CPU time of processes that were attached while they ran
throttled: perf paused sampling 7 times, each up to a tick, because interrupts came faster than kernel.perf_event_max_sample_rate allows; a longer period avoids it
TEXT
)" "$(sed -n '/^books/,$p' <<< "$output")"
    run -0 paper --process 200 disturbed
    grep -q '^starved: .* for 40.0 % of the time' <<< "$output"
    grep -q '^throttled: perf paused sampling 5 times' <<< "$output"
    run -0 "$memphis" report --format json disturbed
    [ "$(jq -c '.accounting | [.enabled_ns, .starved_ns, .cpu_ns, .unseen_ns, .throttled]' <<< "$output")" = '[8000,1000,8000,6000,7]' ]
    run -0 paper --process 100 disturbed
    [[ "$output" != *unseen* ]]
}

@test "loads by source have the hardware's counts beside what their samples stand for, of the selected kinds, summed over processes" {
    samples by-source <<'TEXT'
process 100
setting period 1000
setting event local-dram,remote-dram
setting counted_local-dram 2999
setting counted_remote-dram 3001
maps 100
end
thread 100
books 5 5 0
repeat 2 8 sample 2000 0x401000 0x1000000 dram LB 0 0
repeat 3 8 sample 2000 0x401000 0x1000000 dram LRB 0 1
end
process 200
setting period 100
setting event remote-dram
setting counted_remote-dram 450
maps 100
end
thread 200
books 4 4 0
repeat 4 8 sample 2000 0x401000 0x1000000 dram LRB 0 1
end
TEXT
    run -0 paper by-source
    grep -Fxq 'loads: remote-dram 7 samples for 3400 of 3451 counted; without stores, prefetches, and loads of lines that were being fetched already' <<< "$output"
    [[ "$output" != *unsampled:* ]]
    run -0 paper --select dram by-source
    grep -Fq 'loads: local-dram 2 samples for 2000 of 2999 counted, remote-dram 7 samples for 3400 of 3451 counted; ' <<< "$output"
    # Only the other process sampled loads from the own node.
    run -0 paper --process 200 by-source
    grep -Fq 'loads: remote-dram 4 samples for 400 of 450 counted; ' <<< "$output"
    grep -Fxq "unsampled: loads from the own node's memory, by the event local-dram; whether a variable's own node uses it is not known" <<< "$output"
    run -0 "$memphis" report --format json by-source
    [ "$(jq -c '.accounting.loads_by_source' <<< "$output")" = '{"local-dram":{"counted":2999},"remote-dram":{"samples":7,"loads":3400,"counted":3451}}' ]
    # Samples of these events have no latency.
    run -0 paper --sort latency by-source
    [ "$(grep -c 'latency not reported$' <<< "$output")" -gt 0 ]
    [[ "$output" != *'latency 0'* ]]
    run -0 "$memphis" report --sort latency by-source
    grep -Eq '^ +7 +100\.0 % +- +- +-  \[unmapped\]' <<< "$output"
    # While perf pauses an event, it does not count either.
    samples paused <<'TEXT'
process 100
setting period 100
setting event remote-dram
setting counted_remote-dram 450
maps 100
end
thread 100
books 4 4 0 throttled=1
repeat 4 8 sample 2000 0x401000 0x1000000 dram LRB 0 1
end
TEXT
    run -0 paper paused
    grep -Fq 'loads: remote-dram 4 samples for 400 of at least 450 counted; ' <<< "$output"
    # The count was read before the last samples were taken.
    samples closed <<'TEXT'
process 100
setting period 100
setting event remote-dram
setting counted_remote-dram 350
maps 100
end
thread 100
books 4 4 0
repeat 4 8 sample 2000 0x401000 0x1000000 dram LRB 0 1
end
TEXT
    run -0 paper closed
    grep -Fq 'loads: remote-dram 4 samples for 400 of at least 350 counted; ' <<< "$output"
    # A profile has the same counts.
    "$memphis" reduce -o profile by-source
    run -0 paper profile
    grep -Fq 'loads: remote-dram 7 samples for 3400 of 3451 counted; ' <<< "$output"
}

# pebs EVENTS SAMPLE: prints the text of a process in which PEBS sampled these events, four times this sample.
pebs() {
    samples "$1" <<TEXT
process 100
setting hardware pebs
setting backend device
setting period 100
setting count loads
setting mode program
setting event $1
setting counted_${1%%,*} 450
maps 100
end
thread 100
books 4 4 0
repeat 4 8 sample 2000 0x401000 0x1000000 $2 0 1
end
TEXT
}

@test "the head names the events, and of what the share of remote DRAM is a share" {
    pebs remote-dram 'dram LRB'
    run -0 "$memphis" report --full remote-dram
    grep -Fxq 'sampled:     Intel PEBS, backend device, event remote-dram, period 100 loads, from start to end' <<< "$output"
    grep -Fxq 'remote DRAM: 100.0 % of the samples (4 of 4), which are loads of remote-dram only' <<< "$output"
    pebs load-latency 'dram LR'
    run -0 "$memphis" report --full load-latency
    grep -Fxq 'sampled:     Intel PEBS, backend device, event load-latency, period 100 loads, from start to end' <<< "$output"
    grep -Fxq 'remote DRAM: 100.0 % of the loads from DRAM (95 % CI 51.0 to 100.0; 4 of 4), 100.0 % of the samples' <<< "$output"
}

@test "loads of the selection that no event sampled are named, because their absence means nothing" {
    pebs local-dram 'dram LB'
    run -0 paper local-dram
    grep -Fxq 'unsampled: loads of this selection, by the events remote-dram' <<< "$output"
    run -0 "$memphis" report --full local-dram
    [[ "${output//$'\n    '/ }" == *"No findings: no loads served by another node's memory among 4 samples; but such loads were not sampled (see \"unsampled\")"* ]]
    run -0 paper --select dram local-dram
    grep -Fxq 'unsampled: loads of this selection, by the events remote-dram' <<< "$output"
    pebs remote-dram 'dram LRB'
    run -0 paper --select remote-cache remote-dram
    [ "$(grep unsampled <<< "$output")" = 'unsampled: loads of this selection, by the events remote-hitm, remote-forward' ]
    pebs load-latency 'dram LR'
    run -0 paper --select remote-cache load-latency
    [[ "$output" != *unsampled* ]]
}

@test "without latencies, the report says that --sort latency sorts by samples" {
    pebs remote-dram 'dram LRB'
    run -0 "$memphis" report --sort latency remote-dram
    grep -Fxq 'sorted:      by samples, because no selected sample has a latency (stores, and events of loads by' <<< "$output"
    run -0 "$memphis" report --full remote-dram
    [[ "$output" != *sorted:* ]]
}

@test "accounting that does not balance is reported prominently" {
    samples unbalanced <<'TEXT'
process 100
maps 100
end
thread 100
fact name bad
books 10 2 0 1=7
repeat 2 8 sample 2000 0x401000 0x1000000 dram LR 0 1
end
thread 101
books 3 3 0
repeat 2 8 sample 2000 0x401000 0x1000000 dram LR 0 1
end
thread 102
books 2 2 0
repeat 2 8 sample 2000 0x401000 0x1000000 dram LR 0 1
end
thread 103
books 2 2 0
repeat 3 8 sample 2000 0x401000 0x1000000 dram LR 0 1
end
TEXT
    run --separate-stderr paper unbalanced
    [ "$status" -eq 1 ]
    grep -q '^THE BOOKS DO NOT BALANCE for 3 of 4 threads' <<< "$output"
    grep -qx '    100.100 bad: 10 interrupts = 2 kept + 0 lost + 7 filtered (kernel-pc 7)' <<< "$output"
    [ "$stderr" = 'memphis report: the books of 3 threads do not balance: do not trust this report' ]
    run --separate-stderr "$memphis" report --format json unbalanced
    [ "$status" -eq 1 ]
    [ "$(jq -c '[.accounting.balanced, (.accounting.threads[] | .balanced)]' <<< "$output")" = '[false,false,false,true,false]' ]
}

@test "a killed process is reported with the data that it had written, and a note" {
    samples killed <<'TEXT'
process 100
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
loss allocations_left_out 7
thread 100
books 3 3 0
repeat 3 8 sample 2000 0x401000 0x1000000 dram LR 0 1
books 9 6 0 1=3
repeat 3 8 sample 2000 0x401000 0x1000000 dram LR 0 1
flush
repeat 3 8 sample 2000 0x401000 0x1000000 dram LR 0 1
flush
thread 101
books 0 0 0
end
TEXT
    # An interrupted write leaves a payload without a header, and reserved space.
    head -c 100 /dev/zero >> killed/host.100.100.thread.memphis
    printf 'payload' >> killed/host.100.100.thread.memphis
    run --separate-stderr paper killed
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = 'NODE: 0 total: 9' ]
    grep -qx '    allocation-left-out 9 (100.0 %): the bound on allocation records was reached when recording' <<< "$output"
    grep -qx 'note: process 100 was killed or still runs: its process file was not closed, the files of 1 of 2 threads were not closed; the contents of its rings are missing' <<< "$output"
    grep -qx 'note: process 100: 7 allocations were not recorded: the limit on records was reached, or a buffer was full' <<< "$output"
}

@test "a process that has executed another program has complete files, one that could not has not" {
    samples executed <<'TEXT'
process 100
setting exec_time_ns 5000
thread 100
flush
process 200
setting exec_time_ns 5000
setting exec_time_ns 0
thread 200
flush
TEXT
    run --separate-stderr paper executed
    [ "$(grep 'killed' <<< "$output")" = 'note: process 200 was killed or still runs: its process file was not closed, the files of 1 of 1 threads were not closed; the contents of its rings are missing' ]
}
