#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What memphis place proposes, and the settings that it prints. If these tests fail, threads are bound to wrong CPUs, or a launcher refuses the
# lines. tests/vm/attribution/place.bats runs a program as proposed.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup()
{
	cd -P "$BATS_TEST_TMPDIR" || exit
}

# process PID NODES: lines of a process with a block of 8 KiB at 0x1000000 for each thread that `threads` lists.
process()
{
	cat <<-TEXT
		process $1 n0
		setting command ./model
		setting host n0
		setting period 1000
		setting alloc_min_bytes 4096
		${3:+setting rank $3}
		node 0 1024 0-1 10,21
		node 1 1024 2-3 21,10
		map 0x1000000 0x1100000 rw-p 0x0 - [heap]
		maps 100
		end
	TEXT
}

# thread TID NUMBER NODE OTHER HOME: an OpenMP thread on NODE that allocated block NUMBER, and loads 50 times from block OTHER on HOME.
thread()
{
	cat <<-TEXT
		thread $1
		fact name model
		fact openmp_thread $2
		malloc 1000 $((0x1000000 + 0x10000 * $2)) 8192 0
		name 1001 $((0x1000000 + 0x10000 * $2)) 8192 block$2
		books 50 50 0
		repeat 50 64 sample 2000 0x401000 $((0x1000000 + 0x10000 * $4)) dram $([ "$3" = "$5" ] && echo L || echo LR) $3 $5 0 700
		end
	TEXT
}

@test "threads that load from each other's memory are joined on a node, by OMP_PLACES in the order of their numbers" {
	samples run < <(process 100; thread 100 0 0 2 1; thread 101 1 0 3 1; thread 102 2 1 0 0; thread 103 3 1 1 0)
	run -0 "$memphis" place run
	expect 'PLACEMENT ON HOST n0: 4 threads, 2 nodes
loads from remote DRAM: 100.0 % (95 % CI 98.1 to 100.0) of 200 sampled loads now, 0.0 % (95 % CI 0.0 to 1.9) as proposed' "$(head -2 <<< "$output")"
	expect '0:0 2:0 1:1 3:1' "$("$memphis" place --format json run | jq -r '[.[0].threads | sort_by(.node, .openmp_thread)[] | "\(.openmp_thread):\(.node)"] | join(" ")')"
	[[ "$output" == *"OMP_PROC_BIND=true OMP_PLACES='{0},{2},{1},{3}'"* ]]
	[[ "$output" == *"GOMP_CPU_AFFINITY='0 2 1 3'"* ]]
	expect '[[100,102,1,50,50,0],[101,103,1,50,50,0],[102,100,0,50,50,0],[103,101,0,50,50,0]]' \
		"$("$memphis" place --format json run | jq -c '.[0].sharing | map([.tid, .with, .home, .loads, .remote, .modified])')"
}

@test "where all memory is local, or one thread placed all of it, the threads are left alone" {
	samples local < <(process 100; thread 100 0 0 0 0; thread 101 1 0 1 0; thread 102 2 1 2 1; thread 103 3 1 3 1)
	run -0 "$memphis" place local
	expect 'loads from remote DRAM: 0.0 % (95 % CI 0.0 to 1.9) of 200 sampled loads now
No other placement of the threads is clearly better: leave them where they are.' "$(tail -n +2 <<< "$output")"
	samples serial < <(process 100; thread 100 0 0 0 0; thread 101 1 0 0 0; thread 102 2 1 0 0; thread 103 3 1 0 0)
	run -0 "$memphis" place serial
	[[ "$output" == *"No other placement of the threads is clearly better: leave them where they are. What is remote is used by threads of several nodes, or was placed by none of its users: see the findings of memphis report."* ]]
	[[ "$output" != *OMP_PLACES* ]]
}

@test "ranks get the lines of a rankfile, each rank on CPUs of its own" {
	samples run < <(process 100 2 0; thread 100 0 0 0 0; thread 101 1 1 0 0; process 200 2 1; thread 200 0 1 0 1; thread 201 1 0 0 1)
	run -0 "$memphis" place run
	[[ "$output" == *"  Open MPI 4, mpirun --mca rmaps_rank_file_physical 1 --rankfile FILE with these lines:
    rank 0=n0 slot=2,3
    rank 1=n0 slot=0,1"* ]]
	[[ "$output" != *map_cpu* ]]
	[[ "$output" == *"OpenMP, rank 1 on host n0:
    OMP_PROC_BIND=true OMP_PLACES='{0},{1}'"* ]]
	run -0 "$memphis" place --process "rank 1" run
	[[ "$output" == "PLACEMENT ON HOST n0: 2 threads, 2 nodes"* ]]
}

@test "launchers get no lines if a rank is idle or doubled" {
	samples doubled < <(process 100 2 0; thread 100 0 0 0 0; thread 101 1 1 0 0; process 200 2 0; thread 200 0 1 0 1; thread 201 1 0 0 1)
	run -0 "$memphis" place doubled
	[[ "$output" == *"  no lines for launchers: several processes have the same rank"* ]]
	[[ "$output" != *"rank 0=n0"* ]]
	samples idle < <(process 100 2 0; thread 100 0 0 0 0; thread 101 1 1 0 0; process 150 2 2; thread 150 0 1 0 1; thread 151 1 0 0 1; process 200 2 1; printf 'thread 200\nfact name model\nbooks 0 0 0\nend\n')
	run -0 "$memphis" place idle
	[[ "$output" == *"  no lines for launchers: ranks without samples have no CPU here"* ]]
}

@test "OpenMP numbers that several threads have, of teams that were made again, are no places" {
	samples run < <(process 100; thread 100 0 0 2 1; thread 101 1 0 3 1; thread 102 2 1 0 0; thread 103 3 1 1 0 | sed 's/openmp_thread 3/openmp_thread 1/')
	run -0 "$memphis" place run
	[[ "$output" == *"as proposed"* && "$output" != *OMP_PLACES* ]]
}

@test "pages of nodes with threads that neither used nor allocated them may have been placed by these: nothing is promised" {
	samples run < <(process 100; thread 100 0 0 0 1; thread 101 1 1 1 0)
	run -0 "$memphis" place run
	expect 'loads from remote DRAM: 100.0 % (95 % CI 96.3 to 100.0) of 100 sampled loads now
not known: which thread placed the pages of 100.0 % of these loads; calipers around the code that first writes them would show it' "$(sed -n 2,3p <<< "$output")"
	[[ "$output" != *OMP_PLACES* ]]
}

# ring FORMULA: eight ranks on four nodes of two CPUs, without samples; each sends 1 MB to the next one, and 1000 bytes to a rank of another host.
# Rank R runs on CPU $((FORMULA)).
ring()
{
	local r

	for r in 0 1 2 3 4 5 6 7; do
		cat <<-TEXT
			process $((100 + r)) n0
			setting host n0
			setting rank $r
			setting mpi_rank $r
			setting mpi_cpu $((${1//R/$r}))
			region 1 0 MPI_Send
			node 0 1024 0-1 10,21,21,21
			node 1 1024 2-3 21,10,21,21
			node 2 1024 4-5 21,21,10,21
			node 3 1024 6-7 21,21,21,10
			end
			thread $((100 + r))
			mpi 1 $(((r + 1) % 8)) 10 10 0 1000000 0 1000 0 0 0
			mpi 1 $(((r + 7) % 8)) 10 0 10 0 1000000 1000 0 0 0
			mpi 1 9 10 10 0 1000 0 1000 0 0 0
			end
		TEXT
	done
}

@test "a ring of ranks placed at random gets neighbours on each node, without samples by the messages alone" {
	samples run < <(ring '(R * 3) % 8')
	run -0 "$memphis" place run
	expect 'PLACEMENT ON HOST n0: 8 threads, 4 nodes
messages between ranks of this host: 100.0 % of 8 MB in 80 messages between nodes now, 50.0 % as proposed' "$(head -2 <<< "$output")"
	# On each node there is a rank and the next one.
	expect '4 true' "$("$memphis" place --format json run | jq -r '[.[0].threads | group_by(.node)[] | map(.rank | tonumber) | sort | (.[1] - .[0]) | . == 1 or . == 7] | "\(length) \(all)"')"
	expect '{"bytes":8000000,"count":80,"between_nodes":{"share":1,"low":1,"high":1},"between_nodes_proposed":{"share":0.5,"low":0.5,"high":0.5},"loads":0}' \
		"$("$memphis" place --format json run | jq -c '.[0].messages')"
	expect 8 "$("$memphis" place --format json run | jq '.[0].threads | map(.cpu) | unique | length')"
	[[ "$output" == *"--rankfile FILE with these lines:
    rank 0=n0 slot="* ]]
	[[ "$output" == *"--cpu-bind=map_cpu:"* ]]
	expect "$("$memphis" place --format json run | jq -r '.[0].threads | sort_by(.rank) | map(.cpu) | join(",")')" "$(sed -n 's/^    mpiexec -bind-to user://p' <<< "$output")"
}

# cpu FORMULA R, node FORMULA R: of rank R in a ring.
cpu()
{
	echo $((${1//R/($2)}))
}

node()
{
	echo $(($(cpu "$@") / 2))
}

# copied FORMULA: the ring, whose ranks load messages from memory of the sender, in a block of its own: 40 samples each, and 10 from memory of
# their own.
copied()
{
	local r=0 line

	ring "$1" | while read -r line; do
		case $line in
		"setting host"*) printf '%s\n' "$line" 'setting period 1000' 'map 0x1000000 0x1100000 rw-s 0x0 - /dev/shm/mpi' 'maps 100' ;;
		"mpi 1 9"*)
			printf '%s\n' "$line" 'share_block 1000 0x1000000 0x40000 0' "repeat 40 64 sample 2000 0x401000 0x1000000 dram $([ "$(node "$1" $r)" = "$(node "$1" $(((r + 7) % 8)))" ] && echo L || echo LR) $(node "$1" $r) $(node "$1" $(((r + 7) % 8))) 1 700" \
				"repeat 10 64 sample 2000 0x401000 0x1080000 dram L $(node "$1" $r) $(node "$1" $r) 1 700" 'books 50 50 0'
			r=$((r + 1))
			;;
		*) printf '%s\n' "$line" ;;
		esac
	done
}

@test "loads of memory that MPI shares between ranks are predicted from the messages" {
	samples run < <(copied '(R * 3) % 8')
	run -0 "$memphis" place run
	expect 'PLACEMENT ON HOST n0: 8 threads, 4 nodes
loads from remote DRAM: 80.0 % (95 % CI 75.8 to 83.6) of 400 sampled loads now, 40.0 % (95 % CI 35.3 to 44.9) as proposed
400 of these loads are from memory that MPI shares between ranks: predicted from the messages
messages between ranks of this host: 100.0 % of 8 MB in 80 messages between nodes now, 50.0 % as proposed' "$(head -4 <<< "$output")"
	# Now, half the messages are from the same node.
	samples ordered < <(copied R)
	run -0 "$memphis" place ordered
	[[ "$output" == *"loads from remote DRAM: 40.0 % (95 % CI 35.3 to 44.9) of 400 sampled loads now
"*"No other placement"* ]]
}

@test "where bytes and messages have different shares between nodes, both are stated" {
	# Each rank also sends 30 messages of 4 bytes to the rank after the next.
	samples run < <(ring R | sed 's/^mpi 1 9 .*/mpi 1 X 30 30 0 120 0 1000 0 0 0/' | awk '/^process/ { r = $2 - 100 } { sub("X", (r + 2) % 8); print }')
	expect 'messages between ranks of this host: 50.0 to 87.5 % of 8.00 MB in 320 messages between nodes now' "$("$memphis" place run | sed -n 2p)"
}

@test "a ring of ranks in its order is left alone" {
	samples run < <(ring R)
	run -0 "$memphis" place run
	expect 'PLACEMENT ON HOST n0: 8 threads, 4 nodes
messages between ranks of this host: 50.0 % of 8 MB in 80 messages between nodes now
No other placement of the threads is clearly better: leave them where they are.' "$output"
}

# weighed BYTES: the threads of each of two ranks share memory, and are on different nodes; thread 0 of rank 0 sends BYTES to that of rank 1.
weighed()
{
	ranked() { process "$@" | sed '/^setting rank /{p;s/rank/mpi_rank/}'; }
	samples run < <(ranked 100 2 0; thread 100 0 0 0 0 | sed '$d'; printf '%s\n' "mpi 1 1 1 1 0 $1 0 1000 0 0 0" end; thread 101 1 1 0 0
		ranked 200 2 1; thread 200 0 1 0 1 | sed '$d'; printf '%s\n' "mpi 1 0 1 0 1 0 $1 1000 0 0 0" end; thread 201 1 0 0 1)
	"$memphis" place --format json run | jq -r '[.[0].threads | group_by(.node)[] | map(.rank + "." + .openmp_thread) | sort | join(" ")] | sort | join(", ")'
}

@test "sampled loads and messages are weighed by the loads of lines that a message takes" {
	# A sample stands for 1000 loads: 50 samples for 3.2 MB.
	expect '0.0 0.1, 1.0 1.1' "$(weighed 2000000)"
	expect '0.0 1.0, 0.1 1.1' "$(weighed 8000000)"
}

@test "two threads that share memory stay on two nodes, and the tool says so; with --pack they are joined" {
	samples run < <(process 100; thread 100 0 0 1 1; thread 101 1 1 0 0)
	run -0 "$memphis" place run
	expect 'loads from remote DRAM: 100.0 % (95 % CI 96.3 to 100.0) of 100 sampled loads now
no two threads are joined: there is one thread for each node; --pack allows as many as a node has CPUs' "$(sed -n 2,3p <<< "$output")"
	[[ "$output" == *"No other placement of the threads is clearly better"* ]]
	run -0 "$memphis" place --pack run
	[[ "$output" == *" 0.0 % (95 % CI 0.0 to 3.7) as proposed
"*"OMP_PLACES='{2},{3}'"*"a node may get as many threads as it has CPUs"* ]]
	[[ "$output" != *"no two threads"* ]]
}

@test "inputs without samples, nodes or files are refused with the reason" {
	samples run < <(process 100; thread 100 0 0 0 0)
	"$memphis" reduce run -o run.mprof
	run -1 "$memphis" place run.mprof
	[[ "$output" == *"run.mprof: offset 0x0: not a Memphis sample file"* ]]
	run -2 "$memphis" place
	run -1 "$memphis" place nowhere
	[[ "$output" == "memphis place: nowhere: cannot open: No such file or directory" ]]
	samples bare < <(process 100 | grep -v ^node; thread 100 0 0 0 0)
	run -1 "$memphis" place bare
	expect 'memphis place: host n0: the files do not contain the nodes of the machine
memphis place: nothing is proposed for any host' "$output"
}
