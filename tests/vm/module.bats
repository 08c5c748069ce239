#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The module's source with every kernel's own compiler and headers. If these tests fail, it does not build on a kernel that the README
# promises, or a compiler reports a defect.

bats_require_minimum_version 1.5.0
load ../environment

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../.." || exit
	export top=$PWD
	export work=$top/build/test/module

	rm -rf "$work"
	mkdir -p "$work/no-sudo"
	printf '#!/bin/sh\nexit 1\n' > "$work/no-sudo/sudo"
	chmod 755 "$work/no-sudo/sudo"
}

# build_module: builds in an empty directory, because make would skip what is already built. A kernel's build chroot has sparse
# if Debian's headers can be used with it.
build_module()
{
	local out=$work/kmod/$1 check=0 sources

	[ ! -e "$("$top/machine/kernel" "$1" --chroot)/usr/bin/sparse" ] || check=1
	"$top/machine/kbuild" "$1" "$top/kmod" "$out" W=1 C=$check 2> "$work/build-$1.log"
	cat "$work/build-$1.log"
	! grep -E '\.[ch]:[0-9]+:.*(warning|error):|WARNING: modpost' "$work/build-$1.log" || return
	sources=$(find "$top/kmod" -name '*.c' | wc -l)
	[ "$(grep -c '^  CC \[M\] .*\.o$' "$work/build-$1.log")" -ge "$sources" ]
	[ "$check" -eq 0 ] || [ "$(grep -c '^  CHECK ' "$work/build-$1.log")" -eq "$sources" ]
}

@test "the module builds for every kernel without a warning of compiler or sparse" {
	local kernel kernels

	mapfile -t kernels < <("$top/machine/kernel" --list)
	[ "${#kernels[@]}" -ge 4 ]
	for kernel in "${kernels[@]}"; do
		build_module "$kernel"
	done
}

@test "an ordinary user builds the module without root's rights" {
	local place user=() kernel

	# Another user may have no access to this tree or to the cache.
	place=$(mktemp -d "$TMPDIR/memphis-module.XXXXXX")
	kernel=$("$top/machine/kernel" 6.1)
	mkdir "$place/cache"
	cp -a "$kernel" "$place/cache"
	cp -a "$top"/{kmod,include,machine,packaging} "$place"
	if [ "$(id -u)" -eq 0 ]; then
		chown -R nobody "$place"
		user=(setpriv --reuid nobody --regid nogroup --clear-groups)
	fi
	"${user[@]}" unshare --user --map-root-user --mount true || { rm -rf "$place"; skip "user namespaces are not allowed here"; }
	run "${user[@]}" env HOME="$place" MEMPHIS_CACHE="$place/cache" PATH="$work/no-sudo:$PATH" "$place/machine/kbuild" 6.1 "$place/kmod" "$place/out"
	[ "$status" -eq 0 ] && mv "$place/out/memphis.ko" "$work/by-user.ko"
	left=$(find "$place/cache"/*/chroot/srv -mindepth 1)
	rm -rf "$place"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$left" = '' ]
	modinfo -F vermagic "$work/by-user.ko" | grep "^$("$top/machine/kernel" 6.1 --release) "
}

@test "a CPU whose PEBS event is not load latency is refused with the reason in the log" {
	local module=$work/kmod-denverton

	"$top/machine/kbuild" 6.12 "$top/kmod" "$module"
	run "$top/machine/run" --kernel 6.12 --cpu denverton --put "$module/memphis.ko:/root/memphis.ko" -- sh -c '
		insmod /root/memphis.ko
		echo "status $?"
		dmesg | grep "Goldmont\|memphis:" | sed "s/^\[[^]]*\] //"'
	[ "$status" -eq 0 ]
	echo "$output"
	[[ "$output" == *"status 1"* ]]
	[[ "$output" == *"Performance Events: PEBS fmt3+, Goldmont events"* ]]
	[[ "$output" == *"memphis: the kernel has no load latency event 0x1cd on this Intel CPU (family 0x6, model 0x5f)"* ]]
}
