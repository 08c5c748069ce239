# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Functions shared by the scripts of machine/: messages, the cache directory, packages, root's rights.

# Use the same locale everywhere, as cache keys depend on the sort order, and messages of tools are parsed.
export LC_ALL=C.UTF-8
# If HOME is not set, use the home directory from the password database.
export HOME=${HOME:-~}

# shellcheck disable=SC2034 # used by the scripts that source this file
memphis_cache=$(realpath -m -- "${MEMPHIS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/memphis}")

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

# Runs a command with its own mounts and with root's rights over the caller's files, which needs no root if the kernel allows user
# namespaces. Root in a container that allows no namespaces gets no mounts of its own.
isolated()
{
	local user=(unshare --user --map-root-user --mount --)

	if [ "$(id -u)" -eq 0 ]; then
		if unshare --mount true 2>/dev/null; then
			unshare --mount -- "$@"
		else
			"$@"
		fi
	elif "${user[@]}" true 2>/dev/null; then
		"${user[@]}" "$@"
	elif command -v sudo >/dev/null && sudo -v; then
		sudo -- unshare --mount -- "$@"
	else
		die "this user can't create user namespaces ($("${user[@]}" true 2>&1 | head -n 1)), is not root, and sudo does not work" \
			"allow them (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone or kernel.apparmor_restrict_unprivileged_userns), or run as root"
	fi
}

jobs_begun=()

# beside COMMAND...: runs it in the background in its own process group, which ends with this script at the latest.
beside()
{
	if [ ${#jobs_begun[@]} -eq 0 ]; then
		trap end_jobs EXIT
		trap 'exit 130' INT
		trap 'exit 143' TERM
	fi
	set -m
	"$@" &
	set +m
	jobs_begun+=($!)
}

end_jobs()
{
	local job

	for job in "${jobs_begun[@]}"; do
		kill -- "-$job" 2>/dev/null || :
	done
}

# Waits for all jobs; ends the script as soon as one of them fails.
await_jobs()
{
	local job

	for job in "${jobs_begun[@]}"; do
		wait -n || exit 1
	done
	jobs_begun=()
}
