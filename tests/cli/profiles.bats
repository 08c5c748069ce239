#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Profiles: reduce, merge, and reports of profiles. If these tests fail, the report of a profile differs from the report of its sample
# files.

bats_require_minimum_version 1.5.0
load ../environment
load helper

# ranks DIRECTORY FIRST LAST: writes sample files of processes of one program, each process on its own host, one directory per host.
ranks() {
    local rank host

    for ((rank = $2; rank <= $3; rank++)); do
        host=$(printf 'host%02d' "$rank")
        samples "$1/$host" <<TEXT
process $((100 + rank))
setting command ./model
setting host $host
setting rank $rank
setting ranks $(($3 + 1))
setting period 1000
setting alloc_min_bytes 4096
node 0 1024 0-1 10,21
node 1 1024 2-3 21,10
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
map 0x3000000 0x3100000 rw-p 0x0 - 
maps 100
region 1 0 TimeLoop
region 2 1 Bound
end
thread $((100 + rank))
fact name model
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 tx
malloc 1002 0x1010000 8192 0
name 1003 0x1010000 8192 only_$rank
books $((11 + rank)) $((11 + rank)) 0
repeat $((5 + rank)) 8 sample 2000 0x401000 0x1000000 dram LR 0 1 1 700
repeat 3 8 sample 2100 0x401008 0x1000100 l2 L 0 0 2 12
repeat 2 8 sample 3000000 0x401008 0x1010000 dram LR 0 1 2 900
sample 2300 0x401018 0x3000000 dram L 1 1
end
TEXT
    done
}

# distant DIRECTORY COUNT: writes COUNT processes of one thread on node 0, whose array tx is on node 1; the last process has most samples of
# tx. The stores of each process are by another instruction.
distant() {
    local rank

    for ((rank = 0; rank < $2; rank++)); do
        samples "$1/part$rank" <<TEXT
process $((300 + rank))
setting command ./model
setting host n$((rank / 4))
setting rank $rank
setting ranks $2
node 0 1073741824 0-1 10,21
node 1 1073741824 2-3 21,10
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
region 1 0 TimeLoop
end
thread $((300 + rank))
fact name model
malloc 1000 0x1000000 65536 0
name 1001 0x1000000 65536 tx
books $((370 + rank)) $((370 + rank)) 0
repeat $((200 + rank)) 256 sample 2001 0x401000 0x1000000 dram LR 0 1 1 700
repeat 20 256 sample 2000 $((0x402000 + rank)) 0x1000000 l2 S 0 1 1 12
repeat 50 256 sample 2001 0x401000 0x1000000 l2 L 0 1 1 12
repeat 100 8 sample 2002 0x401000 0x1010000 l2 L 0 0 0 12
end
TEXT
        mkdir -p "$1/all"
        cp "$1/part$rank"/* "$1/all"
    done
}

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    ranks all 0 4
    # All files are in one directory, as for a single reduction.
    mkdir one
    cp all/*/* one
    "$memphis" reduce one -o one.mprof
    "$memphis" reduce --by thread one -o one-by-thread.mprof
}

# same PROFILE OPTION...: the reports of the profile and of the sample files are equal, byte for byte.
same() {
    local profile=$1

    shift
    paper "$@" one > "$BATS_TEST_TMPDIR/samples"
    paper "$@" "$profile" > "$BATS_TEST_TMPDIR/profile"
    cmp "$BATS_TEST_TMPDIR/samples" "$BATS_TEST_TMPDIR/profile"
    [ -s "$BATS_TEST_TMPDIR/profile" ]
}

# As same(), except for one line: a profile has no findings for a selected node or region.
same_but_findings() {
    local profile=$1

    shift
    paper "$@" one > "$BATS_TEST_TMPDIR/samples"
    paper "$@" "$profile" > "$BATS_TEST_TMPDIR/profile"
    [ "$(grep -c '^note: no findings for 5 of 5 processes: a profile has them only for all nodes and regions together' "$BATS_TEST_TMPDIR/profile")" -eq 1 ]
    cmp "$BATS_TEST_TMPDIR/samples" <(grep -v '^note: no findings' "$BATS_TEST_TMPDIR/profile")
}

# As same() for JSON, except for the timeline and the heatmaps: a profile has those of the selection that it was reduced with.
same_but_timeline() {
    local profile=$1

    shift
    "$memphis" report --format json "$@" one | jq -S 'del(.timeline, .heatmaps, .heatmaps_left_out)' > "$BATS_TEST_TMPDIR/samples"
    "$memphis" report --format json "$@" "$profile" | jq -S 'del(.timeline, .heatmaps, .heatmaps_left_out)' > "$BATS_TEST_TMPDIR/profile"
    cmp "$BATS_TEST_TMPDIR/samples" "$BATS_TEST_TMPDIR/profile"
    [ "$("$memphis" report --format json "$@" "$profile" | jq -c .timeline)" = "[]" ]
}

@test "the text reports of a profile and of its sample files are equal, for any selection" {
    same one.mprof
    same one.mprof --select all --top 0 --instructions 0 --threads
    same one.mprof --select dram
    same one.mprof --by region --select all
    same one.mprof --by home
    same one.mprof --by line --sort latency
    grep -qx 'samples: 45 of 65 are remote-dram' <(paper one.mprof)
}

@test "the JSON reports of both are equal, except for the timeline of another selection" {
    same one.mprof --format json --select all
    same_but_timeline one.mprof --select remote-dram
    "$memphis" reduce --select remote-dram one -o remote.mprof
    same remote.mprof --format json
    run paper --select stores remote.mprof
    [ "$status" -eq 1 ]
    [ "$output" = "memphis report: remote.mprof: holds remote-dram samples only, and stores are asked for; reduce the sample files with --select all" ]
}

@test "profiles reduced by thread separate threads, processes and regions; other profiles refuse these options" {
    same one-by-thread.mprof --by thread --format json --select all
    same one-by-thread.mprof --process 102
    same_but_findings one-by-thread.mprof --region Bound --select all
    same_but_findings one-by-thread.mprof --region TimeLoop --by region
    same_but_findings one-by-thread.mprof --select dram --node 1
    for option in '--by thread' '--process 102' '--region Bound'; do
        # shellcheck disable=SC2086 # words are meant
        run paper $option one.mprof
        [ "$status" -eq 1 ]
        [ "$output" = "memphis report: one.mprof: does not tell threads apart, as ${option% [A-Z1]*} needs; reduce the sample files with --by thread" ]
    done
    run paper --by region --process 102 one-by-thread.mprof
    [ "$status" -eq 1 ]
    [[ "$output" == *"--by region with --process needs the sample files"* ]]
    run paper --process 4 one-by-thread.mprof
    [ "$status" -eq 1 ]
    [[ "$output" == *"no process 4 in these files"* ]]
}

@test "profiles of parts, merged in any order, equal the profile of all sample files" {
    # Reports contain the paths of the files, so each part is reduced from the same paths.
    for rank in 0 1 2 3 4; do
        "$memphis" reduce one/*"$((100 + rank))"* -o "part-$rank.mprof"
    done
    "$memphis" merge part-{0,1,2,3,4}.mprof -o forward.mprof
    "$memphis" merge --jobs 1 part-{4,2,0,3,1}.mprof -o mixed.mprof
    "$memphis" merge part-{1,3}.mprof -o some.mprof
    "$memphis" merge part-4.mprof some.mprof part-{0,2}.mprof -o nested.mprof
    cmp one.mprof forward.mprof
    cmp one.mprof mixed.mprof
    cmp one.mprof nested.mprof
    mkdir -p parts
    cp part-?.mprof parts
    "$memphis" merge parts -o directory.mprof
    cmp one.mprof directory.mprof
    same parts --format json --select all
}

@test "a merged profile has the instructions of each part" {
    local rank

    distant stores 3
    "$memphis" reduce stores/all -o stores.mprof
    for rank in 0 1 2; do
        "$memphis" reduce stores/all/*.30"$rank".* -o "stores-$rank.mprof"
    done
    "$memphis" merge stores-{2,0,1}.mprof -o merged.mprof
    cmp stores.mprof merged.mprof
}

@test "a merged profile does not depend on the order in which each process met libraries and calipers" {
    local rank libraries=(liba.so libb.so) regions=(Alpha Beta)

    for rank in 0 1; do
        samples "orders/$rank" <<TEXT
process $((100 + rank))
setting command ./model
setting host n$rank
setting rank $rank
node 0 1073741824 0-1 10,21
node 1 1073741824 2-3 21,10
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
map 0x2000000 0x2100000 r-xp 0x0 - /none/${libraries[rank]}
map 0x3000000 0x3100000 r-xp 0x0 - /none/${libraries[1 - rank]}
maps 100
region 1 0 ${regions[rank]}
region 2 0 ${regions[1 - rank]}
end
thread $((100 + rank))
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 tx
books 60 60 0
repeat 20 8 sample 2000 0x2001000 0x1000000 l2 S 0 0 1 12
repeat 20 8 sample 2001 0x3001000 0x1000000 l2 S 0 0 2 12
repeat 20 8 sample 2002 0x3001008 0x1000000 dram LR 0 1 1 700
end
TEXT
        "$memphis" reduce --select remote-dram "orders/$rank/" -o "orders-$rank.mprof"
    done
    "$memphis" reduce --select remote-dram orders/0 orders/1 -o orders.mprof
    "$memphis" merge orders-{1,0}.mprof -o merged.mprof
    cmp orders.mprof merged.mprof
}

@test "examples of samples without a variable are those of the sample files, which come after the profile" {
    local rank

    for rank in 0 1; do
        samples "unnamed$rank" <<TEXT
process 10$rank
setting host host$rank
map 0x2000000 0x2100000 rw-p 0x0 - 
maps 100
end
thread 10$rank
fact name main$rank
books 1 1 0
sample $((3000 + rank)) 0x401000 0x2000000 dram LR 0 1
end
thread 20$rank
fact name worker$rank
books 1 1 0
sample $((4000 + rank)) 0x40200$rank 0x2000100 dram LR 0 1
end
TEXT
    done
    "$memphis" reduce unnamed0 -o unnamed.mprof
    run -0 paper --explain unnamed.mprof unnamed1
    expect '        0x2000000 in [mmap] by ?:0:0x401000, thread 101.101 main1 (process 101 on host host1), after 0.000003 s
        0x2000100 in [mmap] by ?:0:0x402001, thread 101.201 worker1 (process 101 on host host1), after 0.000004 s' "$(grep ' by ?' <<< "$output")"
}

@test "sample files and profiles are reported together" {
    "$memphis" reduce one/*10[0-2]* -o first.mprof
    "$memphis" report --format json one > samples.json
    "$memphis" report --format json first.mprof one/*10[34]* > mixed.json
    cmp <(jq -S 'del(.timeline, .heatmaps, .heatmaps_left_out)' samples.json) <(jq -S 'del(.timeline, .heatmaps, .heatmaps_left_out)' mixed.json)
    cmp <(paper one) <(paper one/*10[34]* first.mprof)
}

@test "a process in several profiles is refused" {
    run "$memphis" merge one.mprof one.mprof -o twice.mprof
    [ "$status" -eq 1 ]
    [[ "$output" == "memphis merge: "*"process 100 is in "* ]]
    [ ! -e twice.mprof ]
    run paper one one.mprof
    [ "$status" -eq 1 ]
    [[ "$output" == "memphis report: process 100 is in two of these profiles" ]]
    run "$memphis" merge one.mprof one-by-thread.mprof -o other.mprof
    [ "$status" -eq 1 ]
    [[ "$output" == *"reduce them alike" ]]
}

@test "a directory is read as its sample files, or else as its profiles" {
    mkdir -p both none
    cp one/* one.mprof both
    cmp <(paper both | masked) <(paper one | masked)
    run "$memphis" merge none -o out.mprof
    [ "$status" -eq 1 ]
    [ "$output" = "memphis merge: none: no profile (*.mprof), nor a directory of such; memphis reduce makes them from sample files" ]
    run "$memphis" merge one -o out.mprof
    [ "$status" -eq 1 ]
    [ ! -e out.mprof ]
}

@test "a foreign, truncated, newer or damaged profile is refused with the reason" {
    head -c 300 one.mprof > cut.mprof
    printf 'nothing of the kind\n' > foreign.mprof
    cp one.mprof newer.mprof
    printf '\x09' | dd of=newer.mprof bs=1 seek=8 conv=notrunc status=none
    cp one.mprof damaged.mprof
    printf 'xxxx' | dd of=damaged.mprof bs=1 seek=200 conv=notrunc status=none
    for case in 'cut:the file ends too early' 'foreign:no profile (.mprof): it begins otherwise' \
        'newer:a profile of version 9, and this memphis reads version 1' 'damaged:damaged: ' 'missing:cannot open: No such file'; do
        run paper "${case%%:*}.mprof"
        [ "$status" -eq 1 ]
        [[ "$output" == "memphis report: ${case%%:*}.mprof: "*"${case#*:}"* ]]
    done
}

@test "the tasks of a launcher merge a part of the profiles each" {
    mkdir -p pieces
    for rank in 0 1 2 3 4; do
        "$memphis" reduce one/*"$((100 + rank))"* -o "pieces/$rank.mprof"
    done
    for part in 0 1 2 3 4 5; do
        run -0 --separate-stderr "$memphis" merge --part "$part/6" pieces -o "parts-of-6-$part.mprof"
    done
    expect 'memphis merge: part 5 of 6 has no files' "$stderr"
    [ ! -e parts-of-6-5.mprof ]
    "$memphis" merge parts-of-6-*.mprof -o again.mprof
    cmp one.mprof again.mprof
    "$memphis" merge --part 1/2 pieces -o half.mprof
    expect '1 3' "$("$memphis" report --format json --select all half.mprof | jq -r '[.processes[].settings.rank] | sort | join(" ")')"
    for wrong in 2/2 1 x/2 1/2/3 -1/2 1/0 4294967296/4294967297; do
        run -2 --separate-stderr "$memphis" merge --part "$wrong" pieces -o never.mprof
        expect "memphis merge: --part: \"$wrong\" is not K/N with K from 0 to N - 1" "${stderr_lines[0]}"
    done
}

@test "a damaged profile of a rank costs this rank alone: it is named, and the report counts it" {
    rm -rf ranks
    mkdir ranks
    for rank in 0 1 2; do
        "$memphis" reduce one/*"$((100 + rank))"* -o "ranks/$rank.mprof"
    done
    "$memphis" merge ranks/0.mprof ranks/2.mprof -o two.mprof
    cp ranks/1.mprof good.mprof
    printf 'xxxx' | dd of=ranks/1.mprof bs=1 seek=200 conv=notrunc status=none
    run -0 --separate-stderr "$memphis" merge ranks -o job.mprof
    [[ "${stderr_lines[0]}" == "memphis: ranks/1.mprof: "*"damaged: "*"; left out" ]]
    expect 'memphis merge: note: 1 profile was damaged: left out, with all its samples; reduce the sample files again' "${stderr_lines[1]}"
    cmp <(paper two.mprof) <(paper job.mprof | grep -v '^note: 1 profile was damaged')
    expect 'note: 1 profile was damaged: left out, with all its samples; reduce the sample files again' "$(paper job.mprof | grep damaged)"
    head -c 150 good.mprof > ranks/1.mprof
    run -0 --separate-stderr "$memphis" report --format paper ranks
    expect 'memphis: ranks/1.mprof: offset 0x96: the file ends too early: cut off when it was copied?; left out' "$stderr"
    # Parts of a launcher hide nothing: part 1 has only the damaged one.
    cp two.mprof ranks/0.mprof
    rm ranks/2.mprof
    for part in 0 1; do
        "$memphis" merge --part "$part/2" ranks -o "piece-$part.mprof" 2> /dev/null
    done
    "$memphis" merge piece-?.mprof -o pieces.mprof 2> /dev/null
    "$memphis" merge ranks -o flat.mprof 2> /dev/null
    cmp flat.mprof pieces.mprof
    grep -q '^note: 1 profile was damaged' <(paper pieces.mprof)
    head -c 5000 /dev/zero > ranks/1.mprof
    run -0 --separate-stderr "$memphis" merge ranks -o zeros.mprof
    expect 'memphis: ranks/1.mprof: no profile (.mprof): it begins otherwise; left out' "${stderr_lines[0]}"
    cp ranks/1.mprof ranks/0.mprof
    cp ranks/1.mprof ranks/2.mprof
    run -1 --separate-stderr "$memphis" merge ranks -o none.mprof
    expect 'memphis merge: all 3 profiles are damaged' "${stderr_lines[-1]}"
    [ ! -e none.mprof ]
}

@test "a profile is written completely or not at all, and a full disk is reported" {
    printf 'what was there\n' > kept.mprof
    run "$memphis" merge one.mprof newer.mprof -o kept.mprof
    [ "$status" -eq 1 ]
    [ "$(cat kept.mprof)" = 'what was there' ]
    run "$memphis" reduce one -o /dev/full
    [ "$status" -eq 1 ]
    [ "$output" = "memphis reduce: /dev/full: cannot write: No space left on device" ]
    run "$memphis" reduce one -o "$PWD/no/such/place.mprof"
    [ "$status" -eq 1 ]
    [[ "$output" == *"/no/such/place.mprof: cannot write: No such file or directory" ]]
    [ -z "$(find . -name '*.mprof.*')" ]
    (umask 027; "$memphis" reduce one -o mode.mprof)
    [ "$(stat -c %a mode.mprof)" = 640 ]
}

@test "each node of a cluster reduces its own files, and one machine merges the profiles" {
    # Like `srun --ntasks-per-node=1 memphis reduce`: each task has its own directory, and all run at the same time.
    rm -rf shared
    mkdir shared
    for host in all/*; do
        "$memphis" reduce "$host" -o "shared/${host##*/}.mprof" &
    done
    wait
    "$memphis" merge shared -o job.mprof
    paper all/* > samples.txt
    cmp samples.txt <(paper job.mprof)
    grep -qx 'samples: 45 of 65 are remote-dram' samples.txt
    [ "$(jq -r '[.processes[].settings.host] | join(" ")' <("$memphis" report --format json job.mprof))" = "host00 host01 host02 host03 host04" ]
}

@test "a profile of any number of processes has the findings of all of them, for any selection" {
    distant many 20
    "$memphis" reduce many/all -o many.mprof
    for kind in remote-dram dram remote all hitm; do
        cmp <(paper --select "$kind" many/all) <(paper --select "$kind" many.mprof)
    done
    expect 'finding: [heap]:tx lies on other nodes than those that use it: 0x1000000-0x100da00 are on node 1 and used by node 0: 4190 samples, 100.0 % of the loads from other nodes'"'"' memory (95 % CI 99.9 to 100.0), in 20 of 20 processes, 100 % in region TimeLoop' \
        "$(paper many.mprof | grep '^finding: ')"
    expect '["partition-mismatch","tx",4190,319,20]' "$("$memphis" report --format json many.mprof | jq -c '.findings[] | [.pattern, .variable, .samples, .evidence.pid, .evidence.processes]')"
    # Merge some of the parts, in any order.
    for rank in 7 19 0 12 3; do
        "$memphis" reduce many/part"$rank" -o "many-$rank.mprof"
    done
    "$memphis" merge many-{7,19,0}.mprof -o first.mprof
    "$memphis" merge many-{12,3}.mprof first.mprof -o some.mprof
    grep -q 'in 5 of 5 processes' <(paper some.mprof)
    "$memphis" reduce --by thread many/all -o by-thread.mprof
    cmp <(paper --process 307 many/all) <(paper --process 307 by-thread.mprof)
    grep -q '^finding: \[heap\]:tx .* 207 samples' <(paper --process 307 by-thread.mprof)
}

@test "a profile of more than 16 processes has the heatmap of the worst one, and the report counts what is missing" {
    distant many 20
    "$memphis" reduce many/all -o many.mprof
    expect '["19"]' "$("$memphis" report --format json --select all many.mprof | jq -c '[.heatmaps[].rank]')"
    expect '[1,19,19]' "$("$memphis" report --format json --select all many.mprof | jq -c '[(.heatmaps | length), .heatmaps_left_out.heatmaps, .heatmaps_left_out.processes]')"
    expect '[20,0,0]' "$("$memphis" report --format json --select all many/all | jq -c '[(.heatmaps | length), .heatmaps_left_out.heatmaps, .heatmaps_left_out.processes]')"
    paper --by field many.mprof > fields
    grep -q '^note: members come from heatmaps of variables, and 20 of these, of 20 processes, are not in the profile: of more than 16 processes it keeps the worst one'"'"'s for each finding, and only for the samples that it was reduced with;' fields
    paper --node 0 many.mprof > node
    grep -qx 'note: no findings for 20 of 20 processes: a profile has them only for all nodes and regions together; a report on the sample files has them for --node and --region, too' node
    run ! grep -q '^finding: ' node
    # A profile of few processes has the heatmaps.
    distant few 3
    "$memphis" reduce few/all -o few.mprof
    expect '[3,0,0]' "$("$memphis" report --format json --select all few.mprof | jq -c '[(.heatmaps | length), .heatmaps_left_out.heatmaps, .heatmaps_left_out.processes]')"
}

@test "groups have the same names in CSV as in the text" {
    groups() { "$memphis" report --format csv --select all "$@" one | python3 -c 'import csv, sys; print("; ".join(sorted({row["group"] for row in csv.DictReader(sys.stdin)})))'; }
    expect '(outside any caliper); TimeLoop; TimeLoop > Bound' "$(groups --by region)"
    expect 'rank 0 on host host00: 100.100; rank 1 on host host01: 101.101; rank 2 on host host02: 102.102; rank 3 on host host03: 103.103; rank 4 on host host04: 104.104' "$(groups --by thread)"
    expect '0; 1' "$(groups --by home)"
}

@test "a usage error names the missing argument" {
    for command in reduce merge export; do
        run "$memphis" "$command"
        [ "$status" -eq 2 ]
        [[ "$output" == *"run 'memphis $command --help' for usage" ]]
        run "$memphis" "$command" --help
        [ "$status" -eq 0 ]
        [[ "$output" == "usage: memphis $command "* ]]
    done
    run "$memphis" reduce one
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "memphis reduce: no output; give -o FILE" ]
}
