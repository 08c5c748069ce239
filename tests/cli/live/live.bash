# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Helpers for the tests of memphis top: processes that write sample files step by step, and a terminal.

# describe FILE [COMMAND]: a description for writer.py. Of the remote loads, 70 % are in tx and 30 % in ty; node 0 has only such, node 1 none.
describe()
{
    cat > "$1" <<TEXT
process @PID@
setting host @HOST@
setting command ${2:-./model --steps 100}
setting period 100000
setting rank 3
node 0 1024 0-1 10,21
node 1 1024 2-3 21,10
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
thread 100
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 tx
malloc 1000 0x1010000 8192 0
name 1001 0x1010000 8192 ty
repeat 700 8 sample 2000 0x401000 0x1000000 dram LR 0 1
repeat 300 8 sample 3000 0x401000 0x1010000 dram LR 0 1
repeat 1000 8 sample 4000 0x401000 0x1010000 dram L 1 1
TEXT
}

# start NAME [COMMAND]: starts a process that writes to the directory NAME; `step NAME STEP...` lets it do so. Its pid is in NAME.pid.
start()
{
    rm -rf "$1" "$1.steps"
    mkfifo "$1.steps"
    describe "$1.txt" "${2:-}"
    python3 "$root/tests/cli/live/writer.py" "$root/build/cli/make_samples" "$1" "$1.txt" < "$1.steps" 3>&- &
    echo $! > "$1.pid"
    disown
    # Keeps the pipe open between two steps.
    sleep infinity > "$1.steps" 3>&- &
    echo $! > "$1.keeper"
    disown
}

step()
{
    local name=$1
    shift
    printf '%s\n' "$@" > "$name.steps"
}

# stop NAME [SIGNAL]: ends the process, if it is there.
stop()
{
    kill "-${2:-TERM}" "$(cat "$1.pid")" 2> /dev/null || true
    while kill -0 "$(cat "$1.pid")" 2> /dev/null; do sleep 0.05; done
}

stop_all()
{
    local file
    for file in *.keeper *.pid; do
        [ ! -e "$file" ] || kill -KILL "$(cat "$file")" 2> /dev/null || true
    done
}

# The terminal: terminal WIDTH HEIGHT COMMAND, screen, keys KEY..., shows TEXT, close.
terminal()
{
    tmux -L "$BATS_TEST_NUMBER-$$" -f /dev/null new-session -d -x "$1" -y "$2" "TERM=xterm ${3}"
}

mux()
{
    tmux -L "$BATS_TEST_NUMBER-$$" "$@"
}

screen()
{
    mux capture-pane -p
}

# shows PATTERN: waits until a line of the screen matches the extended regular expression; prints the screen if none does.
shows()
{
    local i
    for i in {1..1000}; do
        screen | grep -qE -- "$1" && return
        sleep 0.1
    done
    echo "the screen does not show $1:"
    screen
    return 1
}
