#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The options of each command are the same in its --help, its manual page and the completions. If these tests fail, users miss
# an option, or try one that does not exist.

bats_require_minimum_version 1.5.0
load ../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.."
    make -s -C postproc BUILD="$PWD/build" > /dev/null
    gcc -shared -fPIC -Wall -Wextra -Werror tests/house/tell_options.c -o "$BATS_FILE_TMPDIR/tell.so"
}

setup() {
    cd "$BATS_TEST_DIRNAME/../.."
    memphis=$PWD/build/bin/memphis
    man=man
    bash=build/completion/memphis.bash
    zsh=build/completion/memphis.zsh
}

compared() {
    run python3 tests/house/options.py "$memphis" "$BATS_FILE_TMPDIR/tell.so" "$man" "$bash" "$zsh"
    echo "$output"
}

@test "each command parses exactly the options of its --help, its page and the completions" {
    compared
    [ "$status" -eq 0 ]
    [ "$output" = "no difference" ]
}

# spoiled PART SED-EXPRESSION LINE: checks that options.py prints LINE when the expression has changed PART: a page, bash, zsh, or the help
# of a command.
spoiled() {
    local part=$1 spoilt=$BATS_TEST_TMPDIR/spoilt

    setup
    rm -rf "$spoilt"
    mkdir "$spoilt"
    case $part in
    *.1)
        cp man/*.1 "$spoilt"
        sed -i "$2" "$spoilt/$part"
        run -1 cmp -s "man/$part" "$spoilt/$part"
        man=$spoilt
        ;;
    bash | zsh)
        sed "$2" "build/completion/memphis.$part" > "$spoilt/$part"
        run -1 cmp -s "build/completion/memphis.$part" "$spoilt/$part"
        printf -v "$part" %s "$spoilt/$part"
        ;;
    *)
        # Changes the help of a command before options.py reads it.
        cat > "$spoilt/memphis" <<TEXT
#!/bin/bash
if [ "\$*" = '$part --help' ]; then
    '$memphis' $part --help | sed '$2'
    exit
fi
exec '$memphis' "\$@"
TEXT
        chmod +x "$spoilt/memphis"
        run -1 cmp -s <("$memphis" "$part" --help) <("$spoilt/memphis" "$part" --help)
        memphis=$spoilt/memphis
        ;;
    esac
    compared
    [ "$status" -eq 1 ]
    grep -Fqx -- "$3" <<< "$output"
}

@test "the comparison of options detects missing, misspelt and invented ones in each of the three" {
    spoiled memphis-report.1 '/^\.BI \\-\\-node /d' 'report --node with an argument: not in its page'
    spoiled memphis-report.1 's/^\.B \\-\\-threads/.B \\-\\-each\\-thread/' 'report --each-thread: in its page only'
    spoiled memphis-report.1 's/^\.B \\-\\-threads/.BI \\-\\-threads " N"/' 'report --threads: not in its page'
    spoiled memphis-record.1 's/^\.BR \\-q ", " /.BR /' 'record -q, --quiet: not in its page'
    spoiled memphis-dump.1 '/^\.BR \\-\\-format/d' 'dump --format with an argument: not in its page'
    spoiled memphis.1 '/^\.BR memphis\\-dump (1)$/d' 'dump: not in man/memphis.1'
    spoiled report 's/--jobs/--job/' 'report --jobs with an argument: not in its --help'
    spoiled record '/--keep-going/d' 'record --keep-going: not in its --help'
    spoiled bash 's/ --top / /' "report --top with an argument: not in bash's completion"
    spoiled bash '/"values report --top"/d' "report --top: in bash's completion only"
    spoiled zsh "/'--min-latency=/d" "record --min-latency with an argument: not in zsh's completion"
    spoiled zsh "s/'--threads\[/'--thread[/" "report --thread: in zsh's completion only"
}
