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

# built KERNEL: builds the module as the other suites do, if none has yet.
built()
{
	module=$top/build/kmod/$1
	"$top/machine/kbuild" "$1" "$top/kmod" "$module" 2> "$work/build-$1.log" || { cat "$work/build-$1.log"; return 1; }
}

@test "the module builds for every kernel without a warning of compiler or sparse" {
	local kernel kernels sources check module

	mapfile -t kernels < <("$top/machine/kernel" --list)
	[ "${#kernels[@]}" -ge 4 ]
	sources=$(find "$top/kmod" -name '*.c' | wc -l)
	for kernel in "${kernels[@]}"; do
		built "$kernel"
		! grep -E '\.[ch]:[0-9]+:.*(warning|error):|WARNING: modpost' "$module/build.log" || return
		[ "$(grep -c '^  CC \[M\] .*\.o$' "$module/build.log")" -ge "$sources" ]
		check=0
		[ ! -e "$("$top/machine/kernel" "$kernel" --chroot)/usr/bin/sparse" ] || check=$sources
		[ "$(grep -c '^  CHECK ' "$module/build.log")" -eq "$check" ]
	done
}

@test "an ordinary user builds the module without root's rights" {
	local place user=() kernel

	# Another user may have no access to this tree or to the cache.
	place=$(mktemp -d "$TMPDIR/memphis-module.XXXXXX")
	kernel=$("$top/machine/kernel" 6.1)
	mkdir "$place/cache"
	# Without the kernel itself, and without the directories of other builds that run now.
	tar -C "$(dirname "$kernel")" -c --exclude '*/image' --exclude '*/vmlinux' --exclude '*/chroot/srv/*' "$(basename "$kernel")" | tar -C "$place/cache" -x
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

@test "on each kernel, the module is loaded, the program of its page is sampled, and the module is removed" {
	local machine kernel module

	python3 "$top/tests/house/manual.py" --example "$top/man/memphis.4" > "$work/example.c"
	gcc -std=gnu11 -O1 -static -I"$top/include" -o "$work/example" "$work/example.c"
	for machine in 5.10@milan 6.1@skylake 6.12@graniterapids 7.2@turin; do
		kernel=${machine%@*}
		built "$kernel"
		run -0 "$top/machine/run" --kernel "$kernel" --cpu "${machine#*@}" --module "$module/memphis.ko period_min_cpu=1024" \
			--put "$work/example:/root/example" -- sh -c 'site-user /root/example && rmmod memphis && [ ! -e /dev/memphis ] && echo removed'
		echo "$machine: $output"
		[[ "$output" =~ ^[1-9][0-9]*\ samples,\ [0-9]+\ of\ remote\ memory,\ 0\ lost$'\n'removed$ ]]
	done
}

# refused KERNEL CPU MESSAGE [KERNEL-ARGUMENTS]: checks that the module's log and the library name the part, what is missing, and what
# helps.
refused()
{
	local module

	built "$1"
	run -0 "$top/machine/run" --kernel "$1" --cpu "$2" --append "${4:-}" --put "$module/memphis.ko:/root/memphis.ko" \
		--put "$top/build/bin/memphis:/root/bin/memphis" --put "$top/build/lib/libmemphis.so.0:/root/lib/libmemphis.so.0" --nodes 1 --cpus 1 -- sh -c '
		insmod /root/memphis.ko 2> /dev/null && echo "the module is loaded"
		dmesg | sed -n "s/^.*memphis: \(.* sampled: \)/\1/p" | sort -u
		cd /tmp && site-user --perf-event-paranoid 1 /root/bin/memphis record -- bash -c : 2>&1
		echo "record $?"'
	echo "$output"
	[ "$output" = "$3
memphis: not sampling: /dev/memphis: No such file or directory; $3
record 1" ]
}

other='use an AMD CPU with IBS, or an Intel server with performance cores'

@test "servers with Atom cores are refused by module and library, which name the part and its event" {
	refused 6.12 sierraforest "Sierra Forest (GenuineIntel, family 0x6, model 0xaf) can't be sampled: its Atom cores sample loads by event 0x5d0 instead of 0x1cd, which is not supported; $other"
}

@test "a hybrid CPU is refused" {
	refused 6.12 alderlake "Alder Lake (GenuineIntel, family 0x6, model 0x97) can't be sampled: hybrid CPUs, whose cores have different events (PMUs cpu_core, cpu_atom), are not supported; $other"
}

@test "a part that the kernel does not know is refused with the kernel that does" {
	refused 6.1 graniterapids "Intel Xeon Processor (GraniteRapids) (GenuineIntel, family 0x6, model 0xad) can't be sampled: this kernel does not know Granite Rapids; use a kernel later than 6.1, such as 6.12"
}

# 130 is the kernel's number of the feature dtes64, without which it uses no PEBS.
@test "a guest whose hypervisor hides PEBS is refused" {
	refused 6.12 skylake "Intel Xeon Processor (Skylake) (GenuineIntel, family 0x6, model 0x55) can't be sampled: the hypervisor hides PEBS from this guest; have it pass on PEBS, or sample on the host" clearcpuid=130
}

@test "an AMD CPU whose BIOS has disabled IBS is refused with the remedy" {
	refused 6.12 noibs "AMD EPYC-Milan Processor (AuthenticAMD, family 0x19, model 0x1) can't be sampled: Instruction-Based Sampling (IBS) is off; enable IBS in the BIOS set-up"
}
