# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What Torque's scripts on the nodes begin with: nodes without the module have nothing to do.

batch=$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")
# shellcheck source=../settings.sh
. "$batch/settings.sh"
# shellcheck disable=SC2034 # for those who source this
handover=$batch/handover

[ -e "$memphis_conf" ] || exit 0
(settings_read) || {
	[ -d /sys/module/memphis ] || exit 0
	exit 2
}
settings_read
in_list "$(hostname)" "${setting[NODES]}" || in_list "$(hostname -s)" "${setting[NODES]}" || exit 0
