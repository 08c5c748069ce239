# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What the scripts of machine/ share: messages, the cache directory, root rights, time stamps.

# Sorting decides about keys of what is cached, and messages of tools are read: the same wherever this runs.
export LC_ALL=C.UTF-8
# Of no account to whoever has a home; others get the one that the system has for them.
export HOME=${HOME:-~}

# shellcheck disable=SC2034 # used by those who read this file
memphis_cache=${MEMPHIS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/memphis}

say()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# die REASON [REMEDY]
die()
{
	say "error: $1"
	[ $# -lt 2 ] || say "  remedy: $2"
	exit 1
}

# Runs a command with root rights, by sudo when we are somebody else.
as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo -- "$@"
	else
		die "root rights are needed for: $*" "run as root, or install sudo"
	fi
}

# debootstrap, depmod and chroot live where an ordinary user's PATH doesn't look.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export PATH

# need COMMAND PACKAGE: fails with the package's name when COMMAND is missing.
need()
{
	command -v "$1" >/dev/null || [ -e "$1" ] ||
		die "'$1' is not there" "apt-get install $2   (or machine/setup, which installs all that is needed)"
}
