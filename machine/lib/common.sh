# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Functions shared by the scripts of machine/: messages, the cache directory, packages, root's rights.

# Use the same locale everywhere, as cache keys depend on the sort order, and messages of tools are parsed.
export LC_ALL=C.UTF-8
# If HOME is not set, use the home directory from the password database.
export HOME=${HOME:-~}

# shellcheck disable=SC2034 # used by the scripts that source this file
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

# The PATH of an ordinary user lacks the directories of debootstrap, depmod and chroot.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export PATH

# Checks or installs groups of packages; packaging/packages explains the arguments.
packages()
{
	"${BASH_SOURCE[0]%/*}/../../packaging/packages" "$@"
}

# Runs a command as root, with sudo if the caller is not root.
as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo -- "$@"
	else
		die "root's rights are needed for: $*" "run as root, or install sudo"
	fi
}

# need COMMAND PACKAGE: fails with the name of the package if COMMAND (a command or a file) is missing.
need()
{
	command -v "$1" >/dev/null || [ -e "$1" ] ||
		die "'$1' is not installed" "apt-get install $2   (or machine/setup, which installs all required packages)"
}
