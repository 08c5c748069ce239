#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Programs with the library on machines without the device: same output, same exit status, one line on stderr. If these tests fail,
# linking the library puts programs at risk.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/library-native
    local link=(-I"$top/include" -I"$build/include" -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib")

    rm -rf "$work"
    mkdir -p "$work/cwd"
    cd "$BATS_TEST_DIRNAME/programs/calipers" || exit
    gcc -O2 -g -Wall -Wextra -Werror -o "$work/calipers" calipers.c "${link[@]}"
    gcc -O2 -g -Wall -Wextra -Werror -pthread -D_GNU_SOURCE -o "$work/churn" ../allocations/churn.c
    gcc -O2 -g -I"$top/include" -o "$work/calipers_a" calipers.c "$build/lib/libmemphis.a" -pthread -ldl
    gcc -Wall -Wextra -Werror -fPIC -shared -o "$work/openmp_tool.so" ../threads/openmp_tool.c
    clang -DPROGRAM -Wall -Wextra -Werror -fopenmp -o "$work/openmp" ../threads/openmp_tool.c
    gfortran -g -Wall -Werror -o "$work/fortran" fortran.F90 "${link[@]}"
    missing=$(without_device "$build/lib/libmemphis.so.0" /nonexistent/memphis)
    export missing
    export answers='begin -19
begin -19
end -19
name -19
flush -19
end -19
bad -22 -22
configure -16
not sampling:'
}

setup() {
    cd "$work/cwd" || exit
    unset "${!MEMPHIS_@}" LD_PRELOAD
    # Exclude perf, which may work on this machine.
    export MEMPHIS_DEVICE=/nonexistent/memphis MEMPHIS_BACKEND=device
    preload=$build/lib/libmemphis.so
    ulimit -c 0
}

# No test may leave files in the working directory, for any end of the program.
teardown() {
    [ -z "$(ls -A "$work/cwd")" ]
}

@test "a program without the device runs to its end, and one line reports what is missing" {
    run --separate-stderr -7 "$work/calipers"
    [ "$output" = "$answers" ]
    [ "$stderr" = "$missing" ]
}

@test "a program that is linked with the static library runs to its end without the device" {
    run --separate-stderr -7 "$work/calipers_a"
    [ "$output" = "$answers" ]
    [ "$stderr" = "$missing" ]
}

@test "C11 threads work with the shared library, the static one, and the static one with the flags for tracking" {
    local kind wrap
    mapfile -t wrap < <(sed '/^#/d; s/^/-Wl,--wrap=/' "$top/packaging/wrap")
    cd "$work"
    gcc -I"$top/include" -o c11-shared "$BATS_TEST_DIRNAME/programs/calipers/c11.c" -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
    gcc -static -I"$top/include" -o c11-static "$BATS_TEST_DIRNAME/programs/calipers/c11.c" "$build/lib/libmemphis.a" -pthread -ldl
    gcc -static -I"$top/include" -o c11-wrapped "$BATS_TEST_DIRNAME/programs/calipers/c11.c" -Wl,-u,memphis_wrapped "${wrap[@]}" "$build/lib/libmemphis.a" -pthread -ldl
    for kind in shared static wrapped; do
        run --separate-stderr -7 "./c11-$kind"
        [ "$output" = 'in its thread' ]
        [ "$stderr" = "$missing" ]
    done
}

@test "a Fortran program runs to its end without the device" {
    run --separate-stderr -0 "$work/fortran"
    [ "$output" = "$(printf -- '-19\n-19\n-19\n100000.0')" ]
    [ "$stderr" = "$missing" ]
}

@test "fork, _exit, abort, SIGKILL and exec work as without the library" {
    run --separate-stderr -7 "$work/calipers" fork
    # Output to a pipe is buffered, so the child prints its parent's output from before the fork again.
    [ "$output" = "$answers
child begin -19
$answers
child 4" ]
    [ "$stderr" = "$missing" ]
    run --separate-stderr -9 "$work/calipers" _exit
    [ "$output" = "$answers" ]
    run --separate-stderr -134 "$work/calipers" abort
    [ "$output" = "$answers" ]
    run --separate-stderr -137 "$work/calipers" kill
    [ "$output" = "$answers" ]
    run --separate-stderr -0 "$work/calipers" exec
    [ "$output" = "$answers
another image: set" ]
    [ "$stderr" = "$missing" ]
    WORD=kept run --separate-stderr -0 "$work/calipers" path
    [ "$output" = "$answers
an image on the path: kept" ]
}

@test "each reason why the device can't be used is reported with its remedy" {
    MEMPHIS_DEVICE=/dev/null run --separate-stderr -7 "$work/calipers"
    [ "$stderr" = "memphis: not sampling: /dev/null: Inappropriate ioctl for device; this is not the device of a memphis module that this library knows; install module and library of one version" ]
    MEMPHIS_DEVICE=/dev/null/memphis run --separate-stderr -7 "$work/calipers"
    [[ "$stderr" == "memphis: not sampling: /dev/null/memphis: Not a directory; "* ]]
    # A major number without a driver; containers and mounts may forbid opening any device node.
    mknod "$work/no-driver" c 300 0 2> /dev/null || skip "needs the right to make device nodes"
    cat "$work/no-driver" 2>&1 | grep -q 'No such device or address' || skip "device nodes can't be opened here"
    MEMPHIS_DEVICE=$work/no-driver run --separate-stderr -7 "$work/calipers"
    [[ "$stderr" == "memphis: not sampling: $work/no-driver: No such device or address; "* ]]
}

# field NAME: prints what /proc/cpuinfo says about the first CPU.
field() {
    sed -n "s/^$1[[:blank:]]*: //p" /proc/cpuinfo | head -n 1
}

@test "auto tries perf after the device, and reports why neither can be used" {
    [ ! -e /sys/bus/event_source/devices/ibs_op ] && [ ! -e /sys/bus/event_source/devices/cpu/events/mem-loads ] || skip "perf has the hardware here"
    MEMPHIS_BACKEND=auto run --separate-stderr -7 "$work/calipers"
    [ "$output" = "$answers" ]
    # The kernel's name of this CPU.
    cpu="$(field 'model name') ($(field vendor_id), family $(printf %#x "$(field 'cpu family')"), model $(printf %#x "$(field model)"))"
    [[ "$stderr" == "memphis: not sampling: /nonexistent/memphis: No such file or directory; $cpu can't be sampled: "*'; '* ]]
    MEMPHIS_BACKEND=perf run --separate-stderr -7 "$work/calipers"
    [ "$output" = "$answers" ]
    [[ "$stderr" == "memphis: not sampling: perf: No such device; $cpu can't be sampled: "*'; '* ]]
    MEMPHIS_BACKEND=nonsense run --separate-stderr -7 "$work/calipers"
    [[ "$stderr" == "memphis: MEMPHIS_BACKEND=nonsense is invalid, using auto; valid values: device, perf, none or auto"$'\n'"memphis: not sampling: "* ]]
}

@test "without permission for the device, the line reports who grants access" {
    [ "$(id -u)" = 0 ] || skip "needs root to become somebody else"
    install -m 0600 /dev/null "$work/closed"
    chmod 755 "$work/cwd"
    install -m 755 "$work/calipers_a" /tmp/memphis-calipers.$$
    MEMPHIS_DEVICE=$work/closed run --separate-stderr -7 setpriv --reuid=65534 --clear-groups /tmp/memphis-calipers.$$
    rm /tmp/memphis-calipers.$$
    # A directory on the path may deny access as well, with the same error.
    [[ "$stderr" == *"Permission denied; this user may not sample here; ask the site for access to the device (its owner, group or ACL decides)" ]]
    [ "$output" = "$answers" ]
}

@test "bad settings are reported, one line each, and the defaults are used" {
    MEMPHIS_PERIOD=lots MEMPHIS_FILTER=far run --separate-stderr -7 "$work/calipers"
    [ "${#stderr_lines[@]}" = 3 ]
    [ "${stderr_lines[0]}" = "memphis: MEMPHIS_PERIOD=lots is invalid, using auto; valid values: a positive number, or auto" ]
    [ "${stderr_lines[1]}" = "memphis: MEMPHIS_FILTER=far is invalid, using none; valid values: none, or a comma list of remote, dram, loads, stores" ]
    [ "${stderr_lines[2]}" = "$missing" ]
}

@test "with MEMPHIS_DISABLE=1 nothing is printed" {
    MEMPHIS_DISABLE=1 run --separate-stderr -7 "$work/calipers"
    [ "$output" = "$answers" ]
    [ "$stderr" = "" ]
}

@test "in a program without calipers the library prints nothing" {
    LD_PRELOAD=$preload run --separate-stderr -0 /bin/ls -d /
    [ "$output" = / ]
    [ "$stderr" = "" ]
}

@test "with MEMPHIS_RECORD=at-once the line is printed at the start of each program" {
    LD_PRELOAD=$preload MEMPHIS_RECORD=at-once run --separate-stderr -0 /bin/echo hello
    [ "$output" = hello ]
    [ "$stderr" = "$missing" ]
}

@test "shells, pipes and interpreters with threads and children work as before, tracked or not" {
    local device
    for device in /nonexistent/memphis /dev/null; do
        export LD_PRELOAD=$preload MEMPHIS_DEVICE=$device
        run --separate-stderr -3 bash -c 'for i in 1 2 3; do (echo $i | cat); done; exit 3'
        [ "$output" = "$(printf '1\n2\n3')" ]
        [ "$stderr" = "" ]
        run --separate-stderr -0 python3 -c '
import subprocess, threading
def work():
    blocks = [bytearray(50000) for _ in range(200)]
threads = [threading.Thread(target=work) for _ in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
print(subprocess.run(["echo", "from a child"], capture_output=True, text=True).stdout, end="")'
        [ "$output" = "from a child" ]
        [ "$stderr" = "" ]
        unset LD_PRELOAD
    done
}

@test "tracking leaves blocks intact when threads allocate, reallocate and release them for each other" {
    export LD_PRELOAD=$preload MEMPHIS_DEVICE=/dev/null
    run --separate-stderr -0 "$work/churn"
    [ "$output" = "all blocks intact" ]
    MEMPHIS_ALLOC_MIN_BYTES=0 run --separate-stderr -0 "$work/churn"
    [ "$output" = "all blocks intact" ]
    MEMPHIS_ALLOC_MIN_BYTES=100000 MEMPHIS_SMALL_BYTES=1 run --separate-stderr -0 "$work/churn"
    [ "$output" = "all blocks intact" ]
    [ "$stderr" = "" ]
}

@test "a program with more privileges than its user is never sampled" {
    [ "$(id -u)" = 0 ] || skip "needs root to run a program for somebody else"
    # Different real and effective users: the kernel treats this like setuid, and no container or mount option forbids it.
    run --separate-stderr -7 setpriv --ruid=65534 --clear-groups "$work/calipers_a"
    [ "$output" = "$answers" ]
    [ "$stderr" = "" ]
}

@test "the library exports its documented functions and those that it interposes, and needs only the C library" {
    run bash -c "nm -D --defined-only '$preload' | awk '\$2 == \"T\" {print \$3}' | sort | tr '\n' ' '"
    [ "$output" = "_Exit __itt_api_init@@MEMPHIS_1.0 __memphis_MOD_memphis_begin@@MEMPHIS_1.0 __memphis_MOD_memphis_configure@@MEMPHIS_1.0 __memphis_MOD_memphis_end@@MEMPHIS_1.0 __memphis_MOD_memphis_flush@@MEMPHIS_1.0 __memphis_MOD_memphis_is_sampling@@MEMPHIS_1.0 __memphis_MOD_memphis_pause@@MEMPHIS_1.0 __memphis_MOD_memphis_pool_create@@MEMPHIS_1.0 __memphis_MOD_memphis_pool_destroy@@MEMPHIS_1.0 __memphis_MOD_memphis_pool_reset@@MEMPHIS_1.0 __memphis_MOD_memphis_resume@@MEMPHIS_1.0 __memphis_MOD_memphis_status@@MEMPHIS_1.0 __memphis_MOD_memphis_version@@MEMPHIS_1.0 _exit aligned_alloc brk@GLIBC_2.2.5 calloc capset close_range dlclose execl execle execlp execv execve execvp execvpe fexecve free free_aligned_sized free_sized initgroups kokkosp_allocate_data@@MEMPHIS_1.0 kokkosp_begin_parallel_for@@MEMPHIS_1.0 kokkosp_begin_parallel_reduce@@MEMPHIS_1.0 kokkosp_begin_parallel_scan@@MEMPHIS_1.0 kokkosp_deallocate_data@@MEMPHIS_1.0 kokkosp_end_parallel_for@@MEMPHIS_1.0 kokkosp_end_parallel_reduce@@MEMPHIS_1.0 kokkosp_end_parallel_scan@@MEMPHIS_1.0 kokkosp_finalize_library@@MEMPHIS_1.0 kokkosp_init_library@@MEMPHIS_1.0 kokkosp_pop_profile_region@@MEMPHIS_1.0 kokkosp_push_profile_region@@MEMPHIS_1.0 malloc memalign memphis_begin@@MEMPHIS_1.0 memphis_begin_region@@MEMPHIS_1.0 memphis_configure@@MEMPHIS_1.0 memphis_controllers_list@@MEMPHIS_PRIVATE memphis_end@@MEMPHIS_1.0 memphis_end_region@@MEMPHIS_1.0 memphis_flush@@MEMPHIS_1.0 memphis_fortran_begin@@MEMPHIS_1.0 memphis_fortran_configure@@MEMPHIS_1.0 memphis_fortran_end@@MEMPHIS_1.0 memphis_fortran_name@@MEMPHIS_1.0 memphis_fortran_name_described@@MEMPHIS_1.0 memphis_fortran_pool_alloc@@MEMPHIS_1.0 memphis_fortran_pool_alloc_described@@MEMPHIS_1.0 memphis_fortran_pool_create@@MEMPHIS_1.0 memphis_fortran_pool_free@@MEMPHIS_1.0 memphis_fortran_pool_free_described@@MEMPHIS_1.0 memphis_fortran_status@@MEMPHIS_1.0 memphis_fortran_version@@MEMPHIS_1.0 memphis_io_begin@@MEMPHIS_PRIVATE memphis_io_end@@MEMPHIS_PRIVATE memphis_io_file@@MEMPHIS_PRIVATE memphis_io_file_at@@MEMPHIS_PRIVATE memphis_is_sampling@@MEMPHIS_1.0 memphis_mpi_add@@MEMPHIS_PRIVATE memphis_mpi_begin@@MEMPHIS_PRIVATE memphis_mpi_end@@MEMPHIS_PRIVATE memphis_mpi_record_event@@MEMPHIS_PRIVATE memphis_mpi_records_events@@MEMPHIS_PRIVATE memphis_mpi_stamp@@MEMPHIS_PRIVATE memphis_mpi_store_fact@@MEMPHIS_PRIVATE memphis_name@@MEMPHIS_1.0 memphis_offer@@MEMPHIS_PRIVATE memphis_pause@@MEMPHIS_1.0 memphis_pool_alloc@@MEMPHIS_1.0 memphis_pool_create@@MEMPHIS_1.0 memphis_pool_destroy@@MEMPHIS_1.0 memphis_pool_free@@MEMPHIS_1.0 memphis_pool_reset@@MEMPHIS_1.0 memphis_probe@@MEMPHIS_PRIVATE memphis_refuses@@MEMPHIS_PRIVATE memphis_region@@MEMPHIS_1.0 memphis_resume@@MEMPHIS_1.0 memphis_script_begin@@MEMPHIS_1.0 memphis_script_end@@MEMPHIS_1.0 memphis_status@@MEMPHIS_1.0 memphis_version@@MEMPHIS_1.0 memphis_watch@@MEMPHIS_PRIVATE mmap64@GLIBC_2.2.5 mmap@GLIBC_2.2.5 mremap@GLIBC_2.2.5 munmap@GLIBC_2.2.5 ompt_start_tool posix_memalign prctl pthread_create pvalloc realloc reallocarray sbrk@GLIBC_2.2.5 setegid seteuid setfsgid setfsuid setgid setgroups setregid setresgid setresuid setreuid setuid shmat@GLIBC_2.2.5 shmdt@GLIBC_2.2.5 syscall@GLIBC_2.2.5 thrd_create unshare valloc wait wait3 wait4 waitid waitpid " ]
    run bash -c "readelf -d '$preload' | grep -E 'NEEDED' | grep -vE 'libc.so.6|ld-linux-x86-64.so.2|libm.so.6|libpthread|libdl'"
    [ "$output" = "" ]
}

# bats test_tags=more
@test "the library builds with the flags for link-time optimisation that distributions set" {
    make -s -C "$top/libsampler" BUILD="$work/lto" CFLAGS='-O1 -flto=auto -ffat-lto-objects'
    diff <(nm -D --defined-only "$build/lib/libmemphis.so" | cut -d' ' -f2-) <(nm -D --defined-only "$work/lto/lib/libmemphis.so" | cut -d' ' -f2-)
    gcc -O2 -flto=auto -I"$top/include" -o "$work/calipers_lto" "$BATS_TEST_DIRNAME/programs/calipers/calipers.c" "$work/lto/lib/libmemphis.a" -pthread -ldl
    readelf -SW "$work/calipers_lto" | grep -q '[.]memphis_text'
}

@test "internal functions that the version script does not list are not exported" {
    cat > "$work/leaks.c" <<'END'
int memphis_begin(void) { return 0; }
int memphis_leaks(void) { return 0; }
int __memphis_MOD_memphis_leaks(void) { return 0; }
int __itt_leaks(void) { return 0; }
int sbrk(void) { return 0; }
END
    gcc -fno-builtin -fPIC -shared -o "$work/leaks.so" "$work/leaks.c" -Wl,--version-script="$top/libsampler/memphis.map"
    run bash -c "nm -D --defined-only '$work/leaks.so' | awk '\$2 == \"T\" {print \$3}' | sort | tr '\n' ' '"
    [ "$output" = "memphis_begin@@MEMPHIS_1.0 sbrk " ]
}

# tool_of [VARIABLE=VALUE...]: prints which OpenMP tool LLVM's runtime finds, and "other" if the other tool is started.
tool_of() {
    run -5 env OMP_TOOL_VERBOSE_INIT=stdout "$@" "$work/openmp"
    grep -oE '^other|(address space|Searching for ompt_start_tool in .*)\.\.\. (Success|Failed)' <<< "$output" |
        sed 's|in /.*/|in |' | paste -sd ,
}

@test "the library is an OpenMP tool only if no other tool is linked, preloaded or named" {
    [ "$(tool_of LD_PRELOAD="$preload")" = 'address space... Success' ]
    [ "$(tool_of OMP_TOOL_LIBRARIES="$preload")" = \
        'address space... Failed,Searching for ompt_start_tool in libmemphis.so... Success' ]
    [ "$(tool_of LD_PRELOAD="$preload" OMP_TOOL_LIBRARIES="$preload:$work/openmp_tool.so")" = 'address space... Success' ]
    for order in "$preload:$work/openmp_tool.so" "$work/openmp_tool.so:$preload"; do
        [ "$(tool_of LD_PRELOAD="$order" | tr , '\n' | sort | paste -sd ,)" = 'address space... Success,other' ]
    done
    [ "$(tool_of LD_PRELOAD="$preload" OMP_TOOL_LIBRARIES="$work/openmp_tool.so" | tr , '\n' | sort | paste -sd ,)" = \
        'Searching for ompt_start_tool in openmp_tool.so... Success,address space... Failed,other' ]
    [ "$(tool_of LD_PRELOAD="$preload" MEMPHIS_DISABLE=1)" = 'address space... Failed' ]
    run -5 env LD_PRELOAD="$preload" OMP_TOOL=disabled "$work/openmp"
}
