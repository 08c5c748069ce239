#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Messages and collective calls one by one, as otf2-print reads them from an export, beside what the program has counted itself. If these tests
# fail, traces show messages that were not sent, or lack some.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/mpi-events
    local mpi

    rm -rf "$work"
    mkdir -p "$work"
    for mpi in openmpi mpich; do
        "mpicc.$mpi" -O2 -g -Wall -Wextra -Werror -Wno-stringop-overflow -D_GNU_SOURCE -I"$top/include" -o "$work/waits.$mpi" \
            "$BATS_TEST_DIRNAME/programs/mpi/waits.c" -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
    done
}

setup() {
    unset "${!SLURM_@}" "${!PMI_@}" "${!PMIX_@}" "${!OMPI_@}" PBS_JOBID LSB_JOBID JOB_ID
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    out=$BATS_TEST_TMPDIR/out
}

# traced MPI N SCENARIO [OPTION...]: runs the program and exports its messages: otf2-print's lines are in $out.events and $out.definitions.
traced() {
    timeout 600 "mpirun.$1" -n "$2" "$build/bin/memphis" record -q --backend none --mpi "${@:4}" -o "$out.$1/%r" "$work/waits.$1" "$3" > "$out.txt"
    run -0 --separate-stderr "$build/bin/memphis" export --format otf2 -o "$out.$1.otf2" "$out.$1"/*
    [ "$stderr" = "" ]
    otf2-print "$out.$1.otf2/traces.otf2" > "$out.events" 2> "$out.errors"
    otf2-print -G "$out.$1.otf2/traces.otf2" > "$out.definitions" 2>> "$out.errors"
    [ ! -s "$out.errors" ]
}

# counted: of each rank, what its locations have sent and received: messages of two ranks, and bytes with those of collective calls.
counted() {
    awk '
        FNR == NR {
            if ($1 == "LOCATION" && match($0, /Group: "rank [0-9]+"/)) rank[$2] = substr($0, RSTART + 13, RLENGTH - 14)
            next
        }
        function number(name) { return match($0, name ": [0-9]+") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) : 0 }
        { ranks[rank[$2]] }
        $1 == "MPI_SEND" { sent[rank[$2]]++; sent_bytes[rank[$2]] += number("Length") }
        $1 == "MPI_RECV" { received[rank[$2]]++; received_bytes[rank[$2]] += number("Length") }
        $1 == "MPI_COLLECTIVE_END" { sent_bytes[rank[$2]] += number("Sent"); received_bytes[rank[$2]] += number("Received") }
        END {
            for (r in ranks) if (r != "")
                printf "rank %d sent %d sent_bytes %d received %d received_bytes %d\n", r, sent[r], sent_bytes[r], received[r], received_bytes[r]
        }' "$out.definitions" "$out.events" | sort
}

same_as_the_program() {
    local programs
    programs=$(sed -E 's/calls [0-9]+ //; s/ ns .*//' "$out.txt" | sort)
    diff <(echo "$programs") <(counted)
}

# pairs: sender, receiver, communicator, tag and bytes of each message, as the senders and as the receivers have them; sorted.
pairs() {
    sed -nE "s/^MPI_$1 +[0-9]+ +[0-9]+ +$2: ([0-9]+) .*Communicator: \"([^\"]*)\".*Tag: ([0-9]+), Length: ([0-9]+).*/\1 \2 \3 \4/p" "$out.events" | sort
}

@test "messages and bytes of each rank are those that the program has counted" {
    local mpi scenario
    for mpi in mpich openmpi; do
        for scenario in 'late-sender 8' 'balanced 4' 'order 2' 'collectives 8'; do
            rm -rf "$out.$mpi" "$out.$mpi.otf2"
            # shellcheck disable=SC2086 # a scenario and its ranks
            set -- $scenario
            traced $mpi "$2" "$1" --mpi-events
            same_as_the_program
        done
    done
}

@test "messages have their tags and communicators; MPI_COMM_WORLD has its name" {
    traced mpich 8 late-sender --mpi-events
    [ "$(pairs SEND Receiver)" = "$(printf '%s\n' '2 MPI_COMM_WORLD '{0..3}' 16' '4 MPI_COMM_WORLD '{0..3}' 16')" ]
    [ "$(pairs RECV Sender)" = "$(for tag in 0 1 2 3; do printf '3 MPI_COMM_WORLD %s 16\n' $tag $tag; done)" ]
    [ "$(grep -c '^GROUP ' "$out.definitions")" = 2 ]
    grep -Eq '^COMM +0 +Name: "MPI_COMM_WORLD"' "$out.definitions"
    grep -Eq '^REGION .*"MPI_Recv".*Paradigm: MPI' "$out.definitions"
}

@test "collective calls have their operation, root and bytes, and begin and end in their regions" {
    traced openmpi 8 late-rank --mpi-events --spans 8
    [ "$(grep -c '^MPI_COLLECTIVE_END .*Operation: ALLREDUCE, Communicator: "MPI_COMM_WORLD" <0>, Root: NONE, Sent: 4, Received: 4' "$out.events")" = 32 ]
    [ "$(grep -c '^MPI_COLLECTIVE_END .*Operation: REDUCE, Communicator: "MPI_COMM_WORLD" <0>, Root: 0 .*, Sent: 4, Received: 0' "$out.events")" = 7 ]
    # Each collective call is between the ENTER and the LEAVE of a function of MPI.
    run -0 awk '
        $1 == "ENTER" { inside[$2] = /"MPI_/ }
        $1 == "MPI_COLLECTIVE_BEGIN" || $1 == "MPI_COLLECTIVE_END" { all++; good += inside[$2] }
        $1 == "LEAVE" { inside[$2] = 0 }
        END { print all, good }' "$out.events"
    # The barrier before the first caliper has no span.
    [ "$output" = "96 80" ]
}

@test "messages of all threads are in their own locations" {
    traced mpich 2 threads --mpi-events
    same_as_the_program
    [ "$(awk '$1 == "MPI_SEND" { locations[$2] } END { n = 0; for (l in locations) n++; print n }' "$out.events")" -gt 2 ]
}

@test "without --mpi-events, there are sums only" {
    traced mpich 2 order
    run ! grep -q '^MPI_' "$out.events"
    run ! grep -Eq '^(COMM|GROUP) ' "$out.definitions"
}

@test "each message is recorded or counted as lost, and the report says so" {
    local lost recorded
    traced mpich 2 many --mpi-events
    lost=$("$build/bin/memphis" report --format json "$out.mpich"/* | jq '[.processes[].losses.mpi_events_lost // 0 | tonumber] | add')
    recorded=$(grep -cE '^MPI_(SEND|RECV|COLLECTIVE_END) ' "$out.events")
    echo "$recorded recorded, $lost lost"
    [ $((recorded + lost)) = 600602 ]
    run -0 "$build/bin/memphis" report --full "$out.mpich"/*
    output=$(tr -s ' \n' ' ' <<< "$output")
    [ "$lost" = 0 ] || [[ "$output" == *"messages and collective calls were not recorded: a buffer was full; traces lack them"* ]]
}
