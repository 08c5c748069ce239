# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Reads the settings, rewrites node requests so that the node with the module comes first, finds requests for its queue, and checks whether a user may use it.

# shellcheck source=../settings.sh
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../settings.sh"

# Reads batch.conf, and requires what Moab needs in addition.
moab_settings_read()
{
	settings_read
	[ "${setting[PROCESSORS]}" != none ] || die "$memphis_conf: PROCESSORS is none: for Moab it must be a number from 1 to 99999" \
		"set it to the number of processors of ${setting[NODES]}"
}

user_may()
{
	chosen "$1" "${setting[USERS]}"
}

refusal()
{
	printf '%s' "user $1 is not allowed to use the node with the module"
}

# with_node SPEC: prints Torque's node specification, {COUNT|HOST}[:ppn=N][:PROPERTY...][+...], with the module's node in front.
# A count includes this node; named hosts follow it. With POLICY=queue all nodes have the module, and SPEC is unchanged.
with_node()
{
	local spec=$1 node=${setting[NODES]} first rest count

	if [ "${setting[POLICY]}" = queue ]; then
		echo "$spec"
		return
	fi
	first=${spec%%+*} rest=${spec#"$first"}
	count=${first%%:*}
	if [ "$count" = "$node" ]; then
		echo "$spec"
	elif ! [[ $count =~ ^[0-9]+$ ]]; then
		echo "$node:ppn=${setting[PROCESSORS]}+$spec"
	elif [ "$count" -le 1 ]; then
		echo "$node${first#"$count"}$rest"
	else
		echo "$node${first#"$count"}+$((count - 1))${first#"$count"}$rest"
	fi
}

# names_queue WORD...: succeeds if these options of qsub or msub name the queue of batch.conf: -q QUEUE, -qQUEUE, -q QUEUE@SERVER, after other
# letters (-Vq QUEUE), or -l class=QUEUE. Words that are no options are skipped, as qsub does.
names_queue()
{
	local option OPTIND OPTARG value queue=${setting[QUEUE]}

	while [ $# -gt 0 ]; do
		OPTIND=1
		while getopts :a:A:b:c:C:d:D:e:EfF:hIj:J:k:K:l:L:m:M:nN:o:p:P:q:r:S:t:T:u:v:Vw:W:xXz option; do
			value=${OPTARG:-}
			value=${value//[\"\']/}
			case $option in
			q) [ "${value%%@*}" != "$queue" ] || return 0 ;;
			l | W) [[ ,${value// /,}, != *[,:=\;]class[=:]"$queue"[,:@]* ]] || return 0 ;;
			esac
		done
		shift $((OPTIND - 1))
		[ $# -eq 0 ] || shift
	done
	return 1
}
