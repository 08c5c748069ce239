# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# A cluster for one test file: setup_file starts it, and teardown_file removes it with all its processes.

cluster_program=$BATS_TEST_DIRNAME/slurm/cluster

cluster_up()
{
	local why

	why=$("$cluster_program" "$([ "${MEMPHIS_TEST_CGROUPS:-}" = yes ] && echo constrains || echo possible)") || skip "$why"
	export work
	# A short path with access for the cluster's users, because it contains sockets and home directories.
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

# When the first process of a PID namespace ends, the kernel kills all others in it.
cluster_down()
{
	local groups

	[ -n "${work:-}" ] || return 0
	kill -KILL "$(cat "$work/pid")" 2> /dev/null || :
	while kill -0 "$(cat "$work/pid")" 2> /dev/null; do sleep 0.1; done
	# The groups of the cluster are empty a moment after its last process.
	while groups=$(compgen -G "/sys/fs/cgroup/*/memphis-$(cat "$work/pid")"); do
		# shellcheck disable=SC2086 # several directories
		find $groups -depth -type d -exec rmdir {} + 2> /dev/null || sleep 0.1
	done
	rm -rf "$work"
}

# admin COMMAND...: runs a command as root on the controller's machine; `as USER` runs it as that user, `on NODE` as root on a
# node.
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

# until_true COMMAND...: waits until the command succeeds; the limit only prevents an endless wait.
until_true()
{
	local end=$((SECONDS + 1800))

	until "$@" > /dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || { echo "never: $*"; return 1; }
		sleep 0.1
	done
}

# permissions [NODE]: prints owner and mode of the device.
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

# state NODE, reason NODE: print the state of a node in Slurm, and its reason.
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

# Checks the conditions after every test: the device is closed to all users, and Slurm runs jobs.
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

# job USER OPTION... < SCRIPT: submits a job and prints its number.
job()
{
	local user=$1

	shift
	as "$user" sbatch --parsable -o "%j.out" "$@"
}

# job_waits ID: the scheduler has looked at the job, and has found no room for it.
job_waits()
{
	[[ $(admin squeue -h -j "$1" -o '%T %r') == PENDING\ @(Resources|Priority) ]]
}

job_is()
{
	[ "$(admin squeue -h -j "$1" -o %T)" = "$2" ]
}
