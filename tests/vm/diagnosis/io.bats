#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Eight ranks on two nodes with the device, as the user of a site: a rank that writes for all is named with all bytes;
# if all write, nobody is. A late sender is named. Times are compared natively. If these tests fail, a job's report names the wrong cause of its
# waiting, or none.

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks

# Open MPI only at length: natively, both are tested each time.
launchers=(mpich)
if at_length; then launchers+=(openmpi); fi

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    work=$(results_dir)
    export work
    local mpi status=0

    rm -rf "$work"
    mkdir -p "$work/bin/memphis"
    cp build/lib/libmemphis.so.0 "$work/bin"
    ln -s libmemphis.so.0 "$work/bin/libmemphis.so"
    cp build/lib/memphis/libmemphis-{io,mpi-mpich,mpi-openmpi}.so "$work/bin/memphis"
    for mpi in "${launchers[@]}"; do
        "mpicc.$mpi" -O2 -g -Wall -Wextra -Werror -Wno-stringop-overflow -D_GNU_SOURCE -Iinclude -o "$work/bin/writer.$mpi" \
            tests/unit/libsampler/programs/mpi/writer.c -L"$work/bin" -lmemphis -Wl,-rpath,'$ORIGIN'
        "mpicc.$mpi" -O2 -g -Wall -Wextra -Werror -Wno-stringop-overflow -D_GNU_SOURCE -Iinclude -o "$work/bin/waits.$mpi" \
            tests/unit/libsampler/programs/mpi/waits.c -L"$work/bin" -lmemphis -Wl,-rpath,'$ORIGIN'
    done
    cat > "$work/bin/guest.sh" <<'TEXT'
export MEMPHIS_PERIOD=65536 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,vader OMPI_MCA_plm_rsh_agent=false
# Only root may configure the network.
ip link set lo up
mkdir -p /root/out /root/data && chown user /root/out /root/data
# ranks MPI NAME PROGRAM ARGUMENT...
ranks() {
    mpi=$1 name=$2 program=$3
    shift 3
    MEMPHIS_OUTPUT=/root/out/$name.$mpi/rank-%r site-user mpirun.$mpi -n 8 \
        env "LD_PRELOAD=/root/bin/memphis/libmemphis-mpi-$mpi.so /root/bin/memphis/libmemphis-io.so" "/root/bin/$program.$mpi" "$@" > "/root/out/$name.$mpi.txt"
    echo "$name $mpi status $?"
}
for mpi in $LAUNCHERS; do
    ranks $mpi late-sender waits late-sender 3000
    for way in posix mpi; do
        ranks $mpi "one-$way" writer $way one /root/data/shared 1
        ranks $mpi "all-$way" writer $way all /root/data/shared 1
    done
done
TEXT
    boot_machine "$machines" --nodes 2 --cpus 2 --memory 1024 --module "build/kmod/$machines/memphis.ko" --put "$work/bin:/root/bin" \
        --put "$(realpath /usr/bin/mpirun.mpich):/usr/bin/mpirun.mpich" --put /usr/bin/hydra_pmi_proxy \
        --put "$(realpath /usr/bin/mpirun.openmpi):/usr/bin/mpirun.openmpi" --put /usr/bin/orted \
        --put /usr/lib/x86_64-linux-gnu/openmpi --put /usr/share/openmpi --put "$(command -v env):/usr/bin/env" \
        --get "/root/out:$work/out" --log "$work/$machines.log" --env "LAUNCHERS=${launchers[*]}" -- sh /root/bin/guest.sh > "$work/$machines.txt" 2> "$work/$machines.err" || status=$?
    echo "$status" > "$work/$machines.status"
}

# report NAME: makes the report of a job as JSON.
report() {
    "$top/build/bin/memphis" report --format json --binaries "$work/bin" "$work/out/$1"/rank-* > "$work/$1.json"
}

@test "all jobs end well, and the kernel logged no complaint" {
    all_ended_well
    [ "$(grep -vc 'status 0$' "$work/$machines.txt")" = 0 ]
    [ "$(wc -l < "$work/$machines.txt")" = $((5 * ${#launchers[@]})) ]
}

@test "a single writer is named, with 100 % of the bytes, and waiting that is not longer than what the ranks measure" {
    local mpi way
    for mpi in "${launchers[@]}"; do
        for way in posix mpi; do
            report "one-$way.$mpi"
            echo "$mpi $way"
            python3 "$top/tests/unit/libsampler/io_layer.py" "$work/out/one-$way.$mpi.txt" "$work/one-$way.$mpi.json" 0 guest
        done
    done
}

@test "if all ranks write, there is no single writer" {
    local mpi way
    for mpi in "${launchers[@]}"; do
        for way in posix mpi; do
            report "all-$way.$mpi"
            python3 "$top/tests/unit/libsampler/io_layer.py" "$work/out/all-$way.$mpi.txt" "$work/all-$way.$mpi.json"
        done
    done
}

@test "a late sender is named; calls, messages and bytes of eight ranks are those that they count" {
    local mpi
    for mpi in "${launchers[@]}"; do
        report "late-sender.$mpi"
        python3 "$top/tests/unit/libsampler/mpi_layer.py" "$work/out/late-sender.$mpi.txt" "$work/late-sender.$mpi.json"
        [ "$(jq -r '.mpi.findings[] | "\(.pattern) \(.function) \(.region) \(.late) \(.ranks | map(tostring) | join(","))"' "$work/late-sender.$mpi.json")" = \
            "late-sender MPI_Recv Work 3 2,4" ]
    done
}

@test "samples are kept beside, with a balanced accounting" {
    run -0 "$top/build/bin/memphis" report --full --binaries "$work/bin" "$work"/out/one-posix.mpich/rank-*
    echo "$output"
    [[ "$output" == *"books: "* ]]
    [[ "$output" != *"DO NOT BALANCE"* ]]
}
