# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Functions shared by prolog, epilog and health check.

batch=$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")
# shellcheck source=../settings.sh
. "$batch/settings.sh"
handover=$batch/handover

# Every node runs these scripts, but only one has the module: an error in batch.conf must not drain the other nodes.
read_settings()
{
	if [ -e "$memphis_conf" ] && (settings_read); then
		settings_read
	elif [ -d /sys/module/memphis ] || [ -e /run/memphis/job ]; then
		exit 1
	else
		exit 0
	fi
}

# Prefix of the drain reasons that these scripts set; nodes that are drained for another reason are never resumed.
mark='memphis: '

# Runs scontrol with a time limit, as the controller may be unavailable.
slurm()
{
	timeout 20 scontrol "$@"
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
