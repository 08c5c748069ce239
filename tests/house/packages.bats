#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Packages of other projects: which goal asks for which, who installs them, and what is said about missing ones. If these tests
# fail, a newcomer downloads far more than the goal needs, or the build stops on a machine where it could succeed.

bats_require_minimum_version 1.5.0
load ../environment
load ../compiler

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    make -s lib tool examples > "$BATS_FILE_TMPDIR/build" 2>&1 || { cat "$BATS_FILE_TMPDIR/build"; return 1; }
    # A copy of the tree in which packaging/packages only records its arguments; it fails, so that nothing is built.
    export recording=$BATS_FILE_TMPDIR/recording
    mkdir "$recording"
    tar -c --exclude=./build --exclude=./.git . | tar -C "$recording" -x
    program "$recording/packaging/packages" <<< "echo \"\$*\" | tr -s ' ' >> $recording/asked; exit 1"
    # All commands of this machine but those of package managers, and sudo.
    export plain=$BATS_FILE_TMPDIR/plain
    mkdir "$plain"
    find /usr/local/bin /usr/bin /bin /usr/sbin /sbin -maxdepth 1 ! -type d ! -name 'apt*' ! -name 'dpkg*' ! -name sudo -exec ln -sf -t "$plain" {} +
}

setup() {
    cd "$top" || exit
    unset CC CFLAGS CPPFLAGS FC
    fakes=$BATS_TEST_TMPDIR/fakes
    mkdir -p "$fakes"
}

# program FILE: makes a script of stdin.
program() {
    { echo '#!/bin/bash'; cat; } > "$1"
    chmod +x "$1"
}

# fake NAME: makes a command of stdin, which comes first in PATH.
fake() {
    program "$fakes/$1"
    PATH=$fakes:${PATH#"$fakes:"}
}

# asks EXPECTED COMMAND...: checks the first call of packaging/packages by the command.
asks() {
    local expected=$1 found
    shift

    rm -f "$recording/asked"
    (cd "$recording" && MEMPHIS_CACHE=${cache:-$BATS_TEST_TMPDIR/none} "$@") > "$BATS_TEST_TMPDIR/out" 2>&1 && return 1
    found=$(head -n 1 "$recording/asked")
    [ "$found" = "$expected" ] || { echo "$*: $found, not $expected"; cat "$BATS_TEST_TMPDIR/out"; return 1; }
}

# hide HEADER...: sets CC to a compiler that does not find these headers.
hide() {
    compiler_without "$BATS_TEST_TMPDIR/compiler" "$@"
    export CC=$BATS_TEST_TMPDIR/compiler/cc
}

@test "each goal asks for the packages that it needs, and for no other" {
    asks '--check examples lib tool' make
    asks '--check lib' make lib
    asks '--check examples lib' make examples
    asks '--check tool' make tool
    asks '--check examples lib tool' make lib tool examples
    asks '--check lib tool' make install DESTDIR="$BATS_TEST_TMPDIR/root"
    asks '--install all' make packages
    asks '--install browser' make packages GROUP=browser
    asks '--install machine emulator' make machine
    asks '--install machine emulator' make kmod
    asks '--check machine emulator' machine/setup --no-install
    asks '--install build machine emulator' make demo
    asks '--install build test check site' make check
    asks '--install build test clang dwarf' make fuzz-tool
    asks '--install build test' make bench-alloc
    asks '--install build test' make bench-report
    asks '--install fresh' make test-fresh
    asks '--install build deb fresh machine test' make test-install
    asks '--check machine' machine/kernel 6.1
    asks '--check emulator' machine/qemu/build
    # The packages for building the emulator are not needed where it is built.
    local cache=$BATS_TEST_TMPDIR/cache
    mkdir -p "$cache/qemu-$(machine/qemu/build --key)-10.0.1"
    program "$cache/qemu-$(machine/qemu/build --key)-10.0.1/qemu-system-x86_64" <<< true
    asks '--install machine' make machine
    asks '--install build machine' make demo
}

@test "suites ask for the packages of all suites first, and only suites with packages of their own wait for these" {
    fake id <<< 'echo 0'
    asks '--install build test' tests/run unit/kmod
    asks '--install build test' tests/run more/browser
    asks '--install build test machine emulator' tests/run vm/device
    # A user who is not root is asked for the password only at the beginning.
    fake id <<< 'echo 1000'
    asks '--install build test browser' tests/run more/browser
    asks '--install build test machine emulator mpi' tests/run more/vm/mpi
    asks '--install build test machine emulator' tests/run vm/device
    asks '--install build test allocators blas browser clang containers databases dwarf examples flang pprof terminals traces' tests/run cli

    fake id <<< 'echo 0'
    fake make <<< "sleep 0.2; echo \"make \$*\" >> $recording/asked"
    fake bats <<< "echo 'bats' \"\${@: -1}\" >> $recording/asked; printf '1..1\nok 1 a\n'"
    program "$recording/packaging/packages" <<< "echo \"\$*\" | tr -s ' ' >> $recording/asked; [ \$1 = --install ]"
    rm "$recording/asked"
    (cd "$recording" && MEMPHIS_CACHE=$BATS_TEST_TMPDIR/none tests/run --jobs 3 batch more/vm/mpi vm/device) > "$BATS_TEST_TMPDIR/out" 2>&1
    cat "$BATS_TEST_TMPDIR/out" "$recording/asked"
    [ "$(head -n 3 "$recording/asked")" = "--install build test machine emulator
make -j$(nproc) lib tool examples WERROR=1
--check batch mpi" ]
    [ "$(tail -n +4 "$recording/asked" | sort)" = "--install batch mpi
bats tests/batch
bats tests/vm/device.bats
bats tests/vm/mpi.bats
make kmod" ]
    # Those with packages of their own come after the installation, those on the machine after its preparation.
    [ "$(grep -x -e '--install batch mpi' -e 'bats tests/batch' "$recording/asked" | head -n 1)" = '--install batch mpi' ]
    [ "$(grep -x -e 'make kmod' -e 'bats tests/vm/.*' "$recording/asked" | head -n 1)" = 'make kmod' ]
}

@test "each row of the list is complete, and each suite in the table of groups exists" {
    local name suites
    awk 'NF && !/^#/ && (NF < 5 || $1 !~ /^[a-z,-]+$/ || ($2 $3 $4 != "---" && ($1 ~ /(^|,)(lib|tool|spank|examples)(,|$)/) != ($3 != "-" && $4 != "-")) || (NF > 5 && $6 !~ /^WITH_[A-Z0-9]+$/)) { print; wrong = 1 }
        END { exit wrong }' packaging/packages.list
    suites=$(tests/run --list)
    while read -r name; do
        grep -qx "$name" <<< "$suites"
    done < <(awk 'NF && !/^#/ { print $1 }' tests/groups)
    # shellcheck disable=SC2046 # names of groups
    packaging/packages --list $(awk 'NF && !/^#/ { $1 = ""; print }' tests/groups) > "$BATS_TEST_TMPDIR/list"
    grep -qx shellcheck "$BATS_TEST_TMPDIR/list"
    run -1 packaging/packages --check build nonsense
    [[ "${lines[0]}" == "packages: error: no such group of packages: nonsense" ]]
}

@test "the Debian packages are built with all packages of the library and the tool" {
    # Those of build-essential need not be named.
    diff <(packaging/packages --list build | grep -vx -e binutils -e g++ -e gcc -e libc6-dev -e linux-libc-dev -e make) \
        <(sed -n '/^Build-Depends:/,/^[A-Z][a-z]*-[A-Z]/{s/^Build-Depends://;/^[A-Z]/d;p}' packaging/debian/control | tr ',' '\n' |
            sed 's/(.*//; s/ //g; /^$/d; /^debhelper-compat$/d; /^dh-sequence-/d' | sort)
}

@test "a missing header is named with its package on three distributions, all at once, and stops only what needs it" {
    hide uthash.h elfutils/version.h zstd.h
    run make -s tool
    [ "$status" -ne 0 ]
    [ "$(grep '^packages: ' <<< "$output")" = 'packages: error: missing: <elfutils/version.h> with _ELFUTILS_PREREQ(0,176), <uthash.h>
packages:   remedy on Debian, Ubuntu: apt-get install libdw-dev uthash-dev
packages:   remedy on Fedora, RHEL: dnf install elfutils-devel uthash-devel
packages:   remedy on SUSE: zypper install libdw-devel uthash-devel
packages: missing as well, but optional: <zstd.h> (.mprof files, zstd-compressed DWARF)
packages:   remedy on Debian, Ubuntu: apt-get install libzstd-dev
packages:   remedy on Fedora, RHEL: dnf install libzstd-devel
packages:   remedy on SUSE: zypper install libzstd-devel' ]
    run ! grep -q 'fatal error' <<< "$output"
    run make -s -C postproc
    [ "$status" -ne 0 ]
    [[ "$output" == *'packages: error: missing: <elfutils/version.h> with _ELFUTILS_PREREQ(0,176), <uthash.h>'* ]]
    run ! grep -q 'fatal error' <<< "$output"
    run -0 make -s lib examples
    run ! make -s install DESTDIR="$BATS_TEST_TMPDIR/root"
    [ ! -e "$BATS_TEST_TMPDIR/root" ]
    run -0 env CC='no-such-compiler -m64' packaging/packages --check check
    run -1 env CC='no-such-compiler -m64' packaging/packages --check lib
    [[ "${lines[0]}" == 'packages: error: missing: no-such-compiler -m64, <stdio.h>, <linux/perf_event.h>' ]]
}

@test "WITH_NAME=yes is an error without the package, =no leaves it out silently, and anything else is refused" {
    hide otf2/otf2.h hwloc.h
    run make -s tool WITH_OTF2=yes
    [ "$status" -ne 0 ]
    [ "$(grep '^packages: ' <<< "$output" | head -n 1)" = 'packages: error: missing: <otf2/otf2.h> with OTF2_VERSION_MAJOR>=3 (export to OTF2)' ]
    run -0 packaging/packages --left-out tool
    [[ "${lines[0]}" == *'<otf2/otf2.h> with OTF2_VERSION_MAJOR>=3 (export to OTF2), <hwloc.h> '* ]]
    WITH_HWLOC=no WITH_OTF2=auto run -0 packaging/packages --left-out tool
    [ "${lines[0]}" = 'packages: left out, because a package is missing: <otf2/otf2.h> with OTF2_VERSION_MAJOR>=3 (export to OTF2)' ]
    WITH_HWLOC=no WITH_OTF2=no run -0 packaging/packages --left-out tool
    [ "$output" = '' ]
    WITH_SCOTCH=no WITH_PROTOBUF=no MPICC_mpich=/nonexistent/mpicc FC=/nonexistent/f run -0 packaging/packages --with tool
    [ "${lines[*]}" = 'capstone demangle openmpi sqlite zlib zstd' ]
    FC=/nonexistent/f WITH_FORTRAN=no run -0 packaging/packages --check lib
    FC=/nonexistent/f run -1 packaging/packages --check lib
    [ "${lines[0]}" = 'packages: error: missing: /nonexistent/f' ]
    run -2 make -s tool WITH_OTF=yes
    [[ "$output" == *'memphis: no such option: WITH_OTF; make help lists them.  Stop.' ]]
    run -2 make -s tool WITH_OTF2=maybe
    [ "${lines[0]}" = 'packages: error: WITH_OTF2=maybe is none of yes, no and auto' ]
    # With an empty directory, root would build into /bin.
    run -2 make -s tool BUILD=
    [[ "$output" == *'memphis: BUILD is empty: give it a directory, or leave it out.  Stop.' ]]
    # The environment may have such a variable for another reason.
    WITH_OTF="it's yes" run -0 make -s required
}

@test "a version that is too old is missing" {
    local include=$BATS_TEST_TMPDIR/include

    mkdir -p "$include/otf2" "$include/elfutils" "$include/capstone"
    echo '#define CS_API_MAJOR 3' > "$include/capstone/capstone.h"
    echo '#define OTF2_VERSION_MAJOR 2' > "$include/otf2/otf2.h"
    printf '#define _ELFUTILS_VERSION 175\n#define _ELFUTILS_PREREQ(a, b) (_ELFUTILS_VERSION >= (a) * 1000 + (b))\n' > "$include/elfutils/version.h"
    CFLAGS=-I$include run -1 packaging/packages --check tool
    [ "${lines[0]}" = 'packages: error: missing: <elfutils/version.h> with _ELFUTILS_PREREQ(0,176)' ]
    [[ "$output" == *'but optional: <otf2/otf2.h> with OTF2_VERSION_MAJOR>=3 (export to OTF2), <capstone/capstone.h> with CS_API_MAJOR>=4 (names of most automatic arrays)'* ]]
    sed -i 's/175/176/' "$include/elfutils/version.h"
    CFLAGS=-I$include run -0 packaging/packages --check tool
}

@test "what no system has as a package is used if it is there, and asked for by WITH_NAME=yes alone" {
    MPICC_abi=true run -0 packaging/packages --with lib
    [ "${lines[0]}" = abi ]
    export MPICC_abi=/nonexistent/mpicc_abi
    run -0 packaging/packages --left-out lib
    [[ "$output" != *abi* ]]
    WITH_ABI=yes run -1 packaging/packages --check lib
    [ "${lines[0]}" = "packages: error: missing: /nonexistent/mpicc_abi (what MPI ranks wait for, with the binary interface of MPI's standard)" ]
}

@test "packages that the lists of this system lack are not part of the command that installs" {
    hide otf2/otf2.h hwloc.h
    fake apt-cache <<< "printf 'Package: libhwloc-dev\\nVersion: 1\\n'"
    run -0 packaging/packages --left-out tool
    [ "${lines[1]}" = 'packages:   remedy on Debian, Ubuntu: apt-get install libhwloc-dev' ]
    [ "${lines[2]}" = 'packages:   this system has no package libotf2-trace-dev' ]
    [ "${lines[3]}" = 'packages:   remedy on Fedora, RHEL: dnf install otf2-devel hwloc-devel' ]
    record_managers
    run packaging/packages --install tool
    [ "$(tail -n 1 "$BATS_TEST_TMPDIR/calls")" = 'apt-get -qq -o DPkg::Lock::Timeout=600 install --no-install-recommends libhwloc-dev' ]
}

@test "make BUILD=DIR install installs what is built there" {
    # The parts are built already, so $(MAKE) has nothing to do; nothing is in the tree itself.
    run -0 make -s -C "$recording" MAKE=true PACKAGES=true BUILD="$top/build" install DESTDIR="$BATS_TEST_TMPDIR/root"
    [ ! -e "$recording/build/bin" ]
    cmp build/bin/memphis "$BATS_TEST_TMPDIR/root/usr/local/bin/memphis"
}

@test "library and tool are built where there is no package manager" {
    local PATH=$plain
    run ! command -v apt-get dpkg dpkg-query sudo
    run -0 make -s lib tool examples
    echo "$output"
    [ "$output" = '' ]
    run -0 packaging/packages --install build
    # What is missing is reported once, with the reason.
    hide uthash.h
    run -1 packaging/packages --install build
    [ "${lines[0]}" = 'packages: error: missing: <uthash.h>' ]
    [ "${lines[4]}" = 'packages: this system has no apt-get, by which they could be installed here' ]
}

# record_managers: package managers and sudo record their calls in ./calls.
record_managers() {
    local name

    : > "$BATS_TEST_TMPDIR/calls"
    for name in apt-get apt dpkg dpkg-query rpm dnf zypper; do
        fake "$name" <<< "echo '$name' \"\$*\" >> $BATS_TEST_TMPDIR/calls"
    done
    fake sudo <<< "[ \"\$*\" = -v ] || exec \"\${@:2}\""
}

@test "make, make install and their parts call no package manager, whether or not something is missing" {
    record_managers
    run -0 make -s
    run -0 make -s lib tool examples
    run -0 make -s install DESTDIR="$BATS_TEST_TMPDIR/root"
    hide uthash.h
    run ! make -s
    run ! make -s install DESTDIR="$BATS_TEST_TMPDIR/root"
    [ "$(cat "$BATS_TEST_TMPDIR/calls")" = '' ]
    # The packages are installed only on request.
    run -1 packaging/packages --install build
    [ "$(cat "$BATS_TEST_TMPDIR/calls")" = 'apt-get -qq -o DPkg::Lock::Timeout=600 update
apt-get -qq -o DPkg::Lock::Timeout=600 install --no-install-recommends uthash-dev' ]
    [[ "$output" == *'their packages were installed, and do not provide them: correct packaging/packages.list' ]]
}

@test "one installation waits for another" {
    record_managers
    hide uthash.h
    exec 8< /var/lib/dpkg
    flock 8
    packaging/packages --install build > "$BATS_TEST_TMPDIR/out" 2>&1 8<&- 3>&- &
    until grep -q 'waiting for another installation' "$BATS_TEST_TMPDIR/out"; do
        sleep 0.1
    done
    [ "$(cat "$BATS_TEST_TMPDIR/calls")" = '' ]
    # Meanwhile the package has been installed.
    ln -s /usr/include/uthash.h "$BATS_TEST_TMPDIR/compiler/include"
    exec 8<&-
    wait "$!"
    [ "$(cat "$BATS_TEST_TMPDIR/calls")" = '' ]
}

@test "a user without root or sudo gets one list of all missing packages, and nothing is called" {
    record_managers
    rm "$fakes/sudo"
    fake id <<< 'echo 1000'
    PATH=$fakes:$plain
    ln -s /bin/true "$fakes/dpkg-deb"
    ln -s /bin/true "$fakes/dpkg-source"
    hide uthash.h libfdt.h
    run -1 packaging/packages --install build machine emulator
    echo "$output"
    [ "$output" = "packages: error: missing: <uthash.h>, <libfdt.h>
packages:   remedy on Debian, Ubuntu: apt-get install uthash-dev libfdt-dev
packages:   remedy on Fedora, RHEL: dnf install uthash-devel
packages:   remedy on SUSE: zypper install uthash-devel
packages: they can't be installed here: this user is not root, and sudo does not work" ]
    [ "$(cat "$BATS_TEST_TMPDIR/calls")" = '' ]
}

@test "without user namespaces, root and sudo, one message states that, and how to allow them" {
    PATH=$plain
    fake id <<< 'echo 1000'
    fake unshare <<< 'echo "unshare: unshare failed: Operation not permitted" >&2; exit 1'
    run -1 bash -c '. machine/lib/common.sh; isolated echo done' setup
    [ "$output" = "setup: error: this user can't create user namespaces (unshare: unshare failed: Operation not permitted), is not root, and sudo does not work
setup:   remedy: allow them (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone or kernel.apparmor_restrict_unprivileged_userns), or run as root" ]
    # With sudo, root does it.
    fake sudo <<< "[ \"\$*\" = -v ] || echo sudo \"\$*\""
    run -0 bash -c '. machine/lib/common.sh; isolated echo done'
    [ "$output" = 'sudo -- unshare --mount -- echo done' ]
}

@test "without Debian's names, mpicc is the compiler of the family that its header tells" {
    local few=$BATS_TEST_TMPDIR/few family other
    mkdir "$few"
    ln -s "$(command -v tail)" "$few/"
    for family in mpich openmpi; do
        [ "$(packaging/mpicc "$family")" = "mpicc.$family" ]
        program "$few/mpicc" <<< "PATH=$PATH exec mpicc.$family \"\$@\""
        for other in mpich openmpi; do
            [ "$(PATH=$few packaging/mpicc "$other")" = "mpicc$([ "$other" = "$family" ] || echo ".$other")" ]
        done
    done
}
