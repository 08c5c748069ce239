#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs every row once without the library, and once with it by each backend, as the user of a site. Root prepares
# the environment of the rows: full, closed and foreign directories, quotas, setuid programs. The words of a row are functions
# here; each ends by running the next word or the program.
# usage: guest.sh DIR OUT BACKEND...
# shellcheck disable=SC2317
set -u

delivered()
{
	truth delivered | awk '$1 == "all" { print $2 }'
}

program()
{
	LD_PRELOAD=$preload exec "$programs/program" "$@"
}

# Variants of the program that have the library linked in.
linked()
{
	exec "$programs/$1" "${@:2}"
}

limited()
{
	ulimit "$1" "$2"
	"${@:3}"
}

dense()
{
	MEMPHIS_PERIOD=1024 "$@"
}

# into DIRECTORY ...: sample files go to this directory.
into()
{
	MEMPHIS_OUTPUT=$1/files "${@:2}"
}

# The output directory has a relative path.
at_home()
{
	cd "$files" && MEMPHIS_OUTPUT=files "$@"
}

unloading()
{
	local library=$preload
	UNLOADED=$library preload='' "$@"
}

with_bump()
{
	preload="$preload $programs/libbump.so" "$@"
}

with_each_limit_of_files()
{
	local n
	for n in 4 5 6 7 8 9 10 12 14 16 20; do
		(limited -n "$n" "$@")
		echo "$n: $?"
	done
}

# There is a message to print, but standard error is closed.
without_stderr()
{
	MEMPHIS_DEVICE=/dev/none MEMPHIS_BACKEND=device "$@" 2>&-
}

with_broken_stderr()
{
	mkfifo "$files/broken"
	exec 9<> "$files/broken"
	exec 2> "$files/broken" 9>&-
	MEMPHIS_DEVICE=/dev/none MEMPHIS_BACKEND=device "$@"
}

if [ "$1" = --row ]; then
	shift
	"$@"
	exit
fi

self=$0
programs=$1
out=$2
shift 2
export self programs
export MEMPHIS_PERIOD=16384

# Prints what a program left behind: its processes, and users of the device. One process looks at all others, because the guest
# needs some milliseconds to start one.
left()
{
	# shellcheck disable=SC2010 # the targets of links are meant
	ls -l /proc/[0-9]*/exe 2> /dev/null | grep -F -- "-> $programs/"
	grep -v '^0$' /sys/module/memphis/refcnt
}

# run NAME WORDS...: runs one row. Results are written through descriptors that are already open, because nothing else works
# under some limits.
run()
{
	local name=$1 before tries=0
	shift

	echo "$name" >&2
	export files=$name
	mkdir -p "$files" && chown user "$files"
	export MEMPHIS_OUTPUT=$files/files
	before=$(delivered)
	{ { (exec site-user --perf-event-paranoid "$paranoid" bash "$self" --row "$@" 2>&3 3>&-); echo $? > "$name.status"; } | cat > "$name.out"; } 3>&1 | cat > "$name.err"
	while left > "$name.left" && [ $((tries += 1)) -lt 300 ]; do
		sleep 0.1
	done
	echo $(($(delivered) - before)) > "$name.delivered"
	for place in full closed read-only quota; do
		[ ! -d "/$place/files" ] || cp -r "/$place/files" "$files/"
		rm -rf "/$place/files" 2> /dev/null
	done
}

# rows DIRECTORY: runs all rows with results in DIRECTORY.
rows()
{
	local name words

	mkdir -p "$1"
	while IFS='|' read -r name words _; do
		case $name in '#'* | '') continue ;; esac
		# Split the words at blanks, on purpose.
		# shellcheck disable=SC2086
		run "$1/${name%% *}" $words
	done < "$programs/rows"
}

mkdir -p /full /closed /read-only /quota "$out"
chmod 755 /root "$out"
mount -t tmpfs -o size=16k none /full
mount -t tmpfs -o ro none /read-only
chmod 700 /closed
dd if=/dev/zero of=/quota.img bs=1M count=8 2> /dev/null
"$programs/mke2fs" -q -t ext4 -O quota -E quotatype=usrquota /quota.img
losetup /dev/loop0 /quota.img
mount -t ext4 -o usrquota /dev/loop0 /quota && "$programs/quota" /dev/loop0 1000 16 || exit
chmod 777 /quota
chmod u+s "$programs/setuid" "$programs/setuid-static"
chmod g+s "$programs/setgid"
# Four pages for four CPUs; see tests/vm/perf.
sysctl -q kernel.perf_event_mlock_kb=4

# An ordinary user may sample with perf if this is at most 1, and with the device in any case.
paranoid=3
preload='' MEMPHIS_DISABLE=1 rows "$out/without"
export preload=$programs/libmemphis.so.0
for backend; do
	[ "$backend" = device ] || paranoid=1
	MEMPHIS_BACKEND=$backend rows "$out/$backend"
done
exit 0
