#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A program of four ranks with the device, started by mpirun as the user of a site: all ranks or the chosen ones are sampled,
# and one report contains them all. If these tests fail, parallel jobs have no samples. How ranks are identified under MPICH and
# Open MPI is tested in tests/unit/libsampler/mpi.bats.

bats_require_minimum_version 1.5.0
load ../environment
load checks

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    work=$(results_dir)
    export work
    local status=0

    rm -rf "$work"
    mkdir -p "$work/bin/memphis"
    cp build/lib/libmemphis.so.0 "$work/bin"
    cp build/lib/memphis/libmemphis-mpi-mpich.so "$work/bin/memphis"
    ln -s libmemphis.so.0 "$work/bin/libmemphis.so"
    mpicc.mpich -O2 -g -Wall -Wextra -Werror -Iinclude -o "$work/bin/ranks" tests/unit/libsampler/programs/mpi/ranks.c \
        -L"$work/bin" -lmemphis -Wl,-rpath,'$ORIGIN'
    cat > "$work/bin/guest.sh" <<'TEXT'
export MEMPHIS_PERIOD=16384
# Only root may configure the network.
ip link set lo up
mkdir -p /root/out && chown user /root/out
MEMPHIS_OUTPUT=/root/out/all/rank-%r site-user mpirun.mpich -n 4 /root/bin/ranks
echo "status $?"
MEMPHIS_RANKS=1,3 MEMPHIS_OUTPUT=/root/out/some/rank-%r site-user mpirun.mpich -n 4 /root/bin/ranks
echo "status $?"
MEMPHIS_OUTPUT=/root/out/layer/rank-%r site-user mpirun.mpich -n 4 -genv LD_PRELOAD /root/bin/memphis/libmemphis-mpi-mpich.so /root/bin/ranks
echo "status $?"
TEXT
    boot_machine "$machines" --module "build/kmod/$machines/memphis.ko" --put "$work/bin:/root/bin" \
        --put "$(realpath /usr/bin/mpirun.mpich):/usr/bin/mpirun.mpich" --put /usr/bin/hydra_pmi_proxy --get "/root/out:$work/out" \
        --log "$work/$machines.log" -- sh /root/bin/guest.sh > "$work/$machines.txt" 2> "$work/$machines.err" || status=$?
    echo "$status" > "$work/$machines.status"
}

@test "all ranks run as without Memphis, and the kernel logged no complaint" {
    all_ended_well
    [ "$(< "$work/$machines.txt")" = "$(printf '4 ranks, sum 6\nstatus 0\n4 ranks, sum 6\nstatus 0\n4 ranks, sum 6\nstatus 0')" ]
    [ "$(grep -c memphis: "$work/$machines.err")" = 0 ]
}

@test "each rank has samples in files that name the rank, and one report contains all of them with a balanced accounting" {
    local rank
    for rank in 0 1 2 3; do
        python3 "$top/tests/vm/library/files.py" "$work/out/all/rank-$rank" | python3 -c '
import json, sys
files = json.load(sys.stdin)
settings = next(f["settings"] for f in files if f["kind"] == "process")
assert [settings[k] for k in ("rank", "ranks", "local_rank")] == [sys.argv[1], "4", sys.argv[1]], settings
assert sum(len(f.get("samples", [])) for f in files) > 50 and all(f["closed"] for f in files)' "$rank"
    done
    run -0 "$top/build/bin/memphis" report --format paper --binaries "$work/bin" --select all "$work"/out/all/rank-*
    echo "$output"
    # One variable of the program, although each rank has it at another address.
    [[ "$output" == *"[heap]:block "* ]]
    [ "$(grep -c '^[0-9]*) \[heap\]:block ' <<< "$output")" = "$(grep -c '^NODE: ' <<< "$output")" ]
    [[ "$output" != *"note: ranks"* ]]
    [[ "$output" != *"DO NOT BALANCE"* ]]
}

@test "with a choice of ranks only these have files, and the report lists them" {
    [ "$(cd "$work/out/some" && echo *)" = "rank-1 rank-3" ]
    run -0 "$top/build/bin/memphis" report --format paper "$work"/out/some/rank-*
    [[ "$output" == *"note: ranks 1,3 of 4; the others have no files here"* ]]
}

@test "with the MPI layer, the calls of all ranks are counted beside the samples, and their waits are known" {
    "$top/build/bin/memphis" report --format json --by region --binaries "$work/bin" --select all "$work"/out/layer/rank-* > "$work/layer.json"
    [ "$(jq -c '[.mpi.calls[] | select(.sampled) | [.function, .region, .ranks, .calls, .sent_bytes, .waits, .known]]' "$work/layer.json")" = \
        '[["MPI_Allreduce","Work",4,4,16,4,4]]' ]
    # Samples inside the call have its region.
    [ "$(jq -c '[.regions[] | select(.path[-1:] == ["MPI_Allreduce"]) | .path] | unique' "$work/layer.json")" = '[["Work","MPI_Allreduce"]]' ]
    run -0 "$top/build/bin/memphis" report --by mpi --binaries "$work/bin" "$work"/out/layer/rank-*
    echo "$output"
    [[ "$output" != *"DO NOT BALANCE"* ]]
    [ "$(grep -c '^ *[0-3]  *[0-9.]* %  *[0-9.]* %' <<< "$output")" = 4 ]
}
