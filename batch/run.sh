# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# The directory with the state and the locks of the hand-over. Only root may enter it: flock(2) needs no more than permission to read a file, so
# whoever can read a lock file can keep all others from the lock.

run=/run/memphis

# run_directory: creates the directory with its lock files, or repairs it. Locks of a directory that others could enter may be held by anybody, so
# they are replaced; if others could write to it, nothing in it is true.
run_directory()
{
	local owner mode name

	[ ! -L "$run" ] || rm -f "$run"
	[ -d "$run" ] || mkdir -m 700 "$run" || [ -d "$run" ] || return
	read -r owner mode < <(stat -c '%u %a' "$run")
	if [ "$owner,$mode" != 0,700 ]; then
		{ chown 0:0 "$run" && chmod 700 "$run"; } || return
		if [ "$owner" -ne 0 ] || [ $((8#$mode & 8#022)) -ne 0 ]; then
			memphis_log warning "$run was writable by others: its contents are removed"
			find "$run" -mindepth 1 -delete
		else
			rm -f "$run/lock" "$run/health"
		fi
	fi
	for name in lock health; do
		[ -e "$run/$name" ] || (umask 077 && : >> "$run/$name") || return
	done
	find "$run" -mindepth 1 -maxdepth 1 -type f ! -perm 600 -exec chmod 600 {} +
}
