# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Common first part of Torque's scripts: reads the settings, and exits on nodes without the module.

batch=$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")
# shellcheck source=../settings.sh
. "$batch/settings.sh"
# shellcheck disable=SC2034 # used by the scripts that source this file
handover=$batch/handover

[ -e "$memphis_conf" ] || exit 0
(settings_read) || {
	[ -d /sys/module/memphis ] || exit 0
	exit 2
}
settings_read
in_list "$(hostname)" "${setting[NODES]}" || in_list "$(hostname -s)" "${setting[NODES]}" || exit 0
