# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# A cluster for a file of tests: begun in setup_file, gone after teardown_file, with everything that ran in it.

cluster_program=$BATS_TEST_DIRNAME/slurm/cluster

cluster_up()
{
	local why

	why=$("$cluster_program" possible) || skip "$why"
	export work
	# Short, and open to the users of the cluster: sockets and home directories lie there.
	work=$(mktemp -d "$TMPDIR/memphis-slurm.XXXXXX")
	chmod 755 "$work"
	"$cluster_program" up "$work" < /dev/null > "$work/out" 2>&1 3>&- &
	echo $! > "$work/pid"
	until [ -e "$work/ready" ]; do
		kill -0 "$(cat "$work/pid")" 2> /dev/null || {
			cat "$work/out" "$work/install.log" >&2
			return 1
		}
		sleep 0.1
	done
}

# The end of the first process of a namespace is the end of all in it.
cluster_down()
{
	[ -n "${work:-}" ] || return 0
	kill -KILL "$(cat "$work/pid")" 2> /dev/null || :
	while kill -0 "$(cat "$work/pid")" 2> /dev/null; do sleep 0.1; done
	rm -rf "$work"
}

# admin COMMAND...: as root on the controller's machine; `as USER`, as somebody else; `on NODE`, as root there.
admin()
{
	"$cluster_program" in "$work" "$@" 3>&-
}

as()
{
	local user=$1

	shift
	# Users of the cluster do not inherit the variables that configure these tests.
	admin runuser -u "$user" -- env -u MEMPHIS_CACHE -u MEMPHIS_DEBIAN_MIRROR -C "$work/home/$user" "$@"
}

on()
{
	local node=$1

	shift
	"$cluster_program" on "$node" "$work" "$@" 3>&-
}

# Waits for what has to come; the limit only ends what never would.
until_true()
{
	local end=$((SECONDS + 1800))

	until "$@" > /dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || { echo "never: $*"; return 1; }
		sleep 0.1
	done
}

# permissions [NODE]
permissions()
{
	on "${1:-a0}" getfacl -cnp /dev/memphis | tr '\n' ' '
}

closed='user::rw- group::--- other::---  '

is_closed()
{
	[ "$(permissions "${1:-a0}")" = "$closed" ]
}

can_open()
{
	on a0 runuser -u "$1" -- bash -c 'exec 8<> /dev/memphis'
}

# state NODE, reason NODE
state()
{
	admin sinfo -h -N -n "$1" -p work -o %T
}

reason()
{
	admin sinfo -h -N -n "$1" -p work -o %E
}

is_drained_for()
{
	[[ $(state a0) == drain* && $(reason a0) == "$1" ]]
}

is_in_service()
{
	[[ $(reason a0) == none && $(state a0) =~ ^(idle|reserved)$ ]]
}

no_jobs()
{
	[ -z "$(admin squeue -h)" ]
}

# Whatever a test did: the device is closed to everybody, and the queue moves.
at_rest()
{
	until_true no_jobs
	until_true is_in_service
	until_true is_closed
	run -1 can_open alice
	[[ $output == *'/dev/memphis: Permission denied'* ]]
	run -1 can_open bob
	[[ $output == *'/dev/memphis: Permission denied'* ]]
	[ "$(on a0 "$work/usr/libexec/memphis/batch/handover" owner)" = "" ]
	# shellcheck disable=SC2016 # the job's own variable
	[ "$(as alice srun --memphis bash -c 'exec 8<> /dev/memphis && echo "$SLURM_JOB_NODELIST"')" = a0 ]
	until_true no_jobs
	until_true is_closed
}

# job USER OPTION... < SCRIPT: its number.
job()
{
	local user=$1

	shift
	as "$user" sbatch --parsable -o "%j.out" "$@"
}

job_is()
{
	[ "$(admin squeue -h -j "$1" -o %T)" = "$2" ]
}
