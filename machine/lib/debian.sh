# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Access to Debian's archive: the mirror, and a private apt state for any suite.
# Reads /etc/apt, but never writes it. Requires common.sh.

debian_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# Prints the base URL of the Debian mirror that the machine's own apt sources use.
debian_mirror()
{
	local uri

	if [ -n "${MEMPHIS_DEBIAN_MIRROR:-}" ]; then
		printf '%s\n' "${MEMPHIS_DEBIAN_MIRROR%/}"
		return
	fi
	# shellcheck disable=SC2016 # apt expands REPO_URI, awk $0
	while read -r uri; do
		case $uri in
		mirror+file:*) # cloud images: a list of mirrors in a file
			uri=$(sed -n 's/[[:space:]].*//; /^https\?:/{p;q}' "${uri#mirror+file:}") || continue ;;
		esac
		uri=${uri%/}
		case $uri in
		http://*/debian | https://*/debian | file:/*/debian)
			printf '%s\n' "$uri"
			return ;;
		esac
	done < <(
		apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
			sed 's,^mirror+file://*,mirror+file:/,' | awk '!seen[$0]++')
	die "no Debian mirror found in the apt sources of this machine" \
		"set MEMPHIS_DEBIAN_MIRROR, e.g. to the URL in /etc/apt/sources.list that ends with /debian"
}

# debian_apt_begin DIR SUITE...: creates an apt state in DIR with exactly these suites, and updates its lists.
debian_apt_begin()
{
	local dir=$1 mirror suite
	shift

	need "$debian_keyring" debian-archive-keyring
	mirror=$(debian_mirror)
	mkdir -p "$dir"/{lists/partial,cache/archives/partial,empty}
	: > "$dir/status"
	for suite in "$@"; do
		printf 'deb [arch=amd64 signed-by=%s] %s %s main\n' "$debian_keyring" "$mirror" "$suite"
	done > "$dir/sources.list"
	debian_apt "$dir" apt-get -qq update >&2 ||
		die "cannot read $* from $mirror" "check the network and the proxy settings of apt; MEMPHIS_DEBIAN_MIRROR selects another mirror, for instance Debian's archive of old suites"
}

# debian_apt DIR COMMAND [ARG...]: runs apt-get or apt-cache on the apt state in DIR.
debian_apt()
{
	local dir=$1 command=$2
	shift 2

	"$command" -o APT::Architecture=amd64 -o APT::Sandbox::User=root -o Dir::State="$dir" -o Dir::State::lists="$dir/lists" \
		-o Dir::State::status="$dir/status" -o Dir::Cache="$dir/cache" -o Dir::Etc::SourceList="$dir/sources.list" \
		-o Dir::Etc::SourceParts="$dir/empty" -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts="$dir/empty" \
		-o APT::Get::List-Cleanup=0 -o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}

# Sets http_proxy, which debootstrap's wget uses, to the proxy of apt's configuration.
debian_proxy()
{
	local proxy

	proxy=$(apt-config shell proxy Acquire::http::Proxy | sed "s/^proxy='\(.*\)'$/\1/")
	if [ -n "$proxy" ] && [ "$proxy" != DIRECT ] && [ -z "${http_proxy:-}" ]; then
		export http_proxy=$proxy
	fi
}

# debian_root SUITE [PACKAGE,...]: prints the directory of a system of this suite, which consists of debootstrap's smallest variant
# and these packages. The system is created once and kept in the cache; callers must not write into it.
debian_root()
{
	local suite=$1 packages=${2:-} root script

	root=$memphis_cache/fresh-$suite${packages:+-${packages//,/-}}-1
	need debootstrap debootstrap
	mkdir -p "$memphis_cache"
	exec 9> "$root.lock"
	flock 9
	if [ ! -d "$root" ]; then
		script=/usr/share/debootstrap/scripts/$suite
		[ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
		say "creating a fresh system of $suite in $root"
		debian_proxy
		as_root rm -rf "$root.part"
		as_root env ${http_proxy:+http_proxy="$http_proxy"} debootstrap --arch=amd64 --variant=minbase --keyring="$debian_keyring" \
			${packages:+--include="$packages"} "$suite" "$root.part" "$(debian_mirror)" "$script" > "$root.log" 2>&1 ||
			die "debootstrap of $suite failed (log: $root.log)" "see the last lines of the log"
		as_root mv "$root.part" "$root"
	fi
	exec 9>&-
	printf '%s\n' "$root"
}
