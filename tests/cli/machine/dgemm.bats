#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The rate of DGEMM in memphis node --measure, with libraries whose rate is known. If these tests fail, the rate of a good machine looks bad, or a slow
# or broken BLAS passes for a property of the machine.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup_file() {
    build_tools
    local kind

    for kind in PLAIN OPTIMISED FAULT CLOCK; do
        gcc -O2 -shared -fPIC -Wall -Wextra -Werror "-D$kind" "$root/tests/cli/machine/blas.c" -o "$BATS_FILE_TMPDIR/lib$kind.so"
    done
    gcc -shared -fPIC -x c /dev/null -o "$BATS_FILE_TMPDIR/libEMPTY.so"
}

# measure LIBRARY OPTION...: measures with this library, by its clock.
measure() {
    run --separate-stderr env LD_PRELOAD="$PWD/libCLOCK.so" MEMPHIS_BLAS="$PWD/$1" "$memphis" node --measure --interval 0 "${@:2}"
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
}

# check NAME: verdict, value and evidence of a check.
check() {
    jq -r ".checks[] | select(.name == \"$1\") | \"\(.verdict) \(.value): \(.evidence)\"" <<< "$output"
}

remedy() {
    jq -r '.checks[] | select(.name == "dgemm").remedy' <<< "$output"
}

@test "the rate is the sum of the rates of all cores, of one thread each; text, JSON and the file have it" {
    measure libOPTIMISED.so --format json --save saved
    # 0.5 GFLOP/s on each core.
    expect true "$(jq '(.dgemm_gflop_per_s | add) / .cores == 0.5 and (.dgemm_gflop_per_s | length) == (.nodes | length)' <<< "$output")"
    [[ $(check dgemm) == "ok "*": each node "*" GFLOP/s, by OpenBLAS 9.8.7 TEST ($PWD/libOPTIMISED.so)" ]]
    expect "[\"OpenBLAS 9.8.7 TEST\",\"$PWD/libOPTIMISED.so\"]" "$(jq -c '[.blas, .blas_path]' <<< "$output")"
    expect "$(jq -r '.dgemm_gflop_per_s[0]' <<< "$output")" "$(sed -n 's/^dgemm_gflop 0 //p' saved)"
    expect "blas OpenBLAS 9.8.7 TEST
blas_path $PWD/libOPTIMISED.so" "$(grep ^blas saved)"
    measure libOPTIMISED.so
    [[ $output == *'rate of DGEMM on all cores of a node together, GFLOP/s
          0 '* ]]
}

@test "a rate below the baseline is reported, unless that is of another library" {
    measure libOPTIMISED.so --save saved
    awk '/^latency/ { $4 *= 1000 } /_gb / { $4 /= 1000 } /^dgemm/ { $3 *= 1.5 } 1' saved > baseline
    measure libOPTIMISED.so --format json --baseline baseline
    [ "$status" -eq 3 ]
    [[ $(check baseline) == 'fail null: 1 of '*'; most the rate of DGEMM of node '*' GFLOP/s, not '* ]] || [ "$(jq '.nodes | length' <<< "$output")" -gt 1 ]
    [[ $(jq -r '.checks[] | select(.name == "baseline").remedy' <<< "$output") == 'look at the load of node '*', its frequency, heat and power limits' ]]
    sed -i 's/^blas OpenBLAS.*/blas OpenBLAS 0.1/' baseline
    measure libOPTIMISED.so --format json --baseline baseline
    [[ $(check baseline) == 'ok null: 0 of '*'; DGEMM is not compared, since that of the baseline is by OpenBLAS 0.1' ]]
}

@test "a library that is not known as optimised is a warning with its path; links are followed" {
    ln -sf libPLAIN.so libblas.so.3
    measure libblas.so.3 --format json
    [[ $(check dgemm) == 'warn '*" GFLOP/s, by reference BLAS ($PWD/libPLAIN.so): not known as an optimised library, and probably slow" ]]
    [[ $(remedy) == 'install OpenBLAS '*MEMPHIS_BLAS* ]]
}

@test "without a BLAS, and with one that is broken, the rest is measured" {
    local library

    measure none --format json
    expect "unknown null: MEMPHIS_BLAS: $PWD/none: cannot open shared object file: No such file or directory" "$(check dgemm)"
    [[ $(remedy) == 'install OpenBLAS '* ]]
    expect '["null"]' "$(jq -c '[.dgemm_gflop_per_s[] | tostring] | unique' <<< "$output")"
    expect true "$(jq '.bandwidth_gb_per_s[0][0] > 0' <<< "$output")"
    measure libEMPTY.so --format json
    expect "unknown null: $PWD/libEMPTY.so has no function dgemm_" "$(check dgemm)"
    measure libFAULT.so --format json --save saved
    expect "unknown null: wrong results of the DGEMM of $PWD/libFAULT.so" "$(check dgemm)"
    run -1 grep -E "^(dgemm|blas)" saved
}

@test "the BLAS of this system is found" {
    run --separate-stderr "$memphis" node --measure --interval 0 --format json
    [[ $(jq -r .blas_path <<< "$output") == /*/*blas* ]]
    expect true "$(jq '.dgemm_gflop_per_s[0] > 0' <<< "$output")"
}

@test "hosts are ranked by their rates of DGEMM, among those with the same library" {
    local i

    mkdir -p hosts
    for i in {1..6}; do
        printf 'memphis-node 1\nhost n%s\nclass CPU 9\nnodes 0 1\nblas OpenBLAS 9.8.7\ndgemm_gflop 0 900\ndgemm_gflop 1 80%s\n' "$i" "$i" > "hosts/n$i.node"
    done
    sed -i 's/^dgemm_gflop 1 .*/dgemm_gflop 1 100/; s/^blas .*/blas reference BLAS/' hosts/n6.node
    run -0 "$memphis" node --compare hosts
    [[ $output == '6 hosts: CPU 9

rate of DGEMM by OpenBLAS 9.8.7, of the slowest node of 5 of 6 hosts: median 803.0 GFLOP/s, outliers differ by more than 28.1'*'
  n5       805.0 GFLOP/s    +0.2 %  node 1
'*'
rate of DGEMM by reference BLAS, of the slowest node of 1 of 6 hosts: median 100.0 GFLOP/s
  n6       100.0 GFLOP/s    +0.0 %  node 1

no host is slower than the others' ]]
    sed -i 's/^dgemm_gflop 1 .*/dgemm_gflop 1 100/' hosts/n5.node
    run -3 "$memphis" node --compare --format json hosts
    expect '{"host":"n5","value":100,"node":1,"blas":"OpenBLAS 9.8.7","worse":0.875312,"outlier":true}
{"host":"n6","value":100,"node":1,"blas":"reference BLAS","worse":0,"outlier":false}' "$(jq -c '.classes[0].quantities[] | select(.quantity == "dgemm_gflop_per_s") | .hosts[-1]' <<< "$output")"
}

@test "a file of --save that cannot be written is an error before anything is measured" {
    gcc -shared -fPIC -x c - -o libNOTE.so <<'C'
#include <fcntl.h>
static __attribute__((constructor)) void loaded(void) { creat("loaded", 0600); }
C
    run --separate-stderr env MEMPHIS_BLAS="$PWD/libNOTE.so" "$memphis" node --measure --interval 0 --save nowhere/saved
    [ "$status" -eq 1 ]
    expect 'memphis node: nowhere/saved: cannot write: No such file or directory' "$stderr"
    run --separate-stderr env MEMPHIS_BLAS="$PWD/libNOTE.so" "$memphis" node --measure --interval 0 --save .
    [ "$status" -eq 1 ]
    expect 'memphis node: .: cannot write: Is a directory' "$stderr"
    [ ! -e loaded ]
    measure libNOTE.so --save saved
    [ -e loaded ]
    [ "$(echo saved*)" = saved ]
}
