# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What the prologs and health checks of all schedulers do about the job that has the device: it loses the device only when it has ended.
# A suspended job has not ended: its processes wait for their CPUs, and would be killed by `handover close`.
# The scheduler's file, which sources this one, sets `handover` and has the function
#     job_ended JOB      succeeds if the scheduler says that JOB has ended, or does not know it; fails without an answer

# Closes the device, unless it belongs to a job that has not ended. Without an answer of the scheduler nothing is killed; the access list of
# the device keeps other users out anyway.
close_after_end()
{
	local job

	read -r job _ < <("$handover" owner)
	if [ -z "$job" ]; then
		"$handover" tidy
	elif job_ended "$job"; then
		"$handover" close "$job"
	fi
}

# open_for JOB UID: opens the device to the user. Exit status 3: the device stays with another job, which has not ended. The owner is
# closed by its name, so a job that has got the device in the meantime keeps it.
open_for()
{
	local status=0

	"$handover" open "$1" "$2" || status=$?
	[ "$status" -eq 3 ] || return "$status"
	close_after_end && "$handover" open "$1" "$2"
}
