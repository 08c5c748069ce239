#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# bats file_tags=more
# The page of `memphis report --format html` in a browser. If these tests fail, readers get wrong numbers from it, or can't use
# it. Each check also asserts that the console is empty, that nothing was requested over the network, and that the page is not
# wider than windows of 390, 1280 and 2560 pixels. Pictures: build/browser/.

bats_require_minimum_version 1.5.0
load ../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME"
    mkdir -p ../../build/browser
    gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I../../include -I../../kmod -I../../postproc -DMEMPHIS_PAGE="\"$PWD/../../postproc/output/page\"" \
        make_page.c ../../postproc/output/page.c ../../postproc/base/text.c ../../postproc/base/error.c -o "$BATS_FILE_TMPDIR/make_page"
    /usr/bin/python3 - "$BATS_FILE_TMPDIR" <<'PYTHON'
import json, sys
import fixture
for name, report, sources in (("small", fixture.small(), fixture.sources()), ("bare", fixture.bare(), []), ("large", fixture.large(5000, 10), []),
                              ("ranks", fixture.ranks(300, 450), []), ("fields", fixture.fields(), []), ("pebs", fixture.pebs(), []), ("callers", fixture.callers(), []),
                              ("none", fixture.without_findings(), []), ("sixteen", fixture.sixteen(), []), ("types", fixture.types(), []), ("waiting", fixture.waiting(), []), ("bandwidth", fixture.bandwidth(), []), ("failing", fixture.failing(), []),
                              ("job", fixture.job(), []), ("thousand", fixture.job(1000, 64), [])):
    for kind, what in (("report", report), ("sources", sources), ("columns", fixture.columns())):
        with open(f"{sys.argv[1]}/{name}.{kind}", "w", encoding="utf-8") as stream:
            json.dump(what, stream)
PYTHON
    cd "$BATS_FILE_TMPDIR"
    for name in small bare none sixteen large ranks fields pebs callers types waiting bandwidth failing job thousand; do
        ./make_page $name.report $name.sources $name.columns > $name.html
    done
}

# check NAME PAGE [DIRECTORY]: runs a check of checks.py with a temporary HOME, which receives the browser's profile.
check() {
    HOME=$BATS_TEST_TMPDIR run /usr/bin/python3 "$BATS_TEST_DIRNAME/checks.py" "$@"
    echo "$output"
    [ "$status" -eq 0 ]
}

setup() {
    cd "$BATS_FILE_TMPDIR"
}

@test "the checks detect console messages, network requests and a page that is too wide" {
    cat > wrong.html <<'TEXT'
<!DOCTYPE html><title>wrong</title><body style="margin: 0"><div style="width: 2000px">wide</div><img src="http://host.invalid/picture.png"><script>undefined.part</script>
TEXT
    check wrong wrong.html
}

@test "the page header identifies the run; what limits the report is above the causes, and the other notes at the end" { check head small.html; }
@test "the first view has the verdict, the costs as a bar, and the causes with their lines and pages" { check answer small.html "$BATS_TEST_DIRNAME/../../build/browser"; }
@test "if there is no finding, the page says why" { check none none.html; }
@test "findings link to their variables" { check findings small.html; }
@test "accesses by node and home node have counts, shares, intervals and data, and a node's own memory is framed" { check traffic small.html; }
@test "samples over time can be read by pointer and by keyboard" { check timeline small.html; }
@test "regions have calls, times, and the spread over their threads" { check regions small.html; }
@test "MPI ranks that wait most come first, with findings and functions" { check mpi small.html; }
@test "counters that accompany the samples are on the same time axis and are listed by caliper" { check counters small.html; }
@test "the traffic of each node's memory is drawn over time below its limit, with findings and shares" { check bandwidth bandwidth.html "$BATS_TEST_DIRNAME/../../build/browser"; }
@test "waiting has its verdict, sources, variables, findings, and latencies with peaks" { check waiting waiting.html "$BATS_TEST_DIRNAME/../../build/browser"; }
@test "variables can be sorted by each column in both directions" { check variables small.html; }
@test "variables can be filtered by text, regular expression, node, segment and region" { check filters small.html; }
@test "a variable's details contain all its properties and its instructions" { check details small.html; }
@test "source lines show their samples, and a variable links to its line and back" { check source small.html; }
@test "heatmaps of a variable have numbers, a choice of colours, and the same content as text" { check heatmaps small.html; }
@test "accounting, threads, processes and binaries are complete" { check books small.html; }
@test "everything can be reached by keyboard and has an accessible name" { check keyboard small.html; }
@test "the page leaves out what the report does not contain" { check bare bare.html; }
@test "all of three hundred processes are drawn, and identified by rank and host" { check ranks ranks.html "$BATS_TEST_DIRNAME/../../build/browser"; }
@test "the page header names the events of PEBS" { check pebs pebs.html; }
@test "a report by field shows members in place of instructions" { check fields fields.html; }
@test "the types and members that instructions access have a column, and the accounting the reasons" { check types types.html; }
@test "calls that led to samples in libraries are drawn and listed" { check callers callers.html; }
@test "the page reports the heatmap data that a profile does not keep" { check missing ranks.html; }
@test "ranks are selected by pointer, keyboard and text, and each section shows them or says that it does not" { check selection job.html "$BATS_TEST_DIRNAME/../../build/browser"; }
@test "a range of time is chosen by dragging, by keyboard and as text, and each section follows or says that it does not" { check time_range job.html "$BATS_TEST_DIRNAME/../../build/browser"; }
@test "in a range of time, waiting and threads have the samples of its steps" { check parts_in_range job.html "$BATS_TEST_DIRNAME/../../build/browser"; }
@test "a node or a variable that is chosen anywhere is chosen in all sections" { check choices waiting.html "$BATS_TEST_DIRNAME/../../build/browser"; }
@test "in a range of time, variables have the samples of their pictures, and findings those that are there" { check variables_in_range small.html; }
@test "two ranks are compared side by side" { check comparison job.html "$BATS_TEST_DIRNAME/../../build/browser"; }
@test "a copied address opens the same view, and Back and Forward return to views" { check address job.html; }
@test "tables are copied as CSV as they are shown" { check csv small.html; }
@test "threads that share memory are a matrix and a list of pairs" { check shared_memory job.html "$BATS_TEST_DIRNAME/../../build/browser"; }
@test "ranks without details in the page are named" { check undetailed ranks.html; }
@test "a thousand ranks are selected" { check thousand thousand.html "$BATS_TEST_DIRNAME/../../build/browser"; }
@test "a part that fails is reported, and the other parts are still shown" { check failing failing.html; }
@test "of five thousand variables, only those in view are drawn" { check large large.html; }
@test "texts can be read, tables have heads, pictures labels, findings words, and what is missing is said if it matters" { check legible small.html; }
@test "the bar of sections is whole, or shows that it goes on" { check sections small.html; }
@test "sixteen nodes have sixteen colours" { check sixteen sixteen.html; }
@test "threads that share memory have a label each" { check shared_labels job.html; }
@test "the page is correct in light and dark, wide and narrow, and on paper" { check pictures small.html "$BATS_TEST_DIRNAME/../../build/browser"; }
