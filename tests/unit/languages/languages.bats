#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The calipers that C++, Fortran, Python, Kokkos and ITT programs open and close and the memory that they name, in
# order. If these tests fail, samples have the wrong region or name, or a program of that language does not build.

bats_require_minimum_version 1.5.0
load ../../environment

# The interfaces are built on top of a stand-in for the library's core, which prints each call to standard output.
setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/languages
    local fortran source c=(-std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror)

    rm -rf "$work"
    mkdir -p "$work"
    fortran=$(dirname "$(gfortran -print-file-name=include/ISO_Fortran_binding.h)")
    # By sources: objects of former ones may be there.
    for source in libsampler/base/*.c; do
        ar crs "$work/libbase.a" "$build/${source%c}o"
    done
    # The trace reads the first byte of named memory, although memphis.h declares that memory is not accessed: hence the warning.
    gcc "${c[@]}" -Wno-maybe-uninitialized -fPIC -fvisibility=hidden -shared -Iinclude -Ilibsampler -isystem "$fortran" \
        -o "$work/libmemphis.so.0" tests/unit/languages/trace.c libsampler/{api/{kokkos,itt,fortran,pool},settings/{env,core_events,counter_list,hardware}}.c \
        "$build/libsampler/api/memphis_fortran.o" "$work/libbase.a" -Wl,-soname,libmemphis.so.0 -Wl,-z,defs -Wl,--version-script=libsampler/memphis.map
    ln -s libmemphis.so.0 "$work/libmemphis.so"
    version=$(sed -n 's/.*MEMPHIS_VERSION "\(.*\)"/\1/p' include/memphis/version.h)
    export version
    cd "$BATS_TEST_DIRNAME/programs" || exit
    g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$top/include" -pthread -o "$work/calipers" calipers.cpp -L"$work" -lmemphis
    gfortran -std=f2003 -g -Wall -Werror -I"$build/include" -o "$work/arrays" arrays.F90 -L"$work" -lmemphis
    gcc "${c[@]}" -o "$work/kokkos_core" kokkos_core.c
    gcc "${c[@]}" -rdynamic -o "$work/itt_static" itt_static.c
}

setup() {
    cd "$work" || exit
    unset "${!MEMPHIS_@}" "${!KOKKOS_@}" "${!INTEL_@}" "${!TRACE_@}" LD_PRELOAD
    export LD_LIBRARY_PATH=$work
}

expect() {
    diff -u <(printf '%s\n' "$1") <(printf '%s\n' "$2")
}

@test "C++: calipers are closed for each way to leave a scope; containers, arrays and parts of them are named" {
    run -0 ./calipers
    expect "begin [TimeLoop]
  begin [Throws]
  end [Throws]
caught
  begin [Returns 1]
  end [Returns 1]
  begin [Returns 0]
    begin [Inner]
    end [Inner]
  end [Returns 0]
begin [Thread]
end [Thread]
end [TimeLoop]
begin [Closes]
status 0
end [Closes]
close 0
close -22
status 0
region [Step]
region [Named]
begin [Step]
  begin [Named]
status 0
  end [Named]
end [Step]
begin [Step]
  begin [Named]
status 0
  end [Step]
close 0
end [Named]
pause
status 0
resume
name 800 [vector] 0x00
name 16 [array] 0xaa
name 48 [numbers] 0xbb
name 16 [row] 0xbb
name 8 [pair] 0xbb
name 16 [reference] 0xaa
configure [period] [65536]
configure 0
flush
flush 0
[not sampling: this is a trace] [$version]" "$output"
}

@test "C++: a caliper that could not be opened is not closed, and has the error as its status" {
    TRACE_STATUS=-19 run -0 ./calipers
    [[ "$output" == *"status -19
close -19
close -19
status -19"* ]]
    [[ "$output" != *"end ["* ]]
}

@test "C++: the header compiles without a warning as C++11 to C++20, by g++ and clang++" {
    local compiler standard count=0
    for compiler in g++ clang++; do
        for standard in 11 14 17 20; do
            "$compiler" -std=c++$standard -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I"$top/include" -fsyntax-only \
                "$BATS_TEST_DIRNAME/programs/calipers.cpp"
            count=$((count + 1))
        done
    done
    [ "$count" -eq 8 ]
}

@test "C: the header and the one for builds without the library compile without a warning as C90 and later, by gcc and clang, and as C++" {
    local compiler standard header count=0
    for header in memphis memphis_stub; do
        printf '#include <%s.h>\nint main(void)\n{\n\treturn memphis_begin("loop");\n}\n' "$header" > "$work/header.c"
        for compiler in gcc clang; do
            for standard in c90 c99 c11 c17; do
                "$compiler" -std=$standard -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I"$top/include" -fsyntax-only "$work/header.c"
                count=$((count + 1))
            done
        done
        g++ -std=c++11 -x c++ -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I"$top/include" -fsyntax-only "$work/header.c"
    done
    [ "$count" -eq 16 ]
}

@test "C++: the compiler refuses an unused caliper, a copy, and a container without contiguous memory" {
    refused() {
        printf '#include <memphis.hpp>\n#include <vector>\n#include <list>\nvoid f();\nvoid f() { %s }\n' "$2" > "$work/refused.cpp"
        run ! g++ -std=c++20 -Wall -Werror -I"$top/include" -fsyntax-only "$work/refused.cpp"
        echo "$output"
        [[ "$output" == *"$1"* ]]
    }
    refused 'unused-result' 'memphis::caliper("nobody");'
    refused 'use of deleted function' 'memphis::caliper a("a"), b(a);'
    refused 'no matching function' 'std::list<int> list; memphis::name(list, "list");'
    refused 'no matching function' 'std::vector<bool> bits(8); memphis::name(bits, "bits");'
}

@test "Fortran 2003: each kind of array, section, text and argument works, and errors are returned as status" {
    GFORTRAN_UNBUFFERED_ALL=1 run -0 ./arrays
    expect "begin [TimeLoop]
  begin [Inner]
status 0
  end [Inner]
end [TimeLoop]
status -22
status -22
name 12 [field] 0x10
name 9 [row] 0x11
name 12 [columns backwards] 0x10
name 1 [element] 0x11
name 9 [pointer] 0x21
status 0
name 1 [scalar] 0x30
name 24 [texts] 0x61
name 6 [Inner] 0x40
null pointer -22
no element -22
no name -22
name 12 [assumed shape] 0x10
name 6 [section of it] 0x10
name 5 [explicit shape] 0x20
no pool -22
pool [fields]
status 0
part of [fields] 12 [tx] 0x10
part of [fields] 6 [] 0x40
status 0
null pointer -22
part of [fields] ends at 1 0x10
part of [fields] ends at 2 0x40
no element -22
reset [fields]
destroy [fields]
destroy [-]
configure [period] [65536]
status 0
configure [filter] [dram]
no such key -2
pause
resume
status 0, sampling 1
flush
flush
[not sampling: this i]
[$(printf '%-20s' "$version")]" "$output"
}

@test "Fortran: compilers without C descriptors for character arguments can compile the module, too" {
    run -0 gfortran -U__GFORTRAN__ -std=f2018 -Wall -Wextra -Werror -J"$work" -c -o "$work/other.o" "$top/libsampler/api/memphis_fortran.F90"
    [ "$output" = "" ]
}

@test "Fortran by flang: the module's source needs no other compiler's module file; calipers and names are those of gfortran" {
    mkdir -p flang
    cd flang
    flang-new-19 -c "$top/libsampler/api/memphis_fortran.F90" -o memphis_fortran.o
    flang-new-19 "$BATS_TEST_DIRNAME/programs/arrays.F90" memphis_fortran.o -o arrays -L"$work" -lmemphis
    run -0 ./arrays
    # flang prints what the program prints at its end.
    expect "begin [TimeLoop]
  begin [Inner]
  end [Inner]
end [TimeLoop]
name 12 [field] 0x10
name 9 [row] 0x11
name 12 [columns backwards] 0x10
name 1 [element] 0x11
name 9 [pointer] 0x21
name 1 [scalar] 0x30
name 24 [texts] 0x61
name 6 [Inner] 0x40
name 12 [assumed shape] 0x10
name 6 [section of it] 0x10
name 5 [explicit shape] 0x20
pool [fields]
part of [fields] 12 [tx] 0x10
part of [fields] 6 [] 0x40
part of [fields] ends at 1 0x10
part of [fields] ends at 2 0x40
reset [fields]
destroy [fields]
destroy [-]
configure [period] [65536]
configure [filter] [dram]
pause
resume
flush
flush
status 0
status -22
status -22
status 0
null pointer -22
no element -22
no name -22
no pool -22
status 0
status 0
null pointer -22
no element -22
status 0
no such key -2
status 0, sampling 1
[not sampling: this i]
[$(printf '%-20s' "$version")]" "$output"
}

python_before_numpy="begin [TimeLoop]
  begin [größer]
  end [größer]
  begin [raises]
  end [raises]
caught
  begin [decorated]
    begin [decorated]
    end [decorated]
  end [decorated]
value
begin [decorated]
end [decorated]
end [TimeLoop]
begin [by hand]
end [by hand]
0 0
name 80 [array] 0x00
0
name 7 [bytearray] 0x22
name 5 [bytes] 0x33
name 7 [every third] 0x02
name 9 [backwards] 0x01
name 12 [ctypes] 0x44
no name 3
pool [arrays]
part of [arrays] 7 [part] 0x22
part of [arrays] 5 [] 0x33
part of [arrays] ends at 1 0x22
0 True
reset [arrays]
destroy [arrays]
0 0
TypeError
TypeError
TypeError
TypeError"
python_after_numpy="pause
resume
0 0 1
configure [period] [65536]
flush
0 0
[not sampling: this is a trace]"

@test "Python: with statements, decorators, threads, and objects with the buffer protocol work" {
    export PYTHONPATH=$top/libsampler/api/python MEMPHIS_LIB=$work/libmemphis.so.0
    run -0 python3 "$BATS_TEST_DIRNAME/programs/arrays.py"
    expect "$python_before_numpy
$python_after_numpy [$version]" "$output"
}

@test "Python: numpy arrays of all types, sections and orders are named" {
    # Debian's numpy package is for Debian's interpreter.
    local python
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import numpy' 2> /dev/null && break
    done
    export PYTHONPATH=$top/libsampler/api/python MEMPHIS_LIB=$work/libmemphis.so.0
    run -0 "$python" "$BATS_TEST_DIRNAME/programs/arrays.py" numpy
    expect "$python_before_numpy
name 24 [numpy] 0x55
name 6 [row] 0x56
name 12 [section] 0x56
name 24 [transposed, backwards] 0x55
name 24 [Fortran order] 0x55
name 24 [read-only] 0x55
name 0 [empty] 0x00
name 8 [scalar] 0x00
name 16 [times] 0x00
$python_after_numpy [$version]" "$output"
}

@test "Python: without a library the program runs, and one line reports that, unless MEMPHIS_DISABLE=1 is set" {
    local program='
import memphis
with memphis.caliper("loop"):
    print("inside", memphis.begin("x"), memphis.end("x"))
print(memphis.name(bytearray(1), "b"), memphis.configure("period", 1), memphis.flush(), repr(memphis.version()))
try:
    memphis.name(1, "one")
except TypeError:
    print("TypeError")
print(memphis.status())'
    local missing='not sampling: /nonexistent/libmemphis.so.0: cannot open shared object file: No such file or directory; install the library, or name it with MEMPHIS_LIB=FILE'
    export PYTHONPATH=$top/libsampler/api/python MEMPHIS_LIB=/nonexistent/libmemphis.so.0
    unset LD_LIBRARY_PATH
    run -0 --separate-stderr python3 -c "$program"
    expect "inside -19 -19
-19 -19 -19 ''
TypeError
$missing" "$output"
    expect "memphis: $missing" "$stderr"
    MEMPHIS_DISABLE=1 run -0 --separate-stderr python3 -c "$program"
    [ "$stderr" = "" ]
}

@test "Python: the module uses the library in the process, else MEMPHIS_LIB, else the dynamic loader's, else the one beside the module" {
    local program='import memphis; print(memphis.status())'
    local trace='not sampling: this is a trace' real='not sampling: no caliper was opened yet'
    export PYTHONPATH=$top/libsampler/api/python
    [ "$(python3 -c "$program")" = "$trace" ]
    [ "$(MEMPHIS_LIB=$build/lib/libmemphis.so.0 python3 -c "$program")" = "$real" ]
    [ "$(LD_PRELOAD=$work/libmemphis.so.0 MEMPHIS_LIB=$build/lib/libmemphis.so.0 python3 -c "$program")" = "$trace" ]
    # The directories of an installation.
    unset LD_LIBRARY_PATH
    mkdir -p prefix/share/memphis/python prefix/lib/x86_64-linux-gnu
    cp "$top/libsampler/api/python/memphis.py" prefix/share/memphis/python
    cp libmemphis.so.0 prefix/lib/x86_64-linux-gnu
    [ "$(PYTHONPATH=prefix/share/memphis/python python3 -c "$program")" = "$trace" ]
}

# kokkos MODE OUTPUT: runs the program that imitates Kokkos' core, and compares the trace.
kokkos() {
    MEMPHIS_KOKKOS=$1 KOKKOS_TOOLS_LIBS=$work/libmemphis.so.0 run -0 --separate-stderr ./kokkos_core
    [ "$stderr" = "" ]
    expect "$2" "$output"
}

@test "Kokkos: views are named, and MEMPHIS_KOKKOS selects which regions and kernels are calipers" {
    local regions='begin [TimeLoop]
  begin [Physics]
    begin [advect]
    end []
    begin [sum]
    end []
  end []
  begin [scan]
  end []
  begin [(no name)]
  end []
end []
no name 100000'
    local all="program begins
name 100000 [temperature] 0x10
begin [outside]
end []
$regions
program ends
value 20"

    kokkos '' "$all"
    kokkos all "$all"
    kokkos nested "name 100000 [temperature] 0x10
$regions
value 20"
    kokkos regions 'name 100000 [temperature] 0x10
begin [TimeLoop]
  begin [Physics]
  end []
  begin [(no name)]
  end []
end []
no name 100000
value 20'
}

@test "Kokkos: a program built with Kokkos reports its view, region and kernels" {
    g++ -std=c++17 -O1 -fopenmp -isystem /usr/include/trilinos -o kokkos "$top/examples/languages/kokkos.cpp" -ltrilinos_kokkoscore
    # Kokkos 3 reads only the older name of the variable.
    MEMPHIS_KOKKOS=nested KOKKOS_PROFILE_LIBRARY=$work/libmemphis.so.0 KOKKOS_TOOLS_LIBS=$work/libmemphis.so.0 run -0 --separate-stderr ./kokkos
    grep -v scratch <<< "$output" > lines
    expect "name 8000 [temperature] 0x00
begin [TimeLoop]
  begin [advect]
  end []
  begin [total]
  end []
end []
no name 8000
sum 8000" "$(cat lines)"
}

untouched='domain_create none
string_handle_create none
pause untouched
resume untouched
sync_prepare untouched
task_begin untouched
task_begin_ex untouched
task_begin_fn untouched
task_begin_overlapped untouched
task_end untouched
task_end_ex untouched
heap_function_create none
heap_allocate_begin untouched
heap_allocate_end untouched
heap_free_begin untouched
heap_free_end untouched
heap_reallocate_begin untouched
heap_reallocate_end untouched
heap_reset_detection untouched'

@test "ITT: the static part gets functions for tasks, domains, strings and blocks of allocators, and none for anything else" {
    INTEL_LIBITTNOTIFY64=$work/libmemphis.so.0 run -0 ./itt_static
    expect 'domain_create taken
string_handle_create taken
pause taken
resume taken
sync_prepare none
task_begin taken
task_begin_ex taken
task_begin_fn taken
task_begin_overlapped none
task_end taken
task_end_ex taken
heap_function_create taken
heap_allocate_begin none
heap_allocate_end taken
heap_free_begin taken
heap_free_end none
heap_reallocate_begin taken
heap_reallocate_end taken
heap_reset_detection none
domain model 1, the same: 1, none: 0
string TimeLoop, the same: 1
without a name: 1 1
begin [TimeLoop]
  begin [step]
    begin [solve]
    end []
  end []
pool [mesh]
functions of a domain have one pool: 1
part of [mesh] 100 [] 0x11
part of [mesh] ends at 2 0x11
part of [mesh] 200 [] 0x22
part of [mesh] ends at 3 0x22
pool [lonely]
part of [lonely] 50 [] 0x11
  pause
  begin [(no name)]
  end []
  resume
end []' "$output"
}

@test "ITT: groups that the program excludes get no functions; an unknown static part is left unchanged" {
    export INTEL_LIBITTNOTIFY64=$work/libmemphis.so.0
    run -0 ./itt_static 0x10
    expect "${untouched//untouched/none}" "$output"
    run -0 ./itt_static 0xffffffff 20101001
    expect "$untouched" "$output"
    run -0 ./itt_static 0xffffffff 20180723 0x01
    expect "$untouched" "$output"
}

@test "ITT: Intel's own static part, in oneTBB, reports the tasks of a flow graph" {
    g++ -std=c++17 -O1 -o tasks "$top/examples/languages/tasks.cpp" -ltbb
    INTEL_LIBITTNOTIFY64=$work/libmemphis.so.0 run -0 --separate-stderr ./tasks
    expect 'begin [tbb_flow_graph]
  begin [body]
inside
  end []
end []' "$output"
    INTEL_LIBITTNOTIFY64= run -0 --separate-stderr ./tasks
    [ "$output" = inside ]
}

@test "with the real library and without a device, all programs have the same output and one line on standard error" {
    local missing real=$build/lib/libmemphis.so.0

    missing=$(without_device "$real" /nonexistent/memphis)
    export MEMPHIS_DEVICE=/nonexistent/memphis MEMPHIS_BACKEND=device LD_LIBRARY_PATH=$build/lib

    run -0 --separate-stderr env KOKKOS_TOOLS_LIBS="$real" ./kokkos_core
    expect 'value 20' "$output"
    expect "$missing" "$stderr"
    run -0 --separate-stderr env INTEL_LIBITTNOTIFY64="$real" ./itt_static
    expect 'functions of a domain have one pool: 1' "${lines[-1]}"
    expect "$missing" "$stderr"
    run -0 --separate-stderr ./calipers
    [[ "$output" == *"status -19"* ]]
    expect "$missing" "$stderr"
    run -0 --separate-stderr ./arrays
    expect "$missing" "$stderr"
    run -0 --separate-stderr env PYTHONPATH="$top/libsampler/api/python" python3 "$BATS_TEST_DIRNAME/programs/arrays.py"
    expect "-19 -19" "$(grep -m 1 '^-19' <<< "$output")"
    expect "$missing" "$stderr"
}

# The headers of each language have the library's version.
@test "C, C++ and Fortran headers define the version numbers, and the C header also a preprocessor comparison" {
    cat > version.c <<'END'
#include <stdio.h>
#include <memphis.h>
#if !MEMPHIS_VERSION_AT_LEAST(0, 0) || !MEMPHIS_VERSION_AT_LEAST(MEMPHIS_VERSION_MAJOR, MEMPHIS_VERSION_MINOR)
#error "too old"
#endif
#if MEMPHIS_VERSION_AT_LEAST(MEMPHIS_VERSION_MAJOR, MEMPHIS_VERSION_MINOR + 1) || MEMPHIS_VERSION_AT_LEAST(MEMPHIS_VERSION_MAJOR + 1, 0)
#error "newer than it is"
#endif
int main(void)
{
    printf("%d.%d\n", MEMPHIS_VERSION_MAJOR, MEMPHIS_VERSION_MINOR);
    return 0;
}
END
    cat > version.f90 <<'END'
program version
  use memphis, only: memphis_version_major, memphis_version_minor
  implicit none
  print '(i0,".",i0)', memphis_version_major, memphis_version_minor
end program version
END
    gcc -Wall -Wextra -Wpedantic -Werror -I"$top/include" -o version-c version.c
    g++ -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$top/include" -o version-c++ version.c
    gfortran -std=f2003 -Wall -Werror -I"$build/include" -o version-f version.f90 -L"$work" -lmemphis
    for program in version-c version-c++ version-f; do
        run -0 "./$program"
        [ "$output" = "${version%.*}" ]
    done
}
