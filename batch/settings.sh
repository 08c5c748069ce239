#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Reads batch.conf and reports the error of each line. All scripts that a scheduler runs source this file; run as a
# program, it checks batch.conf and prints the settings in effect.
# usage: settings.sh [FILE]

# slurmd runs its scripts without PATH, and Torque runs them with an empty environment.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH LC_ALL=C
umask 022

memphis_conf=${MEMPHIS_BATCH_CONF:-/etc/memphis/batch.conf}

# The settings in effect, by name; filled by settings_read().
declare -gA setting=()

# Prints four fields for each setting, separated by tabs: name, default (`-`: the setting is mandatory), pattern of valid values,
# and their description.
settings_table()
{
	local name='[A-Za-z0-9_][A-Za-z0-9_.-]*' range='[0-9]{1,6}(-[0-9]{1,6})?' folder='/[A-Za-z0-9_./+-]+'
	local nodes="[A-Za-z0-9_]([A-Za-z0-9_.-]|\\[$range(,$range)*\\])*"

	printf '%s\t%s\t%s\t%s\n' \
		POLICY reservation 'reservation|queue' 'reservation or queue' \
		NODES - "$nodes(,$nodes)*" 'a list of node names like a[0-3],b7' \
		FIRST no 'yes|no' 'yes or no' \
		USERS - "all|@?$name(,@?$name)*" 'all, or a comma-separated list of user names, and of groups like @staff' \
		JOBS asking 'asking|all' 'asking or all' \
		RESERVATION memphis "$name" 'a name' \
		QUEUE memphis "$name" 'a name' \
		GROUPS memphis "none|$name(,$name)*" 'none, or a comma-separated list of group names' \
		ACCOUNTS none "none|$name(,$name)*" 'none, or a comma-separated list of account names' \
		GRES none "none|$name" 'none, or a name' \
		PROCESSORS none 'none|[1-9][0-9]{0,4}' 'none, or a number from 1 to 99999' \
		MODULE memphis '[a-z0-9_]+' 'a module name' \
		COMMANDS none "none|$folder(:$folder)*" 'none, or absolute paths of directories, separated by colons' \
		DEVICE /dev/memphis '/[A-Za-z0-9_./-]+' 'an absolute path' \
		NODE_CHECK auto 'auto|none|/.+' 'auto, none, or a command with an absolute path' \
		CONTROLLERS off 'on|off' 'on or off' \
		GRACE_SECONDS 5 '[0-9]|[1-5][0-9]' 'a number of seconds from 0 to 59'
}

say()
{
	printf 'memphis: %s\n' "$*" >&2
}

die()
{
	say "error: $1"
	[ $# -lt 2 ] || say "  remedy: $2"
	exit 2
}

# memphis_log PRIORITY TEXT: writes the text to the system log and to stderr.
memphis_log()
{
	say "$2"
	logger -t memphis -p "daemon.$1" -- "$2" 2> /dev/null || :
}

# reason_in TEXT: prints the reason in the messages of a script that has failed: the last one that is no remedy.
reason_in()
{
	grep -v '^memphis:   remedy: ' <<< "$1" | tail -n 1 | sed 's/^memphis: //; s/^error: //'
}

# If run by root, fails unless only root can write the file, as its contents control actions of root.
settings_are_roots()
{
	local owner mode

	[ "$(id -u)" -eq 0 ] || return 0
	read -r owner mode < <(stat -L -c '%u %a' "$memphis_conf")
	[ "$owner" -eq 0 ] && (((8#$mode & 8#022) == 0))
}

wrong()
{
	settings_problems+=("$1")
}

# settings_line FILE:NUMBER TEXT: parses one line into `setting`, and appends errors to `settings_problems`.
settings_line()
{
	local at=$1 line=$2 name value

	line=${line#"${line%%[![:space:]]*}"}
	line=${line%"${line##*[![:space:]]}"}
	case $line in
	'' | '#'*) return ;;
	[A-Z]*=*) ;;
	*)
		wrong "$at: not NAME=VALUE: $line"
		return
		;;
	esac
	name=${line%%=*} value=${line#*=}
	if [[ $value =~ ^\"([^\"\$\`\\]*)\"$ ]]; then
		value=${BASH_REMATCH[1]}
	elif [[ $value == *[[:space:]\"\'\$\`\\]* ]]; then
		wrong "$at: $name: a value with blanks must be in double quotes, and must not contain quotes, \$, \` or \\"
		return
	fi
	if [ -z "${setting_pattern[$name]:-}" ]; then
		wrong "$at: no such setting: $name"
	elif [ -n "${setting[$name]+set}" ]; then
		wrong "$at: $name is already set in an earlier line"
	else
		setting[$name]=$value
		[[ $value =~ ^(${setting_pattern[$name]})$ ]] || wrong "$at: $name=$value: must be ${setting_words[$name]}"
	fi
}

# Fills `setting` from a file that root alone may write. Returns 1, with `settings_problems`, if settings are wrong; the scheduler's commands are
# found even then, so that a script can say so.
settings_load()
{
	local number=0 line name preset pattern words names
	local order=()
	local -A setting_preset=() setting_pattern=() setting_words=()

	setting=() settings_problems=()
	# Read the table once, without a process per setting, because jobs wait for the prolog.
	while IFS=$'\t' read -r name preset pattern words; do
		order+=("$name")
		setting_preset[$name]=$preset setting_pattern[$name]=$pattern setting_words[$name]=$words
	done < <(settings_table)
	while IFS= read -r line || [ -n "$line" ]; do
		number=$((number + 1))
		settings_line "$memphis_conf:$number" "$line"
	done < "$memphis_conf"
	for name in "${order[@]}"; do
		[ -z "${setting[$name]+set}" ] || continue
		[ "${setting_preset[$name]}" != - ] || wrong "$memphis_conf: $name is missing: must be ${setting_words[$name]}"
		setting[$name]=${setting_preset[$name]}
	done
	if [ "${#settings_problems[@]}" -eq 0 ]; then
		names=$(expand_names "${setting[NODES]}") || wrong "$memphis_conf: NODES=${setting[NODES]}: $names"
		setting[NODES]=$names
	fi
	[[ ${setting[POLICY]} != reservation || ${setting[NODES]} != *,* ]] ||
		wrong "$memphis_conf: NODES=${setting[NODES]}: must be a single node with POLICY=reservation"
	# Slurm gives steps a resource only if each node of the job has it.
	[[ ${setting[POLICY]} = queue || ${setting[GRES]} = none ]] ||
		wrong "$memphis_conf: GRES=${setting[GRES]}: must be none with POLICY=reservation, as a job has nodes without the device, too"
	[[ ! ${setting[COMMANDS]} =~ ^(${setting_pattern[COMMANDS]})$ || ${setting[COMMANDS]} = none ]] || PATH=${setting[COMMANDS]}:$PATH
	[ "${#settings_problems[@]}" -eq 0 ]
}

# Does the same, but on errors prints all of them and exits with status 2.
settings_read()
{
	[ -r "$memphis_conf" ] || die "there is no $memphis_conf" "create it; share/doc/memphis/batch.conf is an example"
	settings_are_roots || die "$memphis_conf must belong to root and be writable by root only" "chown root $memphis_conf; chmod go-w $memphis_conf"
	settings_load || {
		printf 'memphis: error: %s\n' "${settings_problems[@]}" >&2
		exit 2
	}
}

# Slurm's own limit of the nodes of a list.
most_nodes=65536
too_many_nodes="more than $most_nodes nodes"

# expand_names LIST: prints a valid list of names like `b7,a[0-2,10]` with a name for each number: b7,a0,a1,a2,a10. If it has a range that ends
# before it begins, or too many names, prints that, and fails.
expand_names()
{
	local entry='' piece pieces all=() names numbers

	IFS=, read -r -a pieces <<< "$1"
	for piece in "${pieces[@]}"; do
		entry+=${entry:+,}$piece
		# The commas in brackets separate ranges.
		[[ $entry != *\[* || ${entry##*\[} == *\]* ]] || continue
		names=('')
		while [[ $entry == *\[* ]]; do
			piece=${entry#*\[}
			numbers_of "${piece%%\]*}" || return
			combine "${entry%%\[*}"
			entry=${piece#*\]}
		done
		all+=("${names[@]/%/$entry}")
		entry=''
		[ "${#all[@]}" -le "$most_nodes" ] || { echo "$too_many_nodes"; return 1; }
	done
	(IFS=,; echo "${all[*]}")
}

# numbers_of RANGES: fills `numbers` with the numbers of ranges like 0-2,010.
numbers_of()
{
	local range from to number

	numbers=()
	for range in ${1//,/ }; do
		from=${range%-*} to=${range#*-}
		if ((10#$to < 10#$from)); then
			echo "the range $range ends before it begins"
			return 1
		elif (((10#$to - 10#$from + 1 + ${#numbers[@]}) * ${#names[@]} + ${#all[@]} > most_nodes)); then
			echo "$too_many_nodes"
			return 1
		fi
		for ((number = 10#$from; number <= 10#$to; number++)); do
			printf -v "numbers[${#numbers[@]}]" '%0*d' "${#from}" "$number"
		done
	done
}

# combine TEXT: makes of `names` those with the text and each of `numbers`.
combine()
{
	local name combined=()

	for name in "${names[@]}"; do
		combined+=("${numbers[@]/#/$name$1}")
	done
	names=("${combined[@]}")
}

# chosen NAME LIST: succeeds if the list of USERS has the user: by name, by a group of the user (@group), or by `all`.
chosen()
{
	local entry

	if [ "$2" = all ] || in_list "$1" "$2"; then return 0; fi
	# A number is no name here, although `id` would take it for an ID.
	[[ ! $1 =~ ^[0-9]*$ ]] || return 1
	for entry in ${2//,/ }; do
		[[ $entry != @* ]] || ! in_group "$1" "${entry#@}" || return 0
	done
	return 1
}

# in_group USER GROUP: succeeds if the user is in the group here. The IDs of groups are compared, as their names can have blanks.
in_group()
{
	local entry number

	entry=$(group_entry "$2") || return
	IFS=: read -r _ _ number _ <<< "$entry"
	[[ " $(id -G -- "$1" 2> /dev/null) " == *" $number "* ]]
}

# group_entry NAME: prints what the system knows of the group: its name, password, ID and members, separated by colons. A number is no name here,
# although `getent` would take it for an ID.
group_entry()
{
	[[ ! $1 =~ ^[0-9]+$ ]] && getent group -- "$1"
}

# in_list NAME LIST: succeeds if NAME is in the comma-separated LIST.
in_list()
{
	[[ ,$2, == *,"$1",* ]]
}

# Warns of groups of the queue that this host does not know, as Slurm would refuse all users of the partition or some of them.
warn_of_groups()
{
	local group

	[ "${setting[POLICY]},${setting[GROUPS]}" = "queue,${setting[GROUPS]#none}" ] || return 0
	for group in ${setting[GROUPS]//,/ }; do
		group_entry "$group" > /dev/null && continue
		say "warning: GROUPS=${setting[GROUPS]}: there is no group $group here"
		say "  remedy: create it with USERS as its members, or name another group, or set GROUPS=none in $memphis_conf"
	done
}

[ "${BASH_SOURCE[0]}" = "$0" ] || return 0
memphis_conf=${1:-$memphis_conf}
settings_read
warn_of_groups
settings_table | while IFS=$'\t' read -r name _; do
	printf '%s=%s\n' "$name" "${setting[$name]}"
done
