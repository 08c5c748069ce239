#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The words of the column `around` of the table `rows`: what a program finds when it starts. Each word ends by running the next word
# or the command, which is the program or `memphis record` with it.
# usage: around.bash WORD [ARGUMENT]... COMMAND [ARGUMENT]...
# shellcheck disable=SC2317 # words are called by their names
set -u

# next WORD|COMMAND ...: runs the next word, or becomes the command.
next()
{
	if [ "$(type -t "$1")" = function ]; then
		"$@"
	else
		exec "$@"
	fi
}

# limited OPTION VALUE ...: with a limit of the shell's ulimit.
limited()
{
	ulimit "$1" "$2" || exit
	next "${@:3}"
}

# as_user ...: as a user who is neither root nor anyone else's, if root runs the tests.
as_user()
{
	[ "$(id -u)" -eq 0 ] || next "$@"
	exec setpriv --reuid "$((60000 + $$ % 5000))" --regid 65534 --clear-groups bash "$0" next "$@"
}

# with NAME=VALUE ...: with an environment variable.
with()
{
	export "${1?}"
	next "${@:2}"
}

# preloaded FILE ...: with a library that is preloaded already.
preloaded()
{
	local files
	mapfile -t files < <(compgen -G "$1")
	[ "${#files[@]}" -eq 1 ] || { echo "not one file: $1" >&2; exit 1; }
	LD_PRELOAD=${files[0]} exec "${@:2}"
}

# in_cgroup MEGABYTES ...: in a control group with this much memory.
in_cgroup()
{
	local limit=$1 group file
	shift

	for file in /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/cgroup.subtree_control; do
		[ -e "$file" ] || continue
		group=${file%/*}/memphis-programs-$$
		mkdir "$group" || return
		if [ -e "$group/memory.limit_in_bytes" ]; then
			echo "$((limit << 20))" > "$group/memory.limit_in_bytes"
		else
			echo "$((limit << 20))" > "$group/memory.max" || { rmdir "$group"; return 1; }
		fi
		(
			echo "$BASHPID" > "$group/cgroup.procs" || exit
			exec "$@"
		)
		leave_group "$?" "$group"
		return
	done
	return 1
}

# leave_group STATUS GROUP: removes an empty group, which takes the kernel a moment after its last process.
leave_group()
{
	until rmdir "$2" 2> /dev/null; do
		[ -d "$2" ] || break
		grep -q . "$2/cgroup.procs" 2> /dev/null && break
	done
	return "$1"
}

# small_output ...: the directory of the sample files is a file system of 64 KiB.
small_output()
{
	# shellcheck disable=SC2016 # expanded by the inner shell
	exec unshare -m bash -c 'mount -t tmpfs -o size=64k,mode=777 memphis "$OUT" && exec "$@"' small "$@"
}

# read_only_output ...: the directory of the sample files can't be written.
read_only_output()
{
	# shellcheck disable=SC2016 # expanded by the inner shell
	exec unshare -m bash -c 'mount -t tmpfs -o ro memphis "$OUT" && exec "$@"' read-only "$@"
}

# without_descriptors ...: standard input, output and error are closed.
without_descriptors()
{
	exec "$@" <&- >&- 2>&-
}

# ignoring SIGNAL ...: the signal is ignored.
ignoring()
{
	trap '' "$1"
	next "${@:2}"
}

next "$@"
