#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Truncated, damaged, foreign and missing files. If these tests fail, `memphis report` crashes on such files, or reports no error.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup_file() {
    build_tools
    make -s -C "$root/tests/unit/postproc" BUILD="$root/build" tool
    cd -P "$BATS_FILE_TMPDIR"
    samples good <<'TEXT'
process 100
setting alloc_min_bytes 4096
node 0 1024 0-1 10,21
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
region 1 0 TimeLoop
holder 2000 0x5000 0x1000000
loss write_errors 0
end
thread 100
fact name model
stack 1 0x401000 0x402000
malloc 1000 0x1000000 8192 1
name 1001 0x1000000 8192 tx
repeat 3 8 sample 2000 0x401000 0x1000000 dram LR 0 1 1
books 4 3 0 1=1
end
TEXT
    samples shared <<'TEXT'
process 100
setting alloc_min_bytes 4096
node 0 1024 0-1 10,21
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
region 1 0 TimeLoop
end
ended
member 101
fact name first
stack 1 0x401000 0x402000
malloc 1000 0x1000000 8192 1
repeat 3 8 sample 2000 0x401000 0x1000000 dram LR 0 1 1
books 3 3 0
end
member 102
fact name second
stack 1 0x403000
malloc 1000 0x1010000 4096 1
repeat 2 8 sample 2000 0x401000 0x1010000 dram LR 0 1 1
books 2 2 0
end
end
TEXT
    printf 'T' > tiny
}

setup() {
    cd -P "$BATS_FILE_TMPDIR"
    # With sanitizers, a finding gives an exit status other than 1.
    tool=$root/build/unit/postproc/memphis
    thread=good/host.100.100.thread.memphis
    process=good/host.100.process.memphis
    damage='the file is damaged or was cut short; take a fresh copy from where it was recorded'
}

# report_with FILE: reports on a copy of the good files, with FILE replaced by standard input.
report_with() {
    rm -rf bad
    mkdir bad
    cp good/* bad/
    cat > "bad/${1##*/}"
    run --separate-stderr "$tool" report bad
}

@test "the good files are reported" {
    run --separate-stderr "$tool" report --full good
    [ "$status" -eq 0 ]
    grep -qx 'NODE 0: 3 samples, 100.0 % of those selected' <<< "$output"
}

# damaged_copies cut|flip TOOL STEP: reports on copies of the good files, damaged at every STEPth byte. A cut between two
# chunks, or at offset 0, equals a killed writer; a flipped padding bit has no effect; anything else must be an error.
damaged_copies() {
    python3 - "$@" "$thread" "$process" <<'PYTHON'
import os, re, subprocess, sys
how, tool, step, files = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
os.makedirs("damaged", exist_ok=True)
for path in files:
    data = open(path, "rb").read()
    other = [f for f in files if f != path][0]
    dump = subprocess.run([tool, "dump", path], capture_output=True, text=True, check=True).stdout
    chunks = [(int(o, 16), int(b)) for o, b in re.findall(r"^chunk .*offset=(0x\w+) bytes=(\d+)", dump, re.M)]
    assert len(chunks) > 6
    ends = [64] + [o + 24 + (b + 7 & ~7) for o, b in chunks]
    padding = {at for o, b in chunks for at in range(o + 24 + b, o + 24 + (b + 7 & ~7))}
    wanted = set(range(0, len(data), step)) | {at for end in ends for at in (end - 1, end, end + 1) if at < len(data)}
    for at in sorted(wanted):
        copy = bytearray(data[:at] if how == "cut" else data)
        if how == "flip":
            copy[at] ^= 1 << at % 8
        name = "damaged/" + os.path.basename(path)
        open(name, "wb").write(copy)
        run = subprocess.run([tool, "report", "--format", "paper", name, other], capture_output=True, text=True)
        if how == "cut" and not at and ".thread." in name:
            assert run.returncode == 0 and "note: 1 sample file is empty: ignored; " in run.stdout, run
        elif how == "cut" and not at:
            assert run.returncode == 1 and "process 100 was not given, or is empty; " in run.stderr, run
        elif how == "cut" and at in ends[:-1]:
            assert run.returncode == 0 and "note: process 100 was killed or still runs: " in run.stdout, (at, run)
        elif how == "flip" and at in padding:
            assert run.returncode == 0 and run.stdout.startswith("NODE: 0 total: 3\n"), (at, run)
        else:
            assert run.returncode == 1 and not run.stdout, (path, at, run)
            assert re.match("memphis report: %s: offset 0x[0-9a-f]+: .*; " % name, run.stderr), (path, at, run)
    print(path, len(wanted))
PYTHON
}

@test "a file that is cut anywhere is refused with the offset, or reported as not closed if it is cut between chunks" {
    damaged_copies cut "$memphis" 1
}

@test "one flipped bit at any offset is detected, with the offset" {
    damaged_copies flip "$memphis" 1
}

# damaged_members cut|flip TOOL STEP: the same with a file of two ended threads. A cut between them, or before its end chunk, equals a killed
# writer; at its beginning, an empty file.
damaged_members() {
    python3 - "$@" shared/host.100.ended.memphis shared/host.100.process.memphis <<'PYTHON'
import os, re, subprocess, sys
how, tool, step, path, other = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
os.makedirs("damaged", exist_ok=True)
name = "damaged/" + os.path.basename(path)
data = open(path, "rb").read()
dump = subprocess.run([tool, "dump", path], capture_output=True, text=True, check=True).stdout
chunks = [(t, int(o, 16), int(b)) for t, o, b in re.findall(r"^chunk type=(\S+) offset=(0x\w+) bytes=(\d+)", dump, re.M)]
members = [o + 24 for t, o, b in chunks if t == "end"]
assert len(members) == 2 and members[1] + 24 == len(data), (members, len(data))
padding = {at for t, o, b in chunks for at in range(o + 24 + b, o + 24 + (b + 7 & ~7))}
wanted = set(range(0, len(data), step)) | {at for end in [64] + members for at in (end - 1, end, end + 1)}
for at in sorted(wanted):
    copy = bytearray(data[:at] if how == "cut" else data)
    if how == "flip":
        copy[at] ^= 1 << at % 8
    open(name, "wb").write(copy)
    run = subprocess.run([tool, "report", "--format", "paper", name, other], capture_output=True, text=True)
    if how == "cut" and at in (0, 64):
        assert run.returncode == 0 and "note: 1 sample file is empty: ignored; " in run.stdout, (at, run)
    elif how == "cut" and at in members:
        assert run.stdout.startswith("NODE: 0 total: %d\n" % (3 if at == members[0] else 5)), (at, run)
        assert "note: process 100 was killed or still runs: the files of 1 of %d threads were not closed; " % (1 + members.index(at)) in run.stdout, (at, run)
    elif how == "flip" and at in padding:
        assert run.returncode == 0 and run.stdout.startswith("NODE: 0 total: 5\n"), (at, run)
    else:
        assert run.returncode == 1 and not run.stdout, (at, run)
        assert re.match("memphis report: %s: offset 0x[0-9a-f]+: .*; " % name, run.stderr), (at, run)
PYTHON
}

# bats test_tags=more
@test "a file of ended threads is reported with all of them, and refused or reported as not closed if it is cut anywhere" {
    run --separate-stderr "$tool" report --full shared
    [ "$status" -eq 0 ]
    grep -qx 'run:         1 process, 2 threads' <<< "$output"
    grep -qx 'NODE 0: 5 samples, 100.0 % of those selected' <<< "$output"
    grep -qx 'books: 5 interrupts = 5 kept + 0 lost + 0 filtered' <<< "$output"
    run ! grep '^note: ' <<< "$output"
    damaged_members cut "$memphis" 1
}

# bats test_tags=more
@test "one flipped bit in a file of ended threads is detected, with the offset" {
    damaged_members flip "$memphis" 1
}

@test "errors name what is wrong in a file of ended threads" {
    local shared=shared/host.100.ended.memphis second
    # The second thread begins behind the first end chunk.
    second=$(printf '%d' "$("$tool" dump "$shared" | sed -n 's/^chunk type=end offset=\(0x[0-9a-f]*\) .*/\1/p' | head -n 1)")
    second=$((second + 24))
    mkdir -p mixed
    cp shared/host.100.process.memphis mixed/
    { head -c "$second" "$shared"; echo 'a line of text, long enough to be a header of a thread in this file'; } > mixed/host.100.ended.memphis
    run --separate-stderr "$tool" report mixed
    [ "$status" -eq 1 ]
    expect "memphis report: mixed/host.100.ended.memphis: offset 0x$(printf %x "$second"): no thread begins here; $damage" "$stderr"
    { head -c $((second + 30)) "$shared"; } > mixed/host.100.ended.memphis
    run --separate-stderr "$tool" report mixed
    expect "memphis report: mixed/host.100.ended.memphis: offset 0x$(printf %x $((second + 30))): the file ends inside a thread's header; $damage" "$stderr"
    { head -c $((second + 64)) "$shared"; } > mixed/host.100.ended.memphis
    run --separate-stderr "$tool" report mixed
    expect "memphis report: mixed/host.100.ended.memphis: offset 0x$(printf %x $((second + 64))): the file ends before the thread does; $damage" "$stderr"
    # A writer that was killed leaves zeros in place of the header.
    { head -c "$second" "$shared"; head -c 24 /dev/zero; tail -c +$((second + 25)) "$shared"; } > mixed/host.100.ended.memphis
    run --separate-stderr "$tool" report --full mixed
    [ "$status" -eq 0 ]
    grep -qx 'NODE 0: 3 samples, 100.0 % of those selected' <<< "$output"
    grep -q '^note: process 100 was killed or still runs: the files of 1 of 1 threads were not closed; ' <<< "$output"
}

# bats test_tags=more
@test "damaged files cause no sanitizer finding" {
    damaged_members cut "$tool" 41
    damaged_members flip "$tool" 41
    damaged_copies cut "$tool" 41
    damaged_copies flip "$tool" 41
}

@test "errors identify foreign, empty and missing files" {
    report_with "$thread" < /bin/true
    [ "$status" -eq 1 ]
    expect "memphis report: bad/host.100.100.thread.memphis: offset 0x0: not a Memphis sample file; give files named *.memphis, or the directory that holds them" "$stderr"
    report_with "$thread" < tiny
    [ "$status" -eq 1 ]
    expect "memphis report: bad/host.100.100.thread.memphis: offset 0x0: not a Memphis sample file; give files named *.memphis, or the directory that holds them" "$stderr"
    mkdir -p nothing
    run --separate-stderr "$tool" report nothing
    [ "$status" -eq 1 ]
    expect "memphis report: nothing: no sample files (*.memphis) here; was the program sampled? it says on stderr why not" "$stderr"
    run --separate-stderr "$tool" report nowhere
    [ "$status" -eq 1 ]
    expect "memphis report: nowhere: cannot open: No such file or directory" "$stderr"
    run --separate-stderr "$tool" report /dev/null
    [ "$status" -eq 1 ]
    expect "memphis report: /dev/null: not a regular file; give sample files (*.memphis) or directories" "$stderr"
}

@test "all commands skip empty files and directories, with a note" {
    local passed_over='2 sample files are empty, 1 directory has no sample files: ignored; the writer was killed before it wrote, or the copy failed (find DIR -empty lists them)'

    rm -rf bad none
    mkdir bad none
    cp good/* bad/
    : > bad/host.100.101.thread.memphis
    : > bad/host.99.process.memphis
    run --separate-stderr "$tool" report --format paper none bad
    [ "$status" -eq 0 ]
    expect "$("$tool" report --format paper good; echo "note: $passed_over")" "$output"
    [ -z "$stderr" ]
    run --separate-stderr "$tool" report --format paper bad/* none
    expect "$("$tool" report --format paper good; echo "note: $passed_over")" "$output"
    # The note goes to standard error if the format has no place for notes.
    run --separate-stderr "$tool" report --format csv bad none
    [ "$status" -eq 0 ]
    expect "$("$tool" report --format csv good)" "$output"
    expect "memphis report: note: $passed_over" "$stderr"
    for command in 'export --format csv' reduce; do
        # shellcheck disable=SC2086
        run --separate-stderr "$tool" $command bad none -o out.mprof
        [ "$status" -eq 0 ]
        expect "memphis ${command%% *}: note: $passed_over" "$stderr"
    done
    # Profiles store the note's counts, and merge adds them.
    cmp <("$tool" report --full bad none) <("$tool" report --full out.mprof)
    samples other <<'TEXT'
process 200
maps 5
end
TEXT
    : > other/host.200.200.thread.memphis
    "$tool" reduce other -o other.mprof
    "$tool" merge out.mprof other.mprof -o sum.mprof
    run --separate-stderr "$tool" report --full sum.mprof
    grep -q '^note: 3 sample files are empty, 1 directory has no sample files: ignored; ' <<< "$output"
    run --separate-stderr "$tool" compare good bad
    [ "$status" -eq 0 ]
    expect 'memphis compare: bad: note: 2 sample files are empty: ignored; the writer was killed before it wrote, or the copy failed (find DIR -empty lists them)' "$stderr"
    run --separate-stderr "$tool" dump bad/host.100.101.thread.memphis "$process"
    [ "$status" -eq 0 ]
    expect 'empty path=bad/host.100.101.thread.memphis' "${lines[0]}"
    [[ ${lines[1]} = "file path=$process kind=process "* ]]
}

@test "an input of empty files only is an error" {
    rm -rf bad none
    mkdir bad none
    : > bad/host.100.process.memphis
    run --separate-stderr "$tool" report bad
    [ "$status" -eq 1 ]
    expect 'memphis report: bad/host.100.process.memphis: offset 0x0: the file is empty; the recorded process did not get to write it, or the copy failed' "$stderr"
    : > bad/host.101.process.memphis
    run --separate-stderr "$tool" report none bad
    [ "$status" -eq 1 ]
    expect 'memphis report: none: all 2 sample files are empty; the recorded processes did not get to write them, or the copy failed' "$stderr"
}

@test "errors name the offset and the reason" {
    report_with "$thread" < <(head -c 30 "$thread")
    expect "memphis report: bad/host.100.100.thread.memphis: offset 0x1e: the file ends inside its header; $damage" "$stderr"
    report_with "$thread" < <(head -c 70 "$thread")
    expect "memphis report: bad/host.100.100.thread.memphis: offset 0x40: the file ends inside a chunk header; $damage" "$stderr"
    report_with "$thread" < <(head -c 90 "$thread")
    expect "memphis report: bad/host.100.100.thread.memphis: offset 0x40: the file ends inside this chunk; $damage" "$stderr"
    report_with "$thread" < <(head -c 64 "$thread"; echo 'a line of text, long enough to be a chunk')
    expect "memphis report: bad/host.100.100.thread.memphis: offset 0x40: no chunk begins here; $damage" "$stderr"
    report_with "$thread" < <(cat "$thread"; echo more)
    expect "memphis report: bad/host.100.100.thread.memphis: offset 0x$(printf %x "$(stat -c %s "$thread")"): data after the end chunk; $damage" "$stderr"
}

@test "an error is one line without terminal escape sequences, for any file name" {
    rm -rf odd
    mkdir odd
    printf 'T' > odd/$'a\e[31m\nb.memphis'
    run --separate-stderr "$tool" report odd
    [ "$status" -eq 1 ]
    expect 'memphis report: odd/a?[31m?b.memphis: offset 0x0: not a Memphis sample file; give files named *.memphis, or the directory that holds them' "$stderr"
}

@test "a thread without its process, and a duplicate file, are refused" {
    run --separate-stderr "$tool" report "$thread"
    [ "$status" -eq 1 ]
    expect "memphis report: good/host.100.100.thread.memphis: the process file (*.process.memphis) of this thread's process 100 was not given; give the whole directory" "$stderr"
    run --separate-stderr "$tool" report good "$thread"
    [ "$status" -eq 1 ]
    expect "memphis report: good/host.100.100.thread.memphis: offset 0x10: the same thread of the same run as good/host.100.100.thread.memphis; give each file once" "$stderr"
    run --separate-stderr "$tool" report good "$process"
    [ "$status" -eq 1 ]
    expect "memphis report: good/host.100.process.memphis: offset 0x10: a process file of the same run as good/host.100.process.memphis; give each file once" "$stderr"
}

@test "intact chunks with invalid content are refused; unknown chunks are skipped" {
    samples odd <<'TEXT'
process 100
map 0x1000 nonsense
maps 5
end
TEXT
    run --separate-stderr "$tool" report odd
    [ "$status" -eq 1 ]
    expect 'memphis report: odd/host.100.process.memphis: offset 0x40: the maps chunk is malformed: line 2 of the list of maps is malformed; the file is damaged, or its writer has a defect: please report it' "$stderr"
    samples odd <<'TEXT'
process 100
chunk 19 0 0 no region has number 0
end
TEXT
    run --separate-stderr "$tool" report odd
    [ "$status" -eq 1 ]
    expect 'memphis report: odd/host.100.process.memphis: offset 0x40: the regions chunk is malformed; the file is damaged, or its writer has a defect: please report it' "$stderr"
    samples odd <<'TEXT'
process 100
chunk 300 anything
setting unheard_of value
maps 5
end
thread 1
chunk 301 anything
end
TEXT
    run --separate-stderr "$tool" report odd
    [ "$status" -eq 0 ]
}

@test "wrong usage gives status 2 and an explanation" {
    while IFS='|' read -r arguments message; do
        # shellcheck disable=SC2086
        run --separate-stderr "$tool" $arguments
        [ "$status" -eq 2 ] || { echo "$arguments: $status"; false; }
        expect "$message" "${stderr_lines[0]}"
    done <<'TEXT'
report|memphis report: no sample files; give the directory that holds them
report --select nonsense good|memphis report: --select: no kind "nonsense"; memphis report --help lists them
report --top x good|memphis report: --top: "x" is not a number
report --top -1 good|memphis report: --top: "-1" is not a number
report --format xml good|memphis report: --format: "xml" is not one of text, paper, json, html, csv
nonsense|memphis: no command "nonsense"; memphis --help lists them
TEXT
    run "$tool" report --nonsense good
    [ "$status" -eq 2 ]
    run "$tool"
    [ "$status" -eq 2 ]
}

@test "help and version are printed on request" {
    for command in --help 'report --help' 'record --help' 'dump --help'; do
        # shellcheck disable=SC2086
        run --separate-stderr "$tool" $command
        [ "$status" -eq 0 ]
        [[ $output = 'usage: memphis '* ]]
        [ -z "$stderr" ]
    done
    run "$tool" --version
    [[ ${lines[0]} =~ ^memphis\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
    [[ ${lines[1]} =~ ^tool\ with:\ [a-z0-9,]+$ ]]
    [[ ${lines[2]} = 'library: '* ]]
    [ "${#lines[@]}" -eq 3 ]
}

@test "an error about a long path contains the reason" {
    local path=$BATS_TEST_TMPDIR

    while [ "${#path}" -lt 1500 ]; do
        path+=/$(printf '%0100d' 0)
    done
    mkdir -p "$path"
    printf '%064d' 0 > "$path/host.1.process.memphis"
    run -1 --separate-stderr "$memphis" report --full "$path"
    [[ "$stderr" == "memphis report: $path/host.1.process.memphis: offset 0x0: not a Memphis sample file"* ]]
}

# callers_of LINE...: reports on a thread file with two samples and these lines after them.
callers_of() {
    { printf '%s\n' 'process 100' 'end' 'thread 100' 'chain 1 0x401005' 'repeat 2 8 sample 2000 0x401000 0x1000000 dram LR 0 1'
      printf '%s\n' "$@" 'books 2 2 0' end; } | samples wrong
    run --separate-stderr "$tool" report wrong
}

@test "callers and frames that do not fit the chains, the frames and the samples of the file" {
    local at='memphis report: wrong/host.100.100.thread.memphis: offset' what='chunk is malformed'
    local which lines reason why='the file is damaged, or its writer has a defect: please report it'

    callers_of 'callers 1 chain 1'
    [ "$status" -eq 0 ]
    while IFS='|' read -r which lines reason; do
        # shellcheck disable=SC2086  # one line of the description for each word
        IFS=';' && callers_of $lines && unset IFS
        [ "$status" -eq 1 ]
        grep -qxE "$at 0x[0-9a-f]+: the $which $what: $reason; $why" <<< "$stderr" || {
            echo "$lines: $stderr"
            return 1
        }
    done <<'TEXT'
callers|callers 0 chain 2|entry 1 refers to id 2, which is not defined before
callers|callers 0 chain 0|entry 1 refers to id 0, which is not defined before
callers|callers 0 chain 1;callers 0 unknown 8|entry 2 has the unknown reason 8
callers|callers 0 unknown 0|entry 1 has the unknown reason 0
callers|callers 2 chain 1|entry 1 is for a sample beyond the 2 samples of the chunk before it
callers|callers 1 chain 1;callers 0 chain 1|entry 2 is for a sample beyond the 2 samples of the chunk before it
callers|callers 0 chain 1;flush;callers 0 chain 1|it is the second one for the same samples
chains|chain 1 0x401005|id 1 is not above the one before it
chains|chain 2|chain 2 has 0 callers
in-frames|in_frame 0 1|entry 1 refers to id 1, which is not defined before
in-frames|frame 1 1 2 3 4 0;sample 2000 0x401000 0x1000000 dram LR 0 1;in_frame 1 1|entry 1 is for a sample beyond the 1 samples of the chunk before it
frames|frame 1 1 2 3 4 0;flush;frame 1 1 2 3 4 0|id 1 is not above the one before it
frames|frame 1 1 2 3 4|frame 1 has 4 words
TEXT
    printf '%s\n' 'process 100' 'end' 'thread 100' 'chain 1 0x401005' 'callers 0 chain 1' end | samples wrong
    run --separate-stderr "$tool" report wrong
    [ "$status" -eq 1 ]
    expect "$at 0x68: the callers $what: no samples precede it; $why" "$stderr"
}
