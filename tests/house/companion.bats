#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Code that runs in a companion (libsampler/base/companion.h) uses no function of the C library that takes its locks, allocates, or has
# data in each thread. If this test fails, a program with one thread may crash or hang.

bats_require_minimum_version 1.5.0
load ../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export build=${BUILD:-$PWD/build}
}

# Rooms whose code runs in companions, in part.
rooms=(base settings unwind data backend core counters record control)

# What must not be called there: allocation, streams, POSIX threads, the dynamic loader, directories, and texts that are translated.
forbidden='malloc|calloc|realloc|free|strdup|asprintf|vasprintf|getline|(f|fd|fmem|p)open|fclose|fprintf|vfprintf|printf|puts|fputs|fputc|fgets|vdprintf|dprintf|pthread_.*|dl_iterate_phdr|dlopen|dlsym|dladdr|dlclose|opendir|fdopendir|readdir|closedir|scandir|realpath|strerror|strerror_r|strsignal|setlocale|getpw.*|getgr.*|getaddrinfo|syslog|exit|atexit|system|sleep'

# Calls in functions that threads of the program run, or the tool: file, function of the C library.
allowed='base/companion dl_iterate_phdr
base/loaded dl_iterate_phdr
base/say pthread_sigmask
base/text strerror
control/attach pthread_setcancelstate
control/session pthread_setcancelstate
core/sanitizer dladdr
core/thread pthread_key_create
core/thread pthread_setcancelstate
core/thread pthread_setspecific
core/tls dl_iterate_phdr
counters/helper dladdr
counters/helper realpath
counters/uncore_list fclose
counters/uncore_list fmemopen
counters/uncore_list fprintf
counters/uncore_list fputc
unwind/cfi dlsym'

@test "code of companions uses no function of the C library that needs its locks, its allocator, or its threads" {
    local room name
    for room in "${rooms[@]}"; do
        # By sources: objects of former ones may be there.
        for name in $(basename -s .c "$BATS_TEST_DIRNAME/../../libsampler/$room"/*.c); do
            nm -u "$build/libsampler/$room/$name.o" | awk -v name="$room/$name" -v forbidden="^($forbidden)\$" '$2 ~ forbidden { print name, $2 }'
        done
    done | sort -u > "$BATS_TEST_TMPDIR/found"
    diff <(sort -u <<< "$allowed") "$BATS_TEST_TMPDIR/found"
}

# In threads of the program, too.
@test "the library makes system calls of files and sockets itself, so that tools that interpose functions are not called" {
    nm -D -u "$build/lib/libmemphis.so" | awk '{ sub("@.*", "", $2); print $2 }' > "$BATS_TEST_TMPDIR/used"
    grep -qx snprintf "$BATS_TEST_TMPDIR/used"
    run -1 grep -xE '(__)?(access|close|creat|dup[23]?|f?(data)?sync|fcntl|f?x?stat(at)?|f?truncate|getdents|ioctl|lseek|madvise|mkdir|mprotect|open(at)?|pipe2?|poll|p?(read|write)v?|readlink|recv(from|msg)?|rename|rmdir|send(to|msg)?|shmctl|signal|sigaction|socket(pair)?|unlink)(64)?(_chk|_2)?' "$BATS_TEST_TMPDIR/used"
}
