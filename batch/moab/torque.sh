# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Common first part of Torque's scripts: reads the settings, and exits on nodes without the module.

batch=$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")
# shellcheck source=../settings.sh
. "$batch/settings.sh"
# shellcheck disable=SC2034 # used by the scripts that source this file
handover=$batch/handover
# shellcheck source=../owner.sh
. "$batch/owner.sh"

[ -e "$memphis_conf" ] || exit 0
(settings_read) || {
	[ -d /sys/module/memphis ] || exit 0
	exit 2
}
settings_read
in_list "$(hostname)" "${setting[NODES]}" || in_list "$(hostname -s)" "${setting[NODES]}" || exit 0

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
