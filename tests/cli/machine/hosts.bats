#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# memphis node --compare. If these tests fail, a slow machine of a cluster stays in use, or a good one is taken out.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup() {
    cd -P "$BATS_TEST_TMPDIR" || exit
}

# measured HOST OWN-LATENCY OWN-BANDWIDTH OTHER-BANDWIDTH [CLASS]: a measurement of two nodes; node 1 has the given values, node 0 is better.
measured() {
    mkdir -p saved
    cat > "saved/$1.node" <<TEXT
memphis-node 1
host $1
class ${5:-CPU 9, packages: 2}
huge_pages yes
nodes 0 1
latency_ns 0 0 90
latency_ns 0 1 200
latency_ns 1 0 200
latency_ns 1 1 $2
bandwidth_gb 0 0 200
bandwidth_gb 0 1 95
bandwidth_gb 1 0 $4
bandwidth_gb 1 1 $3
TEXT
}

@test "the fastest and slowest hosts are listed by the worst node of each, and outliers are named" {
    local i
    for i in {1..9}; do measured "n$i" "10$i" 18$i 90; done
    measured n10 105 120 90
    measured n11 150 185 90
    run -3 "$memphis" node --compare saved
    # The deviations from 105 are 4 3 2 1 0 1 2 3 4 0 45, their median is 2, and the limit 3.5 * 1.4826 * 2 = 10.4.
    expect "11 hosts: CPU 9, packages: 2

latency, own memory, of the slowest node of each host: median 105.0 ns, outliers differ by more than 10.4
  n1       101.0 ns      -3.8 %  node 1
  n2       102.0 ns      -2.9 %  node 1
  n3       103.0 ns      -1.9 %  node 1
  ... 5 hosts between them
  n8       108.0 ns      +2.9 %  node 1
  n9       109.0 ns      +3.8 %  node 1
  n11      150.0 ns     +42.9 %  node 1  outlier: slower" "$(sed '/^latency, other/,$d' <<< "$output" | sed '$d')"
    [[ $output == *"bandwidth, own memory, of the slowest node of each host: median 185.0 GB/s"*'
  n10      120.0 GB/s   -35.1 %  node 1  outlier: slower

bandwidth, other memory'* ]]
    [ "$(tail -1 <<< "$output")" = '2 of 11 hosts are slower than the others: n10 n11' ]
    run -3 "$memphis" node --compare --format json saved
    expect '["n10","n11"] 105 10 11' "$(jq -cj '.slow, " ", (.classes[0].quantities[0] | .median, " ", (3.5 * .spread | floor), " ", (.hosts | length))' <<< "$output")"
    expect '{"host":"n10","value":120,"node":1,"memory":1,"worse":0.351351,"outlier":true}' "$(jq -c '.classes[0].quantities[] | select(.quantity == "bandwidth_gb_per_s" and .memory == "own") | .hosts[-1]' <<< "$output")"
}

@test "small differences, and few hosts, are no outliers; faster ones are, but do not fail" {
    local i
    # All equal but one, so that the median absolute deviation is 0: 3.5 % of the median is the limit.
    for i in {1..6}; do measured "n$i" 100 180 90; done
    measured n7 103.4 180 90
    run -0 "$memphis" node --compare saved
    [[ $output == *'no host is slower than the others' ]]
    [[ $output != *outlier:* ]]
    measured n7 103.6 180 90
    run -3 "$memphis" node --compare saved
    [[ $output == *'1 of 7 hosts is slower than the others: n7' ]]
    measured n7 100 180 93.5
    run -0 "$memphis" node --compare saved
    [[ $output == *'  n7        93.5 GB/s    +3.9 %  node 1 to memory of node 0  outlier: faster'* ]]
    # Of three, none is judged.
    rm -r saved
    for i in 1 2; do measured "n$i" 100 180 90; done
    measured n3 200 90 45
    run -0 "$memphis" node --compare saved
    [[ $output == *'no host is judged, since there are fewer than 4'* ]]
    [[ $output != *outlier:* && $output != *'slower than'* ]]
}

@test "latency under load is compared, and values that only some hosts have, among these" {
    local i
    for i in {1..6}; do
        measured "n$i" 100 180 90
        printf 'loaded 1 1 %s\n' "1 50 900" "4 150 30$i" >> "saved/n$i.node"
    done
    sed -i 's/^loaded 1 1 4 .*/loaded 1 1 4 150 500/' saved/n6.node
    measured n7 100 180 90
    run -3 "$memphis" node --compare saved
    [[ $output == *'
latency while all other cores of the node read, own memory, of the slowest node of 6 of 7 hosts: median 303.5 ns, outliers differ by more than 10.6
  n1 '*'
  n6       500.0 ns     +64.7 %  node 1  outlier: slower

1 of 7 hosts is slower than the others: n6' ]]
    expect '[["own",6]]' "$("$memphis" node --compare --format json saved | jq -c '[.classes[0].quantities[] | select(.quantity == "loaded_latency_ns") | [.memory, (.hosts | length)]]')"
}

@test "hosts whose memory differs by a rounded GiB are of one class" {
    local i
    for i in {1..3}; do measured "n$i" 100 180 90 'CPU 9, packages: 2, nodes: 2, CPUs: 64, memory: 503 GiB'; done
    for i in {4..6}; do measured "n$i" 100 180 90 'CPU 9, packages: 2, nodes: 2, CPUs: 64, memory: 504 GiB'; done
    measured n7 100 180 90 'CPU 9, packages: 2, nodes: 2, CPUs: 64, memory: 440 GiB'
    run -0 "$memphis" node --compare saved
    expect '1 host: CPU 9, packages: 2, nodes: 2, CPUs: 64, memory: 440 GiB
6 hosts: CPU 9, packages: 2, nodes: 2, CPUs: 64, memory: 503 GiB' "$(grep ' hosts\{0,1\}: CPU' <<< "$output")"
}

@test "of a directory, a file that can't be read is named, and the others are compared" {
    local i
    for i in {1..6}; do measured "n$i" 100 180 90; done
    : > saved/n3.node
    echo 'memphis-node 9' > saved/n4.node
    run -1 --separate-stderr "$memphis" node --compare saved
    [[ $output == '4 hosts: CPU 9'*'no host is slower than the others' ]]
    expect 'memphis node: --compare: saved/n3.node: not a file of memphis node --save; left out
memphis node: --compare: saved/n4.node: not a file of memphis node --save; left out' "$(sort <<< "$stderr")"
    # "12" of "120" would be another number.
    measured n4 100 120 90
    truncate -s -2 saved/n4.node
    run -1 --separate-stderr "$memphis" node --compare saved
    [[ $stderr == *'memphis node: --compare: saved/n4.node: the end of the last line is missing: the file was cut; left out'* ]]
    # A file that was given is not left out.
    run -1 --separate-stderr "$memphis" node --compare saved/*.node
    expect '' "$output"
}

@test "only hosts of one class are compared" {
    local i
    for i in {1..5}; do measured "a$i" 100 180 90; done
    for i in {1..5}; do measured "b$i" 150 100 50 'CPU 7, packages: 1'; done
    run -0 "$memphis" node --compare saved/a*.node saved/b*.node
    [[ $output == '5 hosts: CPU 7, packages: 1'*'5 hosts: CPU 9, packages: 2'*'no host is slower than the others' ]]
}

@test "inputs that can't be compared are refused with the reason" {
    measured n1 100 180 90
    mkdir empty copies
    sed 's/^host .*/host n1/' saved/n1.node > copies/again.node
    run -1 "$memphis" node --compare empty
    expect 'memphis node: --compare: empty: no measurement (*.node) here; memphis node --measure --save HOST.node writes one' "$output"
    run -1 "$memphis" node --compare saved copies
    expect 'memphis node: --compare: copies/again.node: a measurement of n1, as saved/n1.node; give one of them' "$output"
    run -1 "$memphis" node --compare nowhere
    expect 'memphis node: --compare: nowhere: No such file or directory' "$output"
    run -2 "$memphis" node --compare
    [[ $output == 'memphis node: --compare: no measurements; give files of memphis node --save, or their directory'* ]]
    run -2 "$memphis" node --compare --measure saved
    [[ $output == "memphis node: --compare makes no checks: it can't be combined with --measure"* ]]
}
