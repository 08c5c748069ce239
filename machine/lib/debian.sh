# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Access to Debian's archive: the mirror, a private apt state for any suite, and systems made of a suite's packages.
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

	packages --check machine || exit 1
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

	# The host's hooks would act on the host's files.
	"$command" -c <(printf '#clear %s;\n' APT::Update::Post-Invoke APT::Update::Post-Invoke-Success) \
		-o APT::Architecture=amd64 -o APT::Sandbox::User=root -o Dir::State="$dir" -o Dir::State::lists="$dir/lists" \
		-o Dir::State::status="$dir/status" -o Dir::Cache="$dir/cache" -o Dir::Etc::SourceList="$dir/sources.list" \
		-o Dir::Etc::SourceParts="$dir/empty" -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts="$dir/empty" \
		-o APT::Get::List-Cleanup=0 -o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}

# debian_unpack DIR TREE PACKAGE...: unpacks these packages, all that they depend on and a minimal system in TREE, by the apt state
# in DIR. Needs no root, because no script of a package is run; this function makes the few links and files that are needed.
debian_unpack()
{
	local dir=$1 tree=$2 minimal part deb
	shift 2

	# An interrupted call may have left older versions.
	debian_apt "$dir" apt-get -qq autoclean >&2
	minimal=$(debian_apt "$dir" apt-cache dumpavail |
		awk '/^Package: / { name = $2 } /^Priority: required$/ { print name }' | sort -u)
	# shellcheck disable=SC2086 # a list of names
	debian_apt "$dir" apt-get -qq --no-install-recommends --download-only -y install $minimal "$@" >&2 ||
		die "cannot download $*" "repeat the command; complete downloads are kept"
	for part in bin sbin lib lib64; do
		mkdir -p "$tree/usr/$part"
		ln -s "usr/$part" "$tree/$part"
	done
	for deb in "$dir"/cache/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -C "$tree" -x --keep-directory-symlink --no-same-owner --no-same-permissions \
			--exclude='./usr/share/doc/*' --exclude='./usr/share/locale/*' --exclude='./usr/share/man/*' ||
			die "cannot unpack ${deb##*/}" "check the free space of $tree"
	done
	ln -sf mawk "$tree/usr/bin/awk"
	ln -sf dash "$tree/usr/bin/sh"
	ln -sf which.debianutils "$tree/usr/bin/which"
	for part in passwd group; do
		cp "$tree/usr/share/base-passwd/$part.master" "$tree/etc/$part"
	done
	mkdir -p "$tree"/{dev,proc,srv,sys,tmp}
}

# debian_chroot TREE COMMAND...: runs a command in a tree that debian_unpack() has made.
debian_chroot()
{
	# shellcheck disable=SC2016 # expanded by the inner shell
	isolated env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C sh -c 'tree=$1; shift
		mount --rbind /proc "$tree/proc" 2>/dev/null || :
		mount --rbind /dev "$tree/dev" 2>/dev/null || [ -e "$tree/dev/null" ] || mknod -m 666 "$tree/dev/null" c 1 3 || exit 1
		exec chroot "$tree" "$@"' - "$@"
}

# debian_root SUITE [PACKAGE,...]: prints the directory of a system of this suite, which consists of debootstrap's smallest variant
# and these packages, installed by root. The system is created once and kept in the cache; callers must not write into it.
debian_root()
{
	local suite=$1 packages=${2:-} proxy root script

	root=$memphis_cache/fresh-$suite${packages:+-${packages//,/-}}-1
	packages --check fresh || exit 1
	mkdir -p "$memphis_cache"
	exec 9> "$root.lock"
	flock 9
	if [ ! -d "$root" ]; then
		script=/usr/share/debootstrap/scripts/$suite
		[ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
		say "creating a fresh system of $suite in $root"
		# debootstrap's wget does not read apt's configuration.
		proxy=${http_proxy:-$(apt-config shell proxy Acquire::http::Proxy | sed "s/^proxy='\(.*\)'$/\1/; s/^DIRECT$//")}
		as_root rm -rf "$root.part"
		as_root env ${proxy:+http_proxy="$proxy"} debootstrap --arch=amd64 --variant=minbase --keyring="$debian_keyring" \
			${packages:+--include="$packages"} "$suite" "$root.part" "$(debian_mirror)" "$script" > "$root.log" 2>&1 ||
			die "debootstrap of $suite failed (log: $root.log)" "see the last lines of the log"
		as_root mv "$root.part" "$root"
	fi
	exec 9>&-
	printf '%s\n' "$root"
}
