# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Clears settings that tests must not inherit from the calling environment. Read by tests/run and by every test file, because
# test files may also be run with `bats` directly.

# without_device LIBRARY DEVICE: prints the line with which the library gives up because the device is missing. The remedy depends on
# whether this machine's CPU can be sampled; tests/unit/libsampler/backend/backend_test.c has both.
without_device()
{
	local line pattern="^memphis: not sampling: $2: No such file or directory; (load the module \\(modprobe memphis\\) on this node, or run on the node that has it|.+ can't be sampled: .+; .+)\$"

	line=$(MEMPHIS_BACKEND=device MEMPHIS_DEVICE=$2 python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1]).memphis_probe()' "$1" 2>&1)
	printf '%s\n' "$line"
	[[ $line =~ $pattern ]]
}

# Run once per session: variables that a test file sets for its tests must survive.
[ -z "${memphis_environment:-}" ] || return 0
export memphis_environment=set

# Other users of the host and of the guest run the programs that are built here.
umask 022
# Fixes sort order and messages; every C library has this locale.
export LC_ALL=C.UTF-8
# Reports have lines of this width; in a pipe, the default is 80.
export COLUMNS=100
# No cache files may appear in the tree while another suite copies it.
export PYTHONDONTWRITEBYTECODE=1
# LANGUAGE translates messages also in this locale, which is not C itself.
unset LANGUAGE CDPATH DEBUGINFOD_URLS GREP_OPTIONS FFLAGS PERIOD STEPS VARIANTS TRUTH KERNEL DEMO_DIR MAKEFLAGS MFLAGS "${!OMP_@}"
for name in "${!MEMPHIS_@}"; do
	case $name in
	MEMPHIS_CACHE | MEMPHIS_DEBIAN_MIRROR | MEMPHIS_TEST_MACHINES | MEMPHIS_TEST_LEVEL) ;;
	*) unset "$name" ;;
	esac
done
unset name
# LeakSanitizer does not work under a debugger, and would make the test fail.
if grep -q '^TracerPid:[[:space:]]*[1-9]' /proc/self/status; then
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
fi
# Tests compare paths, so resolve symbolic links. In the guest, its own /dev, /proc and /sys would cover files that are put
# there.
TMPDIR=$(realpath -- "${TMPDIR:-/tmp}")
case $TMPDIR/ in
/dev/* | /proc/* | /sys/*) TMPDIR=/tmp ;;
esac
export TMPDIR
