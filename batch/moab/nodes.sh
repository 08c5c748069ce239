# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# How a request for nodes is made one whose first node has the module; and who may.

# shellcheck source=../settings.sh
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../settings.sh"

user_may()
{
	in_list "$1" "${setting[USERS]}"
}

refusal()
{
	printf '%s' "user $1 is not among those who may use the node with the module"
}

# with_node SPEC: Torque's node specification, {COUNT|HOST}[:ppn=N][:PROPERTY...][+...]. In a queue each node has the module.
# Of a count, the node is one; named hosts stay, behind it.
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
