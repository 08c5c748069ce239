# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What tests must not inherit from whoever starts them. tests/run reads this, and so does every test file, for those
# who call `bats` themselves.

# Once: what a test file sets for its tests stays.
[ -z "${memphis_environment:-}" ] || return 0
export memphis_environment=set

# Other users of the host, and of the guest, run what is built here.
umask 022
# Sorting and messages as they stand in the tests; this locale is in every C library.
export LC_ALL=C.UTF-8
# Nobody writes into the tree while others copy it.
export PYTHONDONTWRITEBYTECODE=1
unset CDPATH DEBUGINFOD_URLS GREP_OPTIONS FFLAGS PERIOD STEPS VARIANTS TRUTH KERNEL DEMO_DIR MAKEFLAGS MFLAGS "${!OMP_@}"
for name in "${!MEMPHIS_@}"; do
	case $name in
	MEMPHIS_CACHE | MEMPHIS_DEBIAN_MIRROR | MEMPHIS_TEST_KERNELS | MEMPHIS_TEST_CPUS | MEMPHIS_TEST_THREADS) ;;
	*) unset "$name" ;;
	esac
done
unset name
# A debugger's child can't look for leaks, and would fail for that alone.
if grep -q '^TracerPid:[[:space:]]*[1-9]' /proc/self/status; then
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
fi
# Tests compare paths; and the guest's own /dev would hide what is brought there.
TMPDIR=$(realpath -- "${TMPDIR:-/tmp}")
case $TMPDIR/ in
/dev/* | /proc/* | /sys/*) TMPDIR=/tmp ;;
esac
export TMPDIR
