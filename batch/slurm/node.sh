# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What prolog, epilog and health check have in common.

batch=$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")
# shellcheck source=../settings.sh
. "$batch/settings.sh"
handover=$batch/handover

# Every node runs our scripts, one has the module: a mistake in the file must not drain all others.
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

# Drained by us means a reason that begins so; only that is ever resumed by us.
mark='memphis: '

# The controller may be away; nobody waits for it longer than this.
slurm()
{
	timeout 20 scontrol "$@"
}

# By what name the controller knows this node. Health checks are not told.
node_name()
{
	if [ -n "${SLURMD_NODENAME:-}" ]; then
		echo "$SLURMD_NODENAME"
	else
		slurm show aliases "$(hostname -s)"
	fi
}

# node_field NAME NODE: one field of what the controller says about it; Reason without the stamp.
node_field()
{
	slurm -o show node "$2" | sed -n "s/.* $1=\\(.*\\)/\\1/p" |
		if [ "$1" = Reason ]; then sed 's/ \[[^]]*\].*//'; else sed 's/ .*//'; fi
}

# Whoever drained it before us keeps the say.
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
