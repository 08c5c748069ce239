#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# bats file_tags=more
# The example job on a real Slurm, from its directives to the report: the ranks that sample, and the processing of their files. The
# samples are synthetic. If this test fails, the first job that a user tries has no report.

bats_require_minimum_version 1.5.0
load ../environment
load slurm/cluster

setup_file() {
    cluster_up
    # shellcheck source=../cli/helper.bash
    . "$BATS_TEST_DIRNAME/../cli/helper.bash"
    build_tools
    export batch=$work/usr/libexec/memphis/batch rank
    admin "$batch/slurm/reservation" create
    mkdir -p "$work/usr/bin"
    cp "$root/build/bin/memphis" "$work/usr/bin/"
    for rank in 0 1; do
        samples "$work/samples/$rank" <<TEXT
process $((100 + rank))
setting command ./model
setting host zoo
setting rank $rank
setting ranks 8
setting period 1000
setting alloc_min_bytes 4096
node 0 1024 0-1 10,21
node 1 1024 2-3 21,10
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread $((100 + rank))
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 tx
books $((5 + rank)) $((5 + rank)) 0
repeat $((5 + rank)) 8 sample 2000 0x401000 0x1000000 dram LR 0 1
end
TEXT
    done
    # Replaces a program with the library: the selected ranks write sample files to the directory in their settings.
    cat > "$work/model" <<'TEXT'
#!/bin/bash
echo "rank $SLURM_PROCID of $SLURM_NTASKS, $OMP_NUM_THREADS threads, on $SLURMD_NODENAME, filter $MEMPHIS_FILTER, disable ${MEMPHIS_DISABLE:-0}"
[ "${MEMPHIS_DISABLE:-0}" = 1 ] && exit
(exec 8<> /dev/memphis) || exit 1
out=${MEMPHIS_OUTPUT//%h/$(hostname)}
cp -r "$(dirname "$0")/samples/$SLURM_PROCID" "${out//%r/$SLURM_PROCID}"
TEXT
    chmod 755 "$work/model"
}

teardown_file() {
    cluster_down
}

@test "the example job samples on the node with the module, and ends with one report of all samples" {
    local id
    id=$(as alice env PATH="$work/usr/bin:$PATH" sbatch --parsable -o job.out --cpus-per-task=1 "$work/usr/share/doc/memphis/examples/example.sbatch" "$work/model")
    until_true no_jobs
    cat "$work/home/alice/job.out" "$work/log/slurmctld"
    [ "$(grep '^rank' "$work/home/alice/job.out" | sort)" = "$(for rank in {0..7}; do
        echo "rank $rank of 8, 1 threads, on $( ((rank < 2)) && echo a0 || echo "b$((rank / 2))"), filter remote, disable $((rank > 1))"
    done)" ]
    [ "$(cd "$work/home/alice/memphis-$id" && echo *)" = '0.mprof 1.mprof all.mprof zoo-0 zoo-1' ]
    grep -q '^selected: *11 of 11 samples: remote-dram ' "$work/home/alice/job.out"
    grep -q '\<tx\>' "$work/home/alice/job.out"
}
