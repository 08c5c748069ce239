# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Common first part of Torque's scripts: what they know of the node and its jobs.

batch=$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")
# shellcheck source=../settings.sh
. "$batch/settings.sh"
# shellcheck source=../run.sh
. "$batch/run.sh"
# shellcheck disable=SC2034 # used by the scripts that source this file
handover=$batch/handover
# shellcheck source=../owner.sh
. "$batch/owner.sh"

# job_ended JOB: succeeds if Torque says that the job has ended, waits in a queue again, or is unknown; fails without an answer, as without qstat.
# A suspended (S) or exiting (E) job has not ended. In the output of qstat -f, values that a user chooses are never lines of this form.
job_ended()
{
	local said

	said=$(timeout 20 qstat -f "$1" 2>&1) || {
		[[ $said == *'Unknown Job Id'* ]]
		return
	}
	case $(sed -n 's/^ \{1,\}job_state = //p' <<< "$said") in
	C | H | Q | W) return 0 ;;
	esac
	return 1
}

# shellcheck disable=SC2034 # used by the health check
broken='' # yes: batch.conf has errors

# read_settings COMMAND...: reads the settings, and exits on nodes without the module. If batch.conf has errors, or the node was removed from NODES
# while a job had its device, COMMAND closes the device before the script ends.
read_settings()
{
	[ -e "$memphis_conf" ] || [ -e "$run/job" ] || exit 0
	(settings_read) || {
		# shellcheck disable=SC2034
		broken=yes
		[ -d /sys/module/memphis ] || [ -e "$run/job" ] || exit 0
		"$@" 2> /dev/null
		exit 2
	}
	settings_read
	in_list "$(hostname)" "${setting[NODES]}" || in_list "$(hostname -s)" "${setting[NODES]}" || {
		[ ! -e "$run/job" ] || "$@" || exit 2
		exit 0
	}
}
