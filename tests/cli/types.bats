#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Types and members that instructions access. If these tests fail, the report loses the types of samples, or shows wrong ones.

bats_require_minimum_version 1.5.0
load ../environment
load helper

# access FUNCTION PATTERN: prints the address of the function's first instruction that matches.
access()
{
    objdump -d --no-show-raw-insn -C types | awk -v name="<$1(" -v pattern="$2" \
        'index($0, name) && /:$/ { on = 1; next } /^$/ { on = 0 } on && $0 ~ pattern { sub(":", "", $1); print "0x" $1; exit }'
}

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    g++ -g -O1 -no-pie -o types "$programs/types.cpp"
    # In the block without a name, the weights of edges are at 8, their ends at 4 of 16 bytes.
    {
        printf '%s\n' 'process 100' "setting executable $PWD/types" "object p $PWD/types 0" 'maps 100' end 'thread 100'
        echo "repeat 50 16 sample 2000 $(access weigh 'addsd') p!fixed+8 dram LR 0 1"
        echo "repeat 30 16 sample 3000 $(access reach '\(%r..\),') p!fixed+4 dram LR 0 1"
        # Contradicts the address, which is that of a weight.
        echo "repeat 5 16 sample 3000 $(access reach '\(%r..\),') p!fixed+8 dram LR 1 0"
        echo "repeat 20 16 sample 4000 $(access weigh 'addsd') 0x7f0000000008 dram LR 0 1"
        echo "repeat 10 16 sample 5000 $(access lengthen 'mov +\(%r..\),') 0x7f0000000000 dram LR 0 1"
        echo "repeat 4 8 sample 6000 $(access clear '\(%r..\)$') p!plain dram SR 0 1"
        echo "repeat 3 8 sample 7000 $(access opaque '\(%r..\),') p!plain dram LR 0 1"
        echo "repeat 2 8 sample 8000 $(access clear 'ret') p!plain dram LR 0 1"
        echo 'books 124 124 0'
        echo end
    } > description
    samples run < description
}

@test "by type and by member: tables over all variables" {
    run -0 "$memphis" report --select all --by type --by member run
    expect '  samples    share    stores  type, below it its members
      105   84.7 %         0  Edge
       70   56.5 %         0    Edge.weight
       35   28.2 %         0    Edge.to
       10    8.1 %         0  _Hash_node<std::pair<...> >
       10    8.1 %         0    _Hash_node<std::pair<...> >._M_nxt
        4    3.2 %         4  double
        5                     <type not known>' "$(sed -n '/^TYPES/,/^$/p' <<< "$output" | sed '1d;$d')"
    expect '  samples    share    stores  member, below it its variables
       70   56.5 %         0  Edge.weight
       50   40.3 %         0    [bss]:fixed
       20   16.1 %         0    [unmapped]:<not-found>
       35   28.2 %         0  Edge.to
       35   28.2 %         0    [bss]:fixed
       10    8.1 %         0  _Hash_node<std::pair<...> >._M_nxt
       10    8.1 %         0    [unmapped]:<not-found>
        4    3.2 %         4  double
        4    3.2 %         4    [bss]:plain
        5                     <member not known>' "$(sed -n '/^MEMBERS/,/^$/p' <<< "$output" | sed '1d;$d')"
}

@test "--top and --instructions limit the rows" {
    run -0 "$memphis" report --select all --by type --top 1 --instructions 1 run
    expect '      105   84.7 %         0  Edge
       70   56.5 %         0    Edge.weight
       35                       ... 1 more member
       14                     ... 2 more types
        5                     <type not known>' "$(sed -n '/^TYPES/,/^$/p' <<< "$output" | sed '1,2d;$d')"
}

@test "rows without a name have their types, and the accounting the reasons why there is none" {
    run -0 "$memphis" report --full --select all run
    [[ "$output" != *TYPES* ]]
    expect '       30   25.2 %    accesses: Edge.weight 66.7 %, _Hash_node<std::pair<...> >._M_nxt 33.3 %' \
        "$(grep accesses: <<< "$output")"
    expect 'types: 119 of 124 (96.0 %) have the type of what they access (no-memory-operand 2, void 3)
members: of 85 samples with a member by their address and one by their instruction, 5 have two
    different ones' "$(sed -n '/^types:/,/^books/p' <<< "$output" | grep -v ^books)"
}

@test "as JSON: of all samples, and of each variable" {
    "$memphis" report --select all --format json run > run.json
    expect '{"known":119,"unknown":{"no-memory-operand":2,"void":3},"compared":85,"contradicted":5}' \
        "$(jq -c '.types | {known, unknown, compared, contradicted}' run.json)"
    expect '{"name":"Edge","count":105,"stores":0,"members":[{"name":"Edge.weight","count":70,"stores":0},{"name":"Edge.to","count":35,"stores":0}]}' \
        "$(jq -c '.types.types[0]' run.json)"
    expect '{"name":"Edge.weight","count":70,"stores":0,"variables":[{"segment":"bss","name":"fixed","shown":"fixed","count":50,"stores":0},{"segment":"unmapped","name":"<not-found>","shown":"<not-found>","count":20,"stores":0}]}' \
        "$(jq -c '.types.members[0]' run.json)"
    expect '[{"type":"double","member":"double","count":4,"stores":4},{"type":null,"member":null,"reason":"void","count":3,"stores":0},{"type":null,"member":null,"reason":"no-memory-operand","count":2,"stores":0}]' \
        "$(jq -c '.nodes[0].variables[] | select(.name == "plain").accessed' run.json)"
}

@test "a profile has the types, also after a merge" {
    "$memphis" reduce --select all -o run.mprof run
    mkdir -p away
    cp run.mprof away
    mv types away/program
    "$memphis" report --select all --format json away/run.mprof > profile.json
    mv away/program types
    expect "$("$memphis" report --select all --format json run | jq -S .types)" "$(jq -S .types profile.json)"
    sed -e 's/^process 100/process 200/' -e 's/^thread 100/thread 200/' < description | samples second
    "$memphis" reduce --select all -o second.mprof second
    "$memphis" merge -o both.mprof run.mprof second.mprof
    expect '{"known":238,"unknown":{"no-memory-operand":4,"void":6},"compared":170,"contradicted":10}' \
        "$("$memphis" report --select all --format json both.mprof | jq -c '.types | {known, unknown, compared, contradicted}')"
}

@test "without the binary, there are no types" {
    mkdir -p gone
    mv types gone
    run -0 "$memphis" report --full --select all run
    mv gone/types .
    grep -qxF 'types: 0 of 124 (0.0 %) have the type of what they access (binary-missing 124)' <<< "$output"
}
