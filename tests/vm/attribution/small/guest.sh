#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs the program of containers once under sampling as the user of a site, with small blocks.
# usage: guest.sh DIR OUT PERIOD
set -u

mkdir -p "$2" && chown user "$2"
export MEMPHIS_SMALL_BYTES=2048 MEMPHIS_PERIOD="$3" LD_LIBRARY_PATH="$1" MEMPHIS_RING_RECORDS=65536 MEMPHIS_OUTPUT="$2/containers"
site-user "$1/containers" "$2/objects" > "$2/containers.out" 2> "$2/containers.err"
echo $? > "$2/containers.status"
