#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Which kernels the module is built for, with a kernel that has only a version. If these tests fail, the build for a kernel that is too old
# ends with errors of the compiler, or one for a supported kernel is refused.

bats_require_minimum_version 1.5.0
load ../environment

# build VERSION PATCHLEVEL: as the kernel's Makefile and scripts/Makefile.build do, but only lists the objects.
build() {
    mkdir -p "$BATS_TEST_TMPDIR/kernel"
    cat > "$BATS_TEST_TMPDIR/kernel/Makefile" <<EOF
VERSION = $1
PATCHLEVEL = $2
export VERSION PATCHLEVEL
modules:
	@\$(MAKE) -s -f build
EOF
    cat > "$BATS_TEST_TMPDIR/kernel/build" <<EOF
src := $BATS_TEST_DIRNAME/../../kmod
include \$(src)/Kbuild
objects:
	@echo builds \$(obj-m)
EOF
    run --separate-stderr make -s --no-print-directory -C "$BATS_TEST_DIRNAME/../../kmod" KDIR="$BATS_TEST_TMPDIR/kernel" modules
}

@test "kernels before 5.10 are refused with a sentence that names the version" {
    local version
    for version in '2 6' '3 10' '4 18' '5 4' '5 9'; do
        # shellcheck disable=SC2086 # two words
        build $version
        [ "$status" -ne 0 ]
        [[ $stderr == *"memphis.ko needs Linux 5.10 or later, and this kernel is ${version/ /.}.  Stop."* ]]
        [ -z "$output" ]
    done
}

@test "later kernels are built for" {
    local version
    for version in '5 10' '5 14' '6 0' '6 12' '7 2' '10 0'; do
        # shellcheck disable=SC2086 # two words
        build $version
        [ "$status" -eq 0 ]
        [ "$output" = 'builds memphis.o' ]
        [ -z "$stderr" ]
    done
}
