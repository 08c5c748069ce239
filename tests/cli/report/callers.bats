#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Callers of samples in libraries. If these tests fail, a sample in a library has no line of the program, or a wrong one.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

# ret MARK [N]: prints the return address of the Nth call on the marked line of the program; lib MARK: of the library.
ret()
{
    echo "p^callers.c:$(line callers.c "// $1")#${2:-1}"
}

lib()
{
    echo "l^callers_library.c:$(line callers_library.c "// $1")#1"
}

# at MARK: prints the address of the library's marked line.
at()
{
    echo "l@callers_library.c:$(line callers_library.c "// $1")"
}

# describe LIBRARY LINE...: prints a process and thread with these lines after the maps.
describe()
{
    printf '%s\n' 'process 100' 'setting stack_bytes 4096' "setting executable $PWD/callers" \
        "object p $PWD/callers 0" "object l $PWD/$1 0x7f0000000000" 'maps 100' end 'thread 100'
    shift
    printf '%s\n' "$@" end
}

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    cp "$programs/callers.c" "$programs/callers_library.c" .
    gcc -g -O2 -fPIC -shared -Wl,-soname,libcallers.so.0 -o libcallers.so.0 callers_library.c
    gcc -g -O2 -no-pie -o callers callers.c ./libcallers.so.0
    describe libcallers.so.0 \
        "chain 1 $(lib 'calls copy') $(ret exchanges) $(ret 'step 1')" \
        "chain 2 $(lib 'calls copy') $(ret relaxes) $(ret 'step 2')" \
        "repeat 60 8 sample 2000 $(at copies) p!halo dram LR 0 1" \
        "repeat 30 8 sample 3000 $(at copies) p!halo dram LR 0 1" \
        "repeat 10 8 sample 4000 $(at copies) p!halo dram LR 0 1" \
        "sample 5000 p!solve p!halo dram LR 0 1" \
        "$(for _ in {1..60}; do echo 'callers 0 chain 1'; done)" \
        "$(for _ in {1..30}; do echo 'callers 0 chain 2'; done)" \
        "$(for _ in {1..5}; do echo 'callers 0 unknown 5'; done)" \
        "$(for _ in {1..5}; do echo 'callers 0 unknown 1'; done)" \
        'books 101 101 0' | samples run
}

setup() {
    cd -P "$BATS_FILE_TMPDIR"
    copies=$(line callers_library.c '// copies')
}

# rows DIRECTORY [OPTION...]: prints count and place of the rows of instructions.
rows()
{
    "$memphis" report --format json "${@:2}" "$1" |
        jq -r '.nodes[].variables[].instructions[] | "\(.count) \(.file):\(.line) \(.function) via \(.callers.via)"'
}

@test "rows have the program's line and the library's function" {
    expect "60 callers.c:$(line callers.c '// exchanges') exchange via library_copy
30 callers.c:$(line callers.c '// relaxes') relax via library_copy
10 callers_library.c:$copies copy via null
1 callers.c:$(($(line callers.c 'int solve') + 1)) solve via null" "$(rows run)"
}

@test "text" {
    run -0 "$memphis" report --full run
    expect "       60   59.4 %    callers.c:$(line callers.c '// exchanges') (exchange) via library_copy
       30   29.7 %    callers.c:$(line callers.c '// relaxes') (relax) via library_copy" \
        "$(grep '%.* via ' <<< "$output" | sed 's/  *0x.*//')"
    expect "callers: 90 of 100 samples in libraries (90.0 %) have a line of the program that called them
    lost 5 (5.0 %): the ring of stacks was full; to do: record again with a larger --ring-records,
        or a longer --period
    short 5 (5.0 %): the program's frame lies beyond the copied part of the stack; to do: record
        again with a larger MEMPHIS_CALLERS" "$(sed -n '/^callers:/,/^books/p' <<< "$output" | grep -v ^books)"
}

# one NAME LIBRARY LINE...: makes samples in NAME: one sample in the library for each LINE, which begins with the sample's place and a
# slash, followed by the return addresses of its chain.
one()
{
    local name=$1 library=$2 number=0 chains=() samples=() callers=() each

    shift 2
    for each; do
        number=$((number + 1))
        chains+=("chain $number ${each#*/}")
        samples+=("sample $((2000 + number)) ${each%%/*} p!halo dram LR 0 1")
        callers+=("callers 0 chain $number")
    done
    describe "$library" "${chains[@]}" "${samples[@]}" "${callers[@]}" "books $number $number 0" | samples "$name"
}

@test "a chain is cut before a return address that follows no call" {
    # The outer frame is no return address: the program's first frame stays.
    one cut libcallers.so.0 "$(at copies)/$(lib 'calls copy') $(ret relaxes) p!main"
    expect "1 callers.c:$(line callers.c '// relaxes') relax via library_copy" "$(rows cut)"
    expect 1 "$("$memphis" report --format json cut | jq '[.nodes[].variables[].instructions[].callers.chains[].frames[] | select(.program)] | length')"
    # Inside an instruction; data; outside every map; the library's code before a wrong address of the program.
    for each in "$(lib 'calls copy')+1 $(ret relaxes)" "p!field $(ret relaxes)" "0x10 $(ret relaxes)" "$(lib 'calls copy') p!solve"; do
        one wrong libcallers.so.0 "$(at copies)/$each"
        expect "1 callers_library.c:$copies copy via null" "$(rows wrong)"
        expect 1 "$("$memphis" report --format json wrong | jq .accounting.callers.check)"
    done
}

@test "a direct call must be one of the function inside, or of one that ends in a jump" {
    # copy() is not called by the call of clear().
    one other libcallers.so.0 "$(at copies)/$(lib 'calls clear') $(ret empties)"
    expect "1 callers_library.c:$copies copy via null" "$(rows other)"
    # forward() jumps to copy(), and is not on the stack.
    one tail libcallers.so.0 "$(at copies)/$(lib 'calls forward') $(ret forwards)"
    expect "1 callers.c:$(line callers.c '// forwards') relax via library_forward" "$(rows tail)"
    # clear() jumps nowhere.
    one other libcallers.so.0 "$(at copies)/$(lib 'calls clear') $(ret empties)"
    expect 1 "$("$memphis" report --format json other | jq .accounting.callers.check)"
    # solve() does not call main().
    one outer libcallers.so.0 "$(at copies)/$(lib 'calls copy') $(ret exchanges) $(ret 'step 2')"
    expect 'exchange solve' "$("$memphis" report --format json outer | jq -r '[.nodes[].variables[].instructions[].callers.chains[].frames[].function] | map(select(. == ("exchange", "solve", "main"))) | join(" ")')"
}

@test "a function that has two names has the one by which the program calls it" {
    one names libcallers.so.0 "$(at copies)/$(lib 'calls copy') $(ret moves)" "$(at copies)/$(lib 'calls copy') $(ret relaxes)"
    expect "1 callers.c:$(line callers.c '// relaxes') relax via library_copy
1 callers.c:$(line callers.c '// moves') relax via library_move" "$(rows names | sort)"
    # A profile keeps the names, without the binaries.
    "$memphis" reduce -o names.mprof names
    expect "$(rows names)" "$(rows names.mprof)"
    # Called through the word that the dynamic linker fills
    mkdir -p no-plt
    gcc -g -O2 -no-pie -fno-plt -Wl,-rpath,"$PWD" -o no-plt/callers callers.c ./libcallers.so.0
    { printf '%s\n' 'process 100' "setting executable $PWD/no-plt/callers" "object p $PWD/no-plt/callers 0" \
        "object l $PWD/libcallers.so.0 0x7f0000000000" 'maps 100' end 'thread 100' \
        "chain 1 $(lib 'calls copy') $(ret moves)" "sample 2000 $(at copies) p!halo dram LR 0 1" 'callers 0 chain 1' 'books 1 1 0' end
    } | samples indirect
    expect "1 callers.c:$(line callers.c '// moves') relax via library_move" "$(rows indirect)"
}

@test "libraries without debug information and symbols: functions by .eh_frame, names by the dynamic symbols" {
    strip -o stripped.so.0 libcallers.so.0
    one full libcallers.so.0 "$(at sets)/$(ret fills)" "$(at copies)/$(lib 'calls copy') $(ret relaxes)" \
        "$(at copies)/$(lib 'calls clear') $(ret empties)"
    # The same files, with the stripped library in its place.
    mkdir -p bare
    cp stripped.so.0 bare/libcallers.so.0
    expect "1 callers.c:$(line callers.c '// relaxes') relax via library_copy
1 callers.c:$(line callers.c '// fills') relax via library_set
1 libcallers.so.0:0 null via null" "$(rows full --binaries "$PWD/bare" | sort)"
}

@test "further objects can be the program's own" {
    { printf '%s\n' 'process 100' "setting executable $PWD/callers" "setting program_code /nowhere:$PWD/lib:$PWD/libcallers.so.0" \
        "object p $PWD/callers 0" "object l $PWD/libcallers.so.0 0x7f0000000000" 'maps 100' end 'thread 100' \
        "chain 1 $(lib 'calls copy') $(ret relaxes)" "sample 2000 $(at copies) p!halo dram LR 0 1" 'callers 0 chain 1' 'books 1 1 0' end
    } | samples own
    expect "1 callers_library.c:$(line callers_library.c '// calls copy') library_copy via copy" "$(rows own)"
}

@test "rows of lines and functions have the program's line, and CSV the function of the library" {
    expect "60 callers.c:$(line callers.c '// exchanges')
30 callers.c:$(line callers.c '// relaxes')
10 callers_library.c:$copies
1 callers.c:$(($(line callers.c 'int solve') + 1))" \
        "$("$memphis" report --by line --format json run | jq -r '.nodes[].variables[].instructions[] | "\(.count) \(.file):\(.line)"')"
    "$memphis" export --format csv -o run.csv run
    expect 'library_copy|library_copy||' "$(python3 -c 'import csv; print(*(row["via"] for row in csv.DictReader(open("run.csv", newline=""))), sep="|")')"
}

@test "a saved profile keeps the chains" {
    "$memphis" reduce -o run.mprof run
    expect "$(rows run)" "$(rows run.mprof)"
    # A profile has the parts of arrays only for the selection that it was reduced with.
    without='del(.nodes[].variables[].part) | .nodes, .accounting.callers'
    diff <("$memphis" report --format json run | jq "$without") <("$memphis" report --format json run.mprof | jq "$without")
    # Merged with another run, whose rows come first.
    printf '%s\n' 'process 99' "object p $PWD/callers 0" 'maps 100' end 'thread 99' 'sample 2000 p!main p!field dram LR 0 1' 'books 1 1 0' end | samples before
    "$memphis" reduce -o before.mprof before
    "$memphis" merge -o both.mprof before.mprof run.mprof
    expect "$(rows run)" "$(rows both.mprof | grep -v ' main ')"
    "$memphis" merge -o other.mprof run.mprof before.mprof
    cmp both.mprof other.mprof
}

@test "--by callers: functions of libraries, and below each the calls that led to it" {
    run -0 "$memphis" report --by callers run
    expect "  samples    share  variable, below it its functions and their callers  addresses
      101  100.0 %  [bss]:halo[0..54]
      100   99.0 %    copy (callers_library.c)
       90   89.1 %      callers_library.c:$(line callers_library.c '// calls copy') (library_copy)
       60   59.4 %        callers.c:$(line callers.c '// exchanges') (exchange)
       60   59.4 %          callers.c:$(line callers.c '// solves') (solve)
       60   59.4 %            callers.c:$(line callers.c '// step 1') (main)
       30   29.7 %        callers.c:$(line callers.c '// relaxes') (relax)
       30   29.7 %          callers.c:$(line callers.c '// step 2') (main)
        1    1.0 %    solve (callers.c)" "$(sed -n '/^  samples .*variable/,/^$/p' <<< "$output" | sed 's/  *0x.*//')"
    run -0 "$memphis" report --by callers --instructions 1 run
    grep -qx '       30   29.7 %        ... 1 more caller' <<< "$output"
}

@test "pprof has the calls as locations" {
    "$memphis" export --format pprof -o run.pb.gz run
    HOME=$BATS_TEST_TMPDIR /usr/bin/go tool pprof -traces run.pb.gz > traces.txt 2> /dev/null
    expect '60 [bss] halo
copy
library_copy
exchange (inline)
solve
main' "$(grep -A 5 ' 60 ' traces.txt | sed 's/^ *//; s/   */ /')"
}

@test "SQLite has the calls of each chain, and the rows of the report" {
    "$memphis" export --format sqlite -o run.sqlite run
    expect "60|0|callers_library.c:$(line callers_library.c '// calls copy')|library_copy|0|0
60|1|callers.c:$(line callers.c '// exchanges')|exchange|1|1
60|2|callers.c:$(line callers.c '// solves')|solve|0|0
60|3|callers.c:$(line callers.c '// step 1')|main|0|0
30|0|callers_library.c:$(line callers_library.c '// calls copy')|library_copy|0|0
30|1|callers.c:$(line callers.c '// relaxes')|relax|0|1
30|2|callers.c:$(line callers.c '// step 2')|main|0|0" "$(sqlite3 run.sqlite "SELECT sum(count) AS n, depth, replace(path, '$PWD/', '') || ':' || line, function, inlined, program
        FROM cells JOIN instructions i ON i.id = instruction_id JOIN callers USING (chain_id) GROUP BY chain_id, depth ORDER BY n DESC, depth")"
    # The query of memphis-export(1).
    expect '60 60 60 60 30 30 30' "$(sqlite3 run.sqlite 'SELECT chain_id, depth, function, path, line, sum(count) AS n FROM cells JOIN instructions i ON i.id = instruction_id
        JOIN callers USING (chain_id) GROUP BY chain_id, depth ORDER BY n DESC, chain_id, depth' | sed 's/.*|//' | tr '\n' ' ' | sed 's/ $//')"
    # The calls are instructions, too.
    expect 'libcallers.so.0' "$(sqlite3 run.sqlite "SELECT DISTINCT replace(o.path, '$PWD/', '') FROM callers k JOIN instructions i ON i.id = k.call_id
        JOIN objects o ON o.id = i.object_id WHERE depth = 0")"
    expect '60||library_copy
30||library_copy
5|lost|
5|short|
1||' "$(sqlite3 run.sqlite 'SELECT sum(count) AS n, chains.reason, via FROM cells JOIN instructions i ON i.id = instruction_id
        LEFT JOIN chains ON chains.id = chain_id GROUP BY chain_id ORDER BY n DESC, chains.reason')"
    expect "60|callers.c:$(line callers.c '// exchanges')|exchange|library_copy
30|callers.c:$(line callers.c '// relaxes')|relax|library_copy
10|callers_library.c:$copies|copy|
1|callers.c:$(($(line callers.c 'int solve') + 1))|solve|" \
        "$(sqlite3 run.sqlite "SELECT count, replace(path, '$PWD/', '') || ':' || line, function, via FROM by_caller ORDER BY count DESC")"
}

@test "findings name the program's line" {
    {
        printf '%s\n' 'process 100' "setting executable $PWD/callers" 'node 0 1000000 0-1 10,21' 'node 1 1000000 2-3 21,10' \
            "object p $PWD/callers 0" "object l $PWD/libcallers.so.0 0x7f0000000000" 'maps 100' end 'thread 100' \
            "chain 1 $(lib 'calls copy') $(ret exchanges)"
        for i in {0..63}; do echo "sample $((2000 + i)) $(at copies) p!halo+$((i * 120)) unknown S 0 0"; done
        for i in {0..63}; do echo 'callers 0 chain 1'; done
        for i in {0..31}; do echo "repeat 4 8 sample $((900000 + 10 * i)) p!solve p!halo+$((i * 120)) dram L 0 0"; done
        printf '%s\n' 'books 192 192 0' end 'thread 101' "chain 1 $(lib 'calls copy') $(ret relaxes)"
        for i in {32..63}; do echo "repeat 4 8 sample $((900000 + 10 * i)) $(at copies) p!halo+$((i * 120)) dram LR 1 0"; done
        for i in {0..127}; do echo 'callers 0 chain 1'; done
        printf '%s\n' 'books 128 128 0' end
    } | samples touched
    run -0 "$memphis" report --full touched
    echo "$output"
    grep -q "at callers.c:$(line callers.c '// relaxes') (relax)" <<< "$output"
    grep -q "wrote it first at callers.c:$(line callers.c '// exchanges') (exchange)" <<< "$output"
}
