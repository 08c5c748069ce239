# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Compilers for tests of what is built if a library of others is missing.

# compiler_without DIRECTORY WHAT...: makes DIRECTORY/cc, a compiler that does not find these headers or, by name, these libraries.
compiler_without()
{
	local directory=$1 include=$1/include own multiarch what folder libraries=''
	shift

	rm -rf "$directory"
	mkdir -p "$include"
	ln -s /usr/include/* "$include"
	for what; do
		case $what in
		*.h) ;;
		*)
			libraries+=" | *-print-file-name=$what*"
			continue ;;
		esac
		folder=${what%/*}
		if [ "$folder" != "$what" ] && [ -L "$include/$folder" ]; then
			rm "$include/$folder"
			mkdir "$include/$folder"
			ln -s "/usr/include/$folder"/* "$include/$folder"
		fi
		rm "$include/$what"
	done
	own=$(gcc -print-file-name=include)
	multiarch=$(gcc -print-multiarch)
	cat > "$directory/cc" <<TEXT
#!/bin/sh
case "\$*" in ''$libraries) exit ;; esac
exec gcc -nostdinc -isystem "$own" -isystem "$include" -isystem "$include/$multiarch" "\$@"
TEXT
	chmod +x "$directory/cc"
}
