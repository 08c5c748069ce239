# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Functions shared by prolog, epilog and health check.

batch=$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")
# shellcheck source=../settings.sh
. "$batch/settings.sh"
# shellcheck source=../run.sh
. "$batch/run.sh"
handover=$batch/handover
# shellcheck source=../owner.sh
. "$batch/owner.sh"

# read_settings COMMAND...: every node runs these scripts, but only one has the module: an error in batch.conf must not drain the other nodes. On
# the node with the module, COMMAND closes the device before the script ends, and a prolog or an epilog drains the node with the error.
read_settings()
{
	local why said

	if why=$( (settings_read) 2>&1); then
		settings_read
		return
	fi
	[ ! -e "$memphis_conf" ] || printf '%s\n' "$why" >&2
	# Slurm's commands are needed nevertheless.
	[ ! -r "$memphis_conf" ] || ! settings_are_roots || settings_load || :
	[ -d /sys/module/memphis ] || [ -e "$run/job" ] || exit 0
	said=$("$@" 2>&1)
	[ $? -ne 1 ] || why=$said
	[ -z "${SLURMD_NODENAME:-}" ] || node_drain "$SLURMD_NODENAME" "$(reason_in "$why")"
	exit 1
}

# Prefix of the drain reasons that these scripts set; nodes that are drained for another reason are never resumed.
mark='memphis: '

# Runs scontrol with a time limit, as the controller may be unavailable.
slurm()
{
	timeout 20 scontrol "$@"
}

# ask_slurm REMEDY ARGUMENT...: prints what scontrol says, or fails with the reason: there is no scontrol, or the controller does not answer.
ask_slurm()
{
	local said

	said=$(slurm "${@:2}" 2>&1) || case $? in
	126 | 127) die "there is no scontrol in $PATH" "set COMMANDS in $memphis_conf to the directory of Slurm's commands, like /opt/slurm/bin" ;;
	*) die "the controller does not answer \`scontrol ${*:2}\`: $(tail -n 1 <<< "$said")" "$1" ;;
	esac
	printf '%s\n' "$said"
}

# Prints the name of this node in Slurm, which Slurm does not pass to health checks.
node_name()
{
	if [ -n "${SLURMD_NODENAME:-}" ]; then
		echo "$SLURMD_NODENAME"
	else
		slurm show aliases "$(hostname -s)"
	fi
}

# job_ended JOB: succeeds if the controller says that the job has no processes on this node any more. It does not know jobs that ended long
# ago. A job that is suspended, stopped or completing has not ended.
job_ended()
{
	local said

	said=$(timeout 20 squeue -h -t all -w "$(node_name)" -j "$1" -o '%A %T' 2>&1) || {
		[[ $said == *'Invalid job id specified'* ]]
		return
	}
	case $(awk -v job="$1" '$1 == job { print $2 }' <<< "$said") in
	'' | BOOT_FAIL | CANCELLED | COMPLETED | DEADLINE | FAILED | NODE_FAIL | OUT_OF_MEMORY | PREEMPTED | REVOKED | TIMEOUT) return 0 ;;
	esac
	return 1
}

# node_field NAME NODE: prints one field of the controller's record of the node; the field Reason without its time stamp.
node_field()
{
	slurm -o show node "$2" | sed -n "s/.* $1=\\(.*\\)/\\1/p" |
		if [ "$1" = Reason ]; then sed 's/ \[[^]]*\].*//'; else sed 's/ .*//'; fi
}

# node_drain NODE REASON: drains the node, unless somebody else has drained it already.
node_drain()
{
	local node=$1 why=$mark$2 state reason

	state=$(node_field State "$node") reason=$(node_field Reason "$node")
	case $state,$reason in
	*DRAIN*,"$why") return ;;
	*DRAIN*,"$mark"*) ;;
	*DRAIN*) return ;;
	esac
	memphis_log warning "node $node is drained: $2"
	slurm update NodeName="$node" State=DRAIN Reason="$why"
}

node_resume()
{
	local node=$1

	[[ $(node_field State "$node"),$(node_field Reason "$node") == *DRAIN*,"$mark"* ]] || return 0
	memphis_log notice "node $node is fit again and resumed"
	slurm update NodeName="$node" State=RESUME
}
