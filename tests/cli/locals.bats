#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Names of blocks that only local variables hold: automatic arrays of Fortran, pointers and containers of functions. The programs
# run; their call stacks are real. If these tests fail, such blocks have the name of another variable, or of none.

bats_require_minimum_version 1.5.0
load ../environment
load helper

# flang PROGRAM OPTION|FILE...: builds a program with automatic arrays on the heap, instead of on the stack as by default. It finds
# OpenMP's library in no directory that Debian has.
flang() {
    local program=$1 libraries=(/usr/lib/llvm-*/lib/libomp.so)

    shift
    flang-new-19 -w -g -fopenmp -mmlir --fdynamic-heap-array -L"$(dirname "${libraries[0]}")" "$@" -o "$program"
}

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    gcc -shared -fPIC -O1 -Wall -Wextra -Werror -D_GNU_SOURCE -o recorder.so "$root/tests/cli/locals/recorder.c" -ldl
    export MEMPHIS=$memphis MAKE_SAMPLES=$root/build/cli/make_samples RECORDER_LIBRARY=$PWD/recorder.so
    for level in 0 1 2 3; do
        gcc -g -O$level -c "$programs/touch.c" -o touch.o
        gfortran -g -O$level -fopenmp "$programs/locals.F90" touch.o -o fortran-$level
        flang fortran-flang-$level -O$level "$programs/locals.F90" touch.o
        gcc -g -O$level "$programs/locals.c" touch.o -o gcc-$level
        clang -g -O$level "$programs/locals.c" touch.o -o clang-$level
        g++ -g -O$level "$programs/locals.cpp" touch.o -o g++-$level
        g++ -g -O$level "$programs/members.cpp" touch.o -o members-g++-$level
        clang++ -g -O$level "$programs/members.cpp" touch.o -o members-clang++-$level
        clang++ -g -O$level "$programs/locals.cpp" touch.o -o clang++-$level
    done
}

setup() {
    cd -P "$BATS_FILE_TMPDIR"
    locals=$root/tests/cli/locals
}

# names PROGRAM: prints size, name and source of the name of each block whose name is not just a place.
names() {
    python3 "$locals/locals.py" names "$PWD/$1" | awk '$3 != "site" { print $1, $2, $3 }'
}

automatic_arrays='2400 ia local
2424 ib local
2448 ic local
3200 tz local
4800 ty local
8168 pa local
8176 pb local
8184 pc local
8192 pd local
8248 sa local
8256 sb local
8328 ea local
8336 eb local
8408 ga local
8416 gb local
32000 tx local
40120 za local
56168 zb local
96000 tc local'

@test "automatic arrays, allocatables and pointers of Fortran have their names at every level of optimisation" {
    for level in 0 1 2 3; do
        expect "$automatic_arrays" "$(names fortran-$level)"
    done
}

@test "with flang, automatic arrays on the heap, allocatables and pointers have their names at every level of optimisation" {
    local how=local

    for level in 0 1 2 3; do
        # Blocks of pointers have a word more, in which flang marks them. With optimisation, it does not describe where pa and pb are.
        expect "$(sed -E "s/^8184 pc local/8192 pc assigned/; s/^8192 pd local/8200 pd assigned/; s/^(81.. p[ab]) local/\\1 $how/" <<< "$automatic_arrays")" \
            "$(names fortran-flang-$level)"
        how=assigned
    done
}

# The blocks of locals.c, without own.tx and own.ty.
of_c='8001 a assigned
8002 b assigned
8003 c assigned
8004 d assigned
8005 e assigned
8011 g assigned
8012 g assigned
8021 x assigned
8022 y assigned
8024 z assigned
8031 h assigned
8041 first assigned
8042 field assigned
8053 grid.tx assigned'

@test "pointers of C have their names: several on a line, with realloc, through wrappers, beside an array on the stack" {
    for program in gcc-0 gcc-1 gcc-2 gcc-3 clang-0 clang-1 clang-2 clang-3; do
        expect "$of_c" "$(names $program | grep -v ' own')"
    done
}

@test "members of a local structure have their names, also two on a line" {
    for program in gcc-{0,1,2,3} clang-{0,1,2,3}; do
        expect '8051 own.tx assigned
8052 own.ty assigned' "$(names $program | grep ' own')"
    done
}

@test "without columns in the line table, the machine code tells the blocks of a line apart, or their order does" {
    gcc -g -O0 -gno-column-info "$programs/locals.c" touch.o -o no-columns-0
    expect "$(sed -E 's/^(80(0.|2[12]).*) assigned/\1 local/' <<< "$of_c")" "$(names no-columns-0 | grep -v ' own')"
    expect '8051 own.tx local
8052 own.ty local' "$(names no-columns-0 | grep ' own')"
    gcc -g -O2 -gno-column-info "$programs/locals.c" touch.o -o no-columns-2
    expect '8051 own.tx assigned
8052 own.ty assigned' "$(names no-columns-2 | grep ' own')"
}

@test "new, unique_ptr and vector of C++ have their names, also two vectors on a line" {
    for program in g++-0 clang++-0 g++-1 g++-2 g++-3 clang++-1 clang++-2 clang++-3; do
        expect "8008 raw assigned
8016 other assigned
8024 one assigned
8032 two assigned
8040 list assigned
8048 list2 assigned
8056 list assigned" "$(names $program)"
    done
}

@test "members have the name of the object whose member function allocates them, unless a local variable hides them" {
    for program in members-{g++,clang++}-{0,1,2,3}; do
        expect '4024 graph.rank assigned
8008 domain.m_x assigned
8016 domain.m_y assigned
8024 domain.m_z assigned
8032 domain.m_x assigned
8040 m_y assigned
8056 graph.own assigned' "$(names $program)"
    done
}

@test "names of local variables need no source" {
    mkdir -p gone
    cp "$programs/locals.c" gone/
    gcc -g -O2 gone/locals.c touch.o -o no-source
    rm gone/locals.c
    expect '8001 a local
8002 b local
8003 c local
8004 d local
8005 e local
8011 g local
8012 g local
8021 x local
8022 y local
8024 z local
8031 h local
8041 first local' "$(names no-source)"
}

# stress LANGUAGE COMPILER SEEDS OPTION...: checks generated programs at all levels, with and without their sources. Sets `exact`, `all`
# and `wrong` to the numbers of blocks.
stress() {
    local language=$1 compiler=$2 seeds=$3 seed level source counts suffix

    shift 3
    exact=0 all=0 wrong=0
    case $language in fortran) suffix=F90 ;; c) suffix=c ;; c++) suffix=cpp ;; esac
    for seed in $seeds; do
        mkdir -p "$compiler$seed"
        source=$PWD/$compiler$seed/program.$suffix
        python3 "$locals/generate.py" "$language" "$seed" 20 "$source" "$compiler$seed/truth"
        for level in 0 1 2 3; do
            case $compiler in
            flang) (cd "$compiler$seed" && flang $level -O$level "$@" "$source") ;;
            *) (cd "$compiler$seed" && "$compiler" -g -O$level -w "$@" "$source" -o $level) ;;
            esac
            for _ in with without; do
                python3 "$locals/locals.py" check "$PWD/$compiler$seed/$level" "$compiler$seed/truth" > names.txt || true
                cat names.txt
                counts=$(tail -1 names.txt)
                [[ $counts =~ ^exact=([0-9]+)\ several=([0-9]+)\ place=([0-9]+)\ WRONG=([0-9]+)$ ]]
                exact=$((exact + BASH_REMATCH[1]))
                all=$((all + BASH_REMATCH[1] + BASH_REMATCH[2] + BASH_REMATCH[3] + BASH_REMATCH[4]))
                wrong=$((wrong + BASH_REMATCH[4]))
                [ ! -e "$source" ] || mv "$source" "$source.away"
            done
            mv "$source.away" "$source"
        done
    done
    echo "# $compiler: $exact of $all names are exact, $wrong are wrong" >&3
}

# bats test_tags=more
@test "no name is wrong in generated programs of Fortran, and 97 of 100 are exact" {
    stress fortran gfortran '11 12' -fopenmp
    [ "$all" -gt 2000 ]
    [ "$wrong" -eq 0 ]
    [ $((exact * 100)) -ge $((all * 97)) ]
}

# bats test_tags=more
@test "no name is wrong in generated programs of Fortran that flang compiles, and 97 of 100 are exact" {
    stress fortran flang '11 12'
    [ "$all" -gt 1500 ]
    [ "$wrong" -eq 0 ]
    [ $((exact * 100)) -ge $((all * 97)) ]
}

@test "no name is wrong in generated programs of C, and 80 of 100 are exact" {
    local sum=0 right=0

    for compiler in gcc clang; do
        stress c "$compiler" '11 12'
        [ "$wrong" -eq 0 ]
        sum=$((sum + all))
        right=$((right + exact))
    done
    [ "$sum" -gt 800 ]
    [ $((right * 100)) -ge $((sum * 80)) ]
}

# bats test_tags=more
@test "no name is wrong in generated programs of C++, and 80 of 100 are exact" {
    stress c++ g++ '11 12' -fstack-protector-all
    [ "$all" -gt 400 ]
    [ "$wrong" -eq 0 ]
    [ $((exact * 100)) -ge $((all * 80)) ]
}
