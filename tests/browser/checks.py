#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks a page in a browser. usage: checks.py CHECK PAGE [DIRECTORY]     DIRECTORY: for pictures"""

import sys

import looks
import views
from browser import NAMES, Page, same, WIDTHS


def quiet(page):
    same(page.problems(), [])


def head(page, _):
    same(page.text("h1"), "ice_model --blocks 64 --steps 600 namelist.ice")
    same(page.script("return document.title"), "ice_model: dram - memphis report")
    same(page.texts("header .run"), ["1 process, 8 threads, 1 host (sky), 24 s in TimeLoop", "AMD IBS, backend device, period 8192 ops, inside calipers", "only in region Bound"])
    same(page.texts("#run > .facts div"), [
        "host sky", "date 2026-11-22 01:41:34 UTC", "kernel 6.12.107-amd64", "hardware AMD EPYC 7763 64-Core Processor, AMD IBS",
        "memory 4 nodes, 256 GiB", "period one in 8,192 ops", "sampled for 32.0 s"])
    # What a reader must act on stands above the causes, and the other notes at the end.
    same(page.texts("#answer .limits li"), ["/usr/lib/libgomp.so.1 is not here: its instructions have no lines; give its place with --binaries DIR"])
    same(page.texts("#notes li"), [
        "40 samples (0.4 % of interrupts) were lost because a ring was full.",
        "The kernel paused sampling 3 times, each up to a tick, because interrupts came too fast; a longer period avoids it.",
        "ranks 0 of 2; the others have no files here"])
    same(page.texts("#contents a"), ["Answer", "Findings", "Nodes", "Time", "Regions", "MPI", "Counters", "Variables", "Pages", "Source", "Threads", "Notes", "Accounting", "Run"])


def answer(page, directory):
    """The first view: the verdict, the costs as a bar, and the causes with their lines and pages."""
    same(page.text("#answer h2"), "Placing memory better is worth it")
    sizes = page.script("const size = (made) => parseFloat(getComputedStyle(made).fontSize), title = document.querySelector('#answer h2'); return [size(title), Math.max(...[...document.querySelectorAll('body *')].filter((made) => made !== title).map(size))]")
    same((sizes[0] >= 28, sizes[0] > sizes[1]), (True, True))
    same(page.text("#answer .lead"), "57.0 % of the loads from DRAM go to another node (95 % CI 54.6 to 59.4). Waiting for remote DRAM is 31.0 % of the threads' time in calipers; if all data were local, "
         "at most 12.0 % would be saved (95 % CI 10.0 to 14.0). 0.348 cycles of remote latency per op (95 % CI 0.282 to 0.427), above the limit of 0.1.")
    same(page.script("return [...document.querySelectorAll('.cost .bar span')].map((part) => [part.className, part.style.width])"), [["bad", "12%"], ["away", "19%"], ["own", "69%"]])
    same(page.texts(".cost li"), ["12.0 % (95 % 10.0\u201314.0 %) would be saved at most, if all data were local",
                                  "31.0 % (95 % 28.0\u201334.0 %) of the threads' time in calipers is for remote DRAM, both parts together", "69.0 % is for everything else"])
    same(page.texts(".cause h3"), ["1at halo.F90:17 (copy)", "2at an unknown place"])
    same(page.texts(".cause .saving"), ["9.5 % could save at most, of the time", "not known could save at most, of the time"])
    same(page.texts(".cause:nth-child(1) .said > p"), ["9.5 % could save at most, of the time", "First-touch: on node 0, used by nodes 0 to 3, all the same parts.", "tx only tx", "Interleave the pages."])
    same(page.texts("#answer > p")[1:], ["No pattern fits [bss]:grid::tracer: 350 of the 1652 samples, most at halo.F90:26.", "Their evidence"])
    # The lines around the cause, without the indentation that all have.
    same(page.script("return [...document.querySelectorAll('.cause:nth-child(1) .source tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"), [
        ["", "14", "integer, intent(in) :: b"], ["", "15", "do j = 1, ny"], ["", "16", "  do i = 1, nx"], ["1,170", "17", "    buffer(i, j) = tx(i, j, b) + ty(i, j, b)"],
        ["", "18", "  end do"], ["", "19", "end do"], ["48", "20", "if (any(buffer > 1 .and. buffer < 2)) call warn(b)"]])
    same(page.texts(".cause:nth-child(1) .source .hot td:first-child"), ["1,170"])
    same(page.script("return ['.source .hot td', '.pick'].map((one) => document.querySelector(`.cause:nth-child(1) ${one}`).title)"), ["1,170 samples", "show only its samples, or all again"])
    same(page.text(".cause:nth-child(2) .shown > .hint"), "The line is not known: the program has no debug information (-g), or it is not here.")
    # All pages of tx are on node 0; the other nodes use them.
    same(page.texts(".cause:nth-child(1) .map .rows-of span"), ["node of the page", "accesses from node 0", "accesses from node 1", "accesses from node 2", "accesses from node 3"])
    rows = page.script("""const rows = {};
        document.querySelectorAll('.cause:nth-child(1) .map rect').forEach((part) => (rows[part.getAttribute('y')] ||= new Set()).add(part.className.baseVal));
        return Object.entries(rows).sort(([a], [b]) => a - b).map(([, kinds]) => [...kinds].join(' '))""")
    same(rows, ["node-0", "own", "away", "away", "away"])
    same(page.text(".cause:nth-child(1) .map figcaption"), "Pages of tx, 16 MiB, from left to right")
    page.link(".cause:nth-child(1) h3")
    same(page.script("return document.activeElement.getAttribute('aria-label')"), "line 17: 1,170 samples, show variables")
    page.link(".cause:nth-child(2) .of")
    same(page.texts('#variables-body button[aria-expanded="true"]'), ["stats"])
    page.shot(f"{directory}/answer.png")


def none(page, _):
    """The reason why there is no finding, where the causes would be and among the findings."""
    same(page.text("#answer h2"), "Placing memory better is not worth it")
    same(page.texts("#answer .none, #findings .none"), ["No findings: 12 remote loads were sampled, and a pattern needs 20 of a variable."] * 2)
    same(page.texts(".cost li"), ["57.0 % (95 % 54.6\u201359.4 %) of the loads from DRAM go to another node", "43.0 % go to the own node"])


def findings(page, _):
    same(page.texts(".finding .what"), ["tx first-touch", "stats false-sharing"])
    same(page.texts("#variables .details"), [])
    page.link(".finding:nth-child(2) .what")
    same(page.texts('#variables-body button[aria-expanded="true"]'), ["stats"])
    same(page.script("return document.activeElement.textContent"), "stats")


def traffic(page, _):
    same(page.text("#traffic .lead"), "57.0 % (54.6\u201359.4 %) of 1,650 samples with known nodes were accesses to memory that another node owns.")
    same(page.texts(".matrix thead th"), ["accessed from", "page at home on", "all", "node 0", "node 1", "node 2", "node 3", "unknown node"])
    same(page.texts(".matrix tbody tr:nth-child(2) > *"), [
        "node 1", "300 18.2 % (16.2\u201320.2 %) 157 MB", "85 5.1 % (3.1\u20137.1 %) 44.6 MB", "27 1.6 % (0.0\u20133.6 %) 14.2 MB", "0", "0", "412"])
    same(page.texts(".matrix .sums > *"), ["all", "1,311", "90", "169", "80", "2", "1,652"])
    same([text.split()[0] for text in page.texts(".matrix .own")], ["451", "85", "98", "75"])


def regions(page, _):
    """The tree of calipers with calls and times; the spread of one thread is none."""
    same(page.texts("#regions .box:nth-of-type(1) thead th"), ["Region", "Calls", "Threads", "Time", "Of the longest", "Without inner", "CPU", "Least", "Median", "Most", "Most in", "Cycles", "IPC"])
    same(page.texts("#regions .box:nth-of-type(1) tbody tr:nth-child(1) > *"), ["TimeLoop", "1", "1", "24.0 s", "", "4.0 s", "23.0 s", "", "", "", "", "0", ""])
    same(page.texts("#regions .box:nth-of-type(1) tbody tr:nth-child(2) > *"), ["Bound <halo>", "600", "1", "20.0 s", "", "20.0 s", "", "", "", "", "", "50 G", "0.50"])
    same(page.texts("#regions .box:nth-of-type(1) tbody tr:nth-child(3) > *"), ["Part", "9,600", "16", "1.2 ms", "", "1.2 ms", "", "50 us", "50 us", "100 us", "4711.4712", "0", ""])
    same(page.script("return document.querySelectorAll('#regions tbody .bar span')[1].style.width"), "83.3333%")
    same(page.texts("#regions .box:nth-of-type(2) thead th"), ["Region", "Event", "Count", "Without inner", "Per 1000 instructions", "Least", "Median", "Most", "Most in"])
    same(page.texts("#regions .box:nth-of-type(2) tbody tr > *"), ["Bound <halo>", "cpu/event=0x29/", "3 M", "2 M", "0.120", "1 k", "2 k", "3 M", "4711.4714"])


def mpi(page, _):
    """Ranks, those that wait most first, and functions; a wait that is not known has no number."""
    same(page.text("#mpi .lead"), "late-rank: rank 1 waits 45.0 % of its time in region TimeLoop/Bound <halo> in MPI_Allreduce for rank 2, which comes last.")
    same(page.text("#mpi .hint"), "The time waited is not known of 10 messages and collective calls.")
    same(page.texts("#mpi .box:nth-of-type(1) tbody tr:nth-child(1) > *"), ["rank 1", "50.0 %", "50.0 %", "45.0 %", "", "1.0 s", "10", "80 B", "4.08 kB"])
    same(page.texts("#mpi .box:nth-of-type(1) tbody tr:nth-child(2) > *"), ["rank 0", "75.0 %", "25.0 %", "?", "", "500 ms", "10", "80 B", "80 B"])
    same(page.texts("#mpi .box:nth-of-type(2) tbody tr:nth-child(1) > *"), ["MPI_Allreduce", "TimeLoop/Bound <halo>", "1.5 s", "900 ms", "30", "240 B", "240 B", "3"])
    same(page.texts("#mpi .box:nth-of-type(2) tbody tr:nth-child(2) > *"), ["MPI_Init", "(not sampled)", "3.0 s", "0 s", "3", "0 B", "0 B", "3"])


def waiting(page, directory):
    same(page.text("#waited"), "3.58 G cycles were waited (95 % 3.22 G\u20134.3 G), at most 958 M (863 M\u20131.15 G) fewer with local memory, estimated.")
    same(page.text("#waiting .lead"), "Placing memory better is worth it: 0.348 cycles of remote latency per op (95 %: 0.282\u20130.427); the rule of thumb is 0.1.")
    same(page.texts("#waiting tbody tr"), ["local DRAM 1.15 G 1.03 G\u20131.38 G 32.0 % 700 200", "remote DRAM 2.43 G 2.19 G\u20132.92 G 68.0 % 900 330"])
    same(page.text("#waiting .hint"), "These are latencies of sampled loads beyond the L2, each times the period.")
    same(page.texts(".finding .gain"), ["Could gain at most 426 M cycles (383 M\u2013511 M), 11.9 % of all waiting."])
    same([text for text in page.texts("#variables-head button") if text in ("Est. waiting", "Could gain")], ["Est. waiting", "Could gain"])
    page.click('#variables-head button[data-order="gain_cycles"]')
    same(page.texts(NAMES)[0], "tx")
    page.click(NAMES)
    same(any(text.startswith("waited for data node 0: ") and "less with local memory" in text for text in page.texts("#variables .details .facts div")), True)
    same(page.texts("#heatmap-view .latencies .label"), ["own L3 42 loads", "local DRAM 440 loads peak 192\u2013223", "remote DRAM 595 loads peak 320\u2013383"])
    same(page.script("return document.querySelectorAll('#heatmap-view .latencies line.peak').length"), 2)
    page.point("#heatmap-view .latencies .strip:nth-child(3) svg", 0.74, 0.5)
    same(page.text("#heatmap-output"), "remote DRAM, 320 to 383 cycles: 420 loads")
    page.unfold("#heatmap-view .latencies details")
    same(page.texts("#heatmap-view .latencies tbody tr")[3], "local DRAM (peak) 192\u2013223 300 192")
    page.shot(f"{directory}/waiting.png")


def counters(page, _):
    """Counters on the time axis of the samples; a gap is not drawn as zero."""
    same(page.texts("#counters-metric option"), ["numastat other_node (host)", "vmstat load (host)"])
    same(page.texts("#counters .axis span"), page.texts("#timeline .axis span"))
    same(page.texts("#counters .strip .label"), ["node 0 160 M pages", "node 1 640 pages"])
    same(page.text("#counters .lead"), "The full height is 45 M pages per second; steps of 400 ms.")
    page.script("document.querySelectorAll('#counters .strip svg')[0].focus()")
    page.keys("HOME")
    same(page.text("#counters output"), "node 0, 0 s to 400 ms: not read")
    page.point("#counters .strip:nth-child(1) svg", 0.075, 0.5)
    same(page.text("#counters output"), "node 0, 2.4 s to 2.8 s: 45 M pages per second")
    page.point("#counters .strip:nth-child(1) svg", 0.52, 0.5)
    same(page.text("#counters output"), "node 0, 16.4 s to 16.8 s: not read")
    page.keys("END")
    same(page.text("#counters output"), "node 0, 31.6 s to 32.0 s: 5 M pages per second")
    same(page.texts("#counters thead th"), ["Caliper", "Node", "Time", "Total", "Per second", "Shared"])
    same(page.texts("#counters tbody tr:nth-child(1) > *"), ["TimeLoop", "node 0", "24.0 s", "150 M pages", "6.25 M pages", "2.7 %"])
    same(page.texts("#counters tbody tr:nth-child(4) > *"), ["(outside any caliper)", "node 1", "8.0 s", "0 pages", "0 pages", ""])
    page.choose("#counters-metric", "1")
    same(page.texts("#counters .strip .label"), ["host 3"])
    same(page.text("#counters .lead"), "The full height is 3; steps of 400 ms.")
    same(page.texts("#counters tbody tr:nth-child(1) > *"), ["TimeLoop", "24.0 s", "3.5", "3", "4"])
    page.choose("#counters-metric", "0")


def bandwidth(page, directory):
    """The limit follows the mix of reads and writes; a gap and a node without a limit have none."""
    same(page.texts("#bandwidth .finding p"), ["memory of node 0 saturated-memory", "TimeLoop: the memory of node 0 is used to 91 % of what this machine can do.", "spread the data"])
    same(page.texts("#bandwidth .lead"), ["Limits are those that memphis node measured on each host; 1 without a measurement has those of n03.",
                                          "The full height is 13.2 GB per second; steps of 400 ms. Light: reads; solid: writes; line: the limit at this mix of reads and writes."])
    # What follows the finding, and the table, does not touch what is before it.
    same(page.script("""const box = (name) => document.querySelector(`#bandwidth ${name}`).getBoundingClientRect();
        return [box('.finding + .lead').top - box('.finding').bottom >= 8, box('caption').top - box('output').bottom >= 8]"""), [True, True])
    same(page.texts("#bandwidth .strip .label"), ["node 0 up to 91 %", "node 1", "nodes 4-5,7 up to 50 %"])
    same(page.texts("#bandwidth .axis span"), page.texts("#timeline .axis span"))
    page.script("document.querySelectorAll('#bandwidth .strip svg')[0].focus()")
    page.keys("HOME")
    same(page.text("#bandwidth output"), "node 0, 0 s to 400 ms: 10 GB per second, 2 GB of them written; 91 % of the limit")
    page.point("#bandwidth .strip:nth-child(1) svg", 0.52, 0.5)
    same(page.text("#bandwidth output"), "node 0, 16.4 s to 16.8 s: not read")
    page.keys("END")
    same(page.text("#bandwidth output"), "node 0, 31.6 s to 32.0 s: 1 GB per second, 0 B of them written; 8 % of the limit")
    page.point("#bandwidth .strip:nth-child(2) svg", 0.02, 0.5)
    same(page.text("#bandwidth output"), "node 1, 400 ms to 800 ms: 500 MB per second, 0 B of them written")
    # A fifth of writes: 11 of 13.2 GB/s; none: 12.
    same(page.script("return [...document.querySelectorAll('#bandwidth path.limit')].map((path) => path.getAttribute('d').slice(0, 12))"), ["M0 6.67H1V6.", "M0 0", "M0 27.88H1V2"])
    same(page.script("return document.querySelector('#bandwidth path.limit').getAttribute('d').slice(-8)"), "V3.64H80")
    same(page.texts("#bandwidth tbody tr:nth-child(1) > *"), ["memory of node 0", "TimeLoop", "90.9 %", "", "8 GB", "2 GB", "11 GB", "counters", "n03"])
    same(page.texts("#bandwidth tbody tr:nth-child(2) > *"), ["link from node 1 to node 0", "all that is selected", "10.0 %", "8.0 % to 12.5 %", "8 GB", "", "80 GB",
                                                            "sampled loads, at least", "n03"])
    same(page.texts("#bandwidth tbody tr:nth-child(3) > *")[:2], ["link from node 2 to node 0", "Halo"])
    page.shot(f"{directory}/bandwidth.png")


def timeline(page, _):
    same(page.texts("#timeline .strip .label"), ["node 0 720", "node 1 380", "node 2 330", "node 3 330"])
    same(page.texts("#timeline .axis span"), ["0 s", "8.0 s", "16.0 s", "24.0 s", "32.0 s"])
    page.script("document.querySelectorAll('#timeline .strip svg')[1].focus()")
    page.keys("ARROW_RIGHT")
    same(page.text("#timeline output"), "node 1, 400 ms to 800 ms: 7 samples, 6 of them to other nodes' memory")
    page.keys("END")
    same(page.text("#timeline output"), "node 1, 31.6 s to 32.0 s: 7 samples, 6 of them to other nodes' memory")
    page.point("#timeline .strip:nth-child(1) svg", 0.51, 0.5)
    same(page.text("#timeline output"), "node 0, 16.0 s to 16.4 s: 9 samples, 0 of them to other nodes' memory")


def variables(page, _):
    status = "#variables-status"
    same(page.texts(NAMES), ["tx", "ty", "grid::tracer", "stats", "<not-found>"])
    same(page.text(status), "5 variables, 1,652 samples")
    same(page.texts("#variables-body tr:first-child > *"), ["tx heap grid.F90:31", "", "820", "49.6 % 47.2\u201352.0 %", "415", "69.5 %", "430 MB"])
    same(page.one("#variables-body tr:first-child .bar").get_attribute("aria-label"), "node 0: 250, node 1: 200, node 2: 190, node 3: 180")
    for order, names in (("latency_mean_cycles", ["stats", "tx", "ty", "grid::tracer", "<not-found>"]), ("away_share", ["stats", "ty", "tx", "grid::tracer", "<not-found>"]),
                         ("name", ["<not-found>", "grid::tracer", "stats", "tx", "ty"]), ("bytes", ["tx", "ty", "grid::tracer", "stats", "<not-found>"])):
        page.click(f'[data-order="{order}"]')
        same(page.texts(NAMES), names)
    page.click('[data-order="count"]')
    page.click('[data-order="count"]')
    same(page.texts(NAMES), ["<not-found>", "stats", "grid::tracer", "ty", "tx"])
    same(page.one('th[aria-sort="ascending"]').text.split()[-1], "Samples")
    page.click('[data-order="count"]')


def filters(page, _):
    status = "#variables-status"
    page.type("#filter-text", "GRID.F90")
    same(page.texts(NAMES), ["tx", "ty"])
    same(page.text(status), "2 variables, 1,210 samples")
    page.type("#filter-text", "^t.$")
    same(page.texts(NAMES), [])
    page.click("#filter-regex")
    same(page.texts(NAMES), ["tx", "ty"])
    page.type("#filter-text", "(")
    same(page.text(status), "This is not a regular expression.")
    same(page.one("#filter-text").get_attribute("aria-invalid"), "true")
    page.click('.toolbar button[type="reset"]')
    same(page.text(status), "5 variables, 1,652 samples")
    page.choose("#filter-node", "1")
    same(page.texts("#variables-body tr > td:nth-child(3)"), ["200", "100", "90", "22"])
    page.choose("#filter-node", "unknown")
    same(page.texts(NAMES), ["<not-found>"])
    page.choose("#filter-node", "")
    page.choose("#filter-segment", "heap")
    same(page.texts(NAMES), ["tx", "ty"])
    page.choose("#filter-segment", "")
    same(page.texts("#filter-group option"), ["all", "TimeLoop > Bound (1,218)", "outside any caliper (434)"])
    page.choose("#filter-group", "1")
    same(page.texts(NAMES), ["grid::tracer", "stats"])
    # Following a link shows its variable even if the filter has hidden it.
    page.link(".finding:first-child .what")
    same(page.texts('#variables-body button[aria-expanded="true"]'), ["tx"])
    same(page.text(status), "5 variables, 1,652 samples")


def details(page, _):
    page.click(NAMES)
    same(page.texts(".details .facts div"), [
        "addresses sampled 0x7f4166d00000 \u2013 0x7f4167cffff8", "allocated at grid.F90:31", "held by grid::tx", "named by holder",
        "samples by node node 0: 250, node 1: 200, node 2: 190, node 3: 180", "pages at home on node 0: 820", "slowest access 840 cycles",
        "stores, hitm 0, 0"])
    same(page.texts(".details tbody tr:first-child > *"), ["halo.F90:17 0x7858 in ice_model", "copy inlined into exchange at halo.F90:9", "", "780",
                                                            "420 max 840", "0", "0"])
    page.click(NAMES)
    same(page.texts(".details"), [])


def source(page, _):
    same(page.texts("#source-text .hot button"), ["1,170", "48", "350", "84"])
    page.click(NAMES)
    page.link(".details", "halo.F90:17")
    same(page.texts("#source-text .here > *"), ["1,170", "", "17", "buffer(i, j) = tx(i, j, b) + ty(i, j, b)"])
    same(page.texts("#source-text .here + .owners li"), ["tx 780", "ty 390"])
    page.link("#source-text .owners", "ty")
    same(page.script("return document.activeElement.textContent"), "ty")
    same(page.texts('#variables-body button[aria-expanded="true"]'), ["tx", "ty"])
    page.follow(page.driver.back)
    same(page.script("return document.activeElement.getAttribute('aria-label')"), "line 17: 1,170 samples, show variables")


def heatmaps(page, _):
    same(page.texts("#heatmap-variable option"), ["heap: tx", "bss: grid::tracer", "data: stats"])
    page.script("document.querySelector('.spots canvas').focus()")
    page.keys("ARROW_DOWN")
    same(page.text("#heatmap-output"), "+128 KiB to +256 KiB, 2.0 s to 2.5 s: no sample")
    page.choose("#heatmap-variable", "2")
    page.point(".spots canvas", 2.5 / 64, 0.1)
    same(page.text("#heatmap-output"), "+0 B to +64 B, 3.0 s to 3.5 s: 18 samples: 18 from node 2 to node 2")
    page.point(".users canvas", 0.9, 0.1)
    same(page.text("#heatmap-output"), "+0 B to +64 B, thread 186: 24 samples, 12 stores, on node 3")
    same(page.texts("#heatmap-view .box tbody tr"), ["0 hits 42 21 13", "8 misses 42 21 14", "0x556108a00040 +0 180 10 10 6", "0x556108a00040 +8 184 9 9 6"])
    same(page.text("#heatmap-parts"), "95 % of the selected samples are in: stats[0..1] (node 1, 61 samples), stats[3] (node 2, 1,234 samples)")
    same(page.text("#heatmap-view .lead"),
         "stats 84 samples, 66 of them selected; 0x556108a00040 \u2013 0x556108a00138: four nodes write fields of one line of 64 bytes")
    page.click('#heatmaps input[value="selected"] + span')
    page.point(".spots canvas", 2.5 / 64, 0.1)
    same(page.text("#heatmap-output"), "+0 B to +64 B, 3.0 s to 3.5 s: no sample")
    page.click('#heatmaps input[value="all"] + span')
    # Colours by the page's home, by accessing node, and by whether these are equal. An empty place has no colour.
    pixel = """const canvas = document.querySelector('.spots canvas'), copy = document.createElement('canvas').getContext('2d');
        copy.drawImage(canvas, -Math.floor(canvas.width * arguments[0]), -Math.floor(canvas.height * arguments[1]));
        return [...copy.getImageData(0, 0, 1, 1).data].slice(0, 3)"""
    colours = []
    for name in ("home", "node", "away"):
        page.click(f'#heatmaps input[value="{name}"] + span')
        page.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")
        colours.append(page.script(pixel, 3.5 / 64, 0.1))
    near = [[0, 158, 115], [204, 121, 167], [213, 94, 0]]
    same([max(abs(one - other) for one, other in zip(*pair)) <= 2 for pair in zip(colours, near)], [True] * 3)
    same(page.script(pixel, 0.5, 0.5), [0, 0, 0])
    page.unfold("#heatmap-view details")
    same(page.texts("#heatmap-view details tbody tr"), ["+0 B to +64 B 84 2: 84 0: 20, 1: 22, 2: 18, 3: 24 180, 182, 184, 186", "+64 B to +128 B 0",
                                                        "+128 B to +192 B 0", "+192 B to +249 B 0"])
    page.click(NAMES)
    page.link(".details", "Heatmap of its pages, and of the threads that use them")
    same(page.one("#heatmap-variable").get_attribute("value"), "0")


def books(page, _):
    same(page.texts("#accounting .box:first-child tbody tr"), [
        "kept as samples 4,100 45.6 %", "lost: ring full 40 0.4 %", "filtered: not-memory 3,640 40.4 %", "filtered: kernel-pc 1,200 13.3 %",
        "filtered: kernel-address 20 0.2 %", "all 9,000 balanced"])
    same(page.texts("#accounting .box:nth-child(2) tbody tr"), ["stack-frame 8 0.5 %"])
    same(page.text("#own"), "41 of all samples (1.0 %) are accesses of libmemphis itself, excluded from all shares and tables.")
    same(page.text("#homes"), "24 of 1,600 loads from DRAM (1.5 %) contradict the home of their page: 20 remote loads of pages of the own node, 4 local loads of pages of another node.")
    page.unfold("#accounting details:nth-of-type(1)")
    same(page.text("#accounting details:nth-of-type(1) > summary"), "stack-frame: 8 samples")
    same(page.text("#accounting details:nth-of-type(1) > p"), "a local variable on a thread's stack. To do: look at these lines for locals.")
    same(page.texts("#accounting details:nth-of-type(1) tbody tr"), [
        "0x7fffe4a1c8d0 stack /home/ada/ice/step.F90:41 step 0x4011c0 180.181 2.000001 s",
        "0x7fffe4a1c8e0 stack /home/ada/ice/ice_model 0x4011d0 180.180 0.000000 s"])
    page.unfold("#accounting details:nth-of-type(2)")
    same(page.texts("#accounting details:nth-of-type(2) tbody tr"), ["180.180 ice_model 9,000 4,100 40 4,860 1,652 balanced"])
    same(page.texts("#run > .box:last-child tbody tr"), ["/home/ada/ice/ice_model ok same 9eb59c4d318a030e", "/usr/lib/libgomp.so.1 missing 3856f0954e1931ee", "/dev/memphis device"])
    page.unfold("#run details")
    same(page.texts("#run details .box:first-of-type tbody tr")[0], "0 0-15 64 GiB 10,32,32,32")
    same(page.texts("#threads tbody tr")[2], "180.183 OpenMP thread 3 207 79.2 % 392 node 1")


def keyboard(page, _):
    """Go from the filter to a variable's details, to its line and back, without a mouse."""
    page.one("#filter-text").send_keys("grid::t")
    for _ in range(40):
        page.keys("TAB")
        if page.script("return document.activeElement.textContent") == "grid::tracer":
            break
    page.keys("ENTER")
    same(page.texts('#variables-body button[aria-expanded="true"]'), ["grid::tracer"])
    for _ in range(5):
        page.keys("TAB")
        if page.script("return document.activeElement.textContent") == "halo.F90:26":
            break
    page.follow(lambda: page.keys("ENTER"))
    same(page.script("return document.activeElement.getAttribute('aria-label')"), "line 26: 350 samples, show variables")
    page.follow(lambda: page.keys("TAB", "ENTER"))
    same(page.script("return document.activeElement.textContent"), "grid::tracer")
    # Every visual label must have a text for screen readers.
    same(page.script("""return [...document.querySelectorAll('button, a, input, select, canvas, svg, section, [role=img]')]
        .filter((made) => made.checkVisibility() && !made.textContent.trim() && !made.getAttribute('aria-label') && !made.labels?.length)
        .map((made) => made.outerHTML)"""), [])


def bare(page, _):
    """A report without the newer parts gives a page without them."""
    same(page.texts("#contents a"), ["Variables", "Source", "Notes", "Accounting", "Run"])
    same(page.texts("#notes li"), [
        "40 samples (0.4 % of interrupts) were lost because a ring was full.",
        "The kernel paused sampling 3 times, each up to a tick, because interrupts came too fast; a longer period avoids it."])
    same(page.texts("#variables-head th"), ["Variable", "By accessing node", "Samples", "Share"])
    same(page.texts("#source-text .hot"), ["1,170 17", "48 20", "350 26", "84 27"])
    same(page.text("#source-note"), "/home/ada/ice/halo.F90: the text was not found when this page was made; --source DIR adds a directory to search")
    page.click(NAMES)
    same(page.texts(".details tbody tr:first-child > *"), ["halo.F90:17 0x7858 in ice_model", "copy inlined into exchange at halo.F90:9", "", "780"])


def callers(page, _):
    """Samples in a library, by the calls that led to them."""
    same(page.texts("#contents a"), ["Variables", "Callers", "Source", "Notes", "Accounting", "Run"])
    same(page.script("return [...document.querySelectorAll('#callers svg.call text')].map((made) => made.textContent)")[:3], ["main", "exchange", "memcpy"])
    page.unfold("#callers details")
    same(page.texts("#callers .calls .calls .calls > li")[:1], ["209 memcpy"])
    same(page.texts("#accounting .columns table:last-of-type tbody tr")[-1:], ["short 2 0.9 %"])


def large(page, _):
    """Only the variables in view are drawn."""
    same(page.text("#variables-status"), "5,000 variables, 250,050,000 samples")
    same(len(page.texts(NAMES)), 50)
    page.click("#variables-body button.more")
    same(len(page.texts(NAMES)), 100)
    same(page.script("return document.activeElement.textContent"), "array_50")
    page.type("#filter-text", "array_4999")
    same(page.texts(NAMES), ["array_4999"])
    page.click(NAMES)
    same(len(page.texts(".details tbody tr")), 10)
    page.type("#filter-text", "")
    same(len(page.texts(NAMES)), 50)
    key = page.script("return model.variables[1234].key")
    page.follow(lambda: page.script("location.hash = '#variable/' + encodeURIComponent(arguments[0])", key))
    same(page.script("return document.activeElement.textContent"), "array_1234")


def ranks(page, directory):
    """A timeline with more values than a JavaScript function accepts as arguments."""
    same(page.texts("#contents a")[-4:], ["Threads", "Notes", "Accounting", "Run"])
    same(page.texts("#timeline .strip .label"), ["node 0 135,000"])
    same(page.texts("#heatmap-variable option")[299], "heap: tx, rank 299 on n4")
    # There is no choice between all samples and the selected ones, which are the same.
    same(page.texts("#heatmaps legend"), ["Colour"])
    page.choose("#heatmap-variable", "299")
    same(page.text("#heatmap-view .lead").split(" of them")[0], "tx, rank 299 on n4: 820 samples, 570")
    same(page.text("#head .kind"), "Memphis report, 300 processes")
    same(page.texts("#run > .facts dd")[0], "n0, n1, n2 and 2 more")
    same(page.script("return document.querySelectorAll('#ranks rect').length"), 300)
    same(page.texts("#ranks .rank-host"), ["n0", "n1", "n2", "n3", "n4"])
    same(page.script("const box = (name) => document.querySelector(name).getBoundingClientRect(); return box('#ranks svg').bottom >= box('#ranks svg > rect:last-child').bottom && box('#ranks svg').height < 5 * 9 + 9"), True)
    same(page.script("return document.querySelectorAll('#ranks rect.outlier').length"), 1)
    same("1 process differs from the others" in page.text("#ranks .lead"), True)
    page.point("#ranks rect.outlier", 0.5, 0.5)
    same(page.text("#ranks-output"), "rank 17 on n0: 500 samples, 10.0 % of pages that another node owns; differs from the others")
    same("are those of 1 process" in page.text("#ranks .hint"), True)
    page.shot(f"{directory}/ranks.png")


def missing(page, _):
    same(page.text("#heatmaps-missing"), "40 pictures of 20 processes are not in the profile: of more than 16 processes it keeps the worst one's for each finding, and only for the samples that it was reduced with. A page made from the sample files has all of them.")


def pebs(page, _):
    same(page.texts("#run > .facts div"), ["hardware Intel PEBS", "memory 4 nodes, 256 GiB", "event local-dram,remote-dram", "period one in 10,007 loads"])


def fields(page, _):
    same(page.texts("#contents a"), ["Variables", "Notes", "Accounting", "Run"])
    page.click(NAMES)
    same(page.texts(".details caption"), ["Members of tx that were accessed"])
    same(page.texts(".details tbody tr:nth-child(1) > *"), ["8 of 64", "cell", "", "8", "0", "0"])
    same(page.texts(".details tbody tr:nth-child(2) > *"), ["24 of 64", "velocity.x", "", "812", "4", "12"])
    page.click("#variables-body tr:nth-child(3) button.name")
    same(page.texts("#variables-body > tr:nth-child(4) tbody tr > *"), ["", "(not known)", "", "390", "0", "0"])


def types(page, _):
    same(page.texts("#variables-head th"), ["Variable", "Accesses", "By accessing node", "Samples", "Share"])
    share = [page.texts(f"#variables-body tr:nth-child({row}) td.accesses span") for row in (1, 2)]
    same(share, [["grid::Cell.high 73.2 %", "grid::Cell.low 12.2 %", "1 more"], []])
    page.click(NAMES)
    same(page.texts(".details caption")[:1], ["Types and members that instructions access in tx"])
    same(page.texts(".details table:first-of-type tbody tr:nth-child(2) > *")[:6], ["grid::Cell.low", "grid::Cell", "", "100", "12.2 %", "40"])
    same(page.texts("#accounting .columns table:last-of-type tbody tr")[-2:], ["no-debug-info 390 23.6 %", "no-variable 20 1.2 %"])
    same(page.text("#contradicted"), "Of 700 samples with a member by their address and one by their instruction, 7 have two different ones.")


def failing(page, _):
    """A failing part is reported, and all others are shown."""
    same(page.texts("#contents a"), ["Variables", "Source", "Notes", "Accounting", "Run"])
    same(page.text("#failures .failed").split(":")[0], "A part of this page could not be drawn (showThreads")
    same([problem.split(" ")[0] for problem in page.problems()], ["console:"])


def pictures(page, directory):
    page.click(NAMES)
    for scheme in ("light", "dark"):
        page.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for width in WIDTHS:
            page.resize(width)
            page.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")
            page.shot(f"{directory}/page-{scheme}-{width}.png")
    same(page.script("return getComputedStyle(document.body).backgroundColor"), "rgb(20, 23, 27)")
    page.command("Emulation.setEmulatedMedia", media="print")
    same(page.script("return ['nav', '.toolbar', 'output', '.cause .pick'].map((part) => getComputedStyle(document.querySelector(part)).display)"), ["none"] * 4)
    # All texts but titles are about as small as the others.
    same(page.script("return [...document.querySelectorAll('p, dd, li, td, th, figcaption, caption, small')].map((made) => parseFloat(getComputedStyle(made).fontSize)).filter((size) => size < 8 || size > 12)"), [])
    same(page.script("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
    page.command("Emulation.setEmulatedMedia", media="")
    page.printed(f"{directory}/page.pdf")


def hostile(page, _):
    """Names that contain markup are shown as text."""
    name = "</script><img/src=x/onerror=alert(1)><!--<script>"
    same(page.texts(NAMES), [name])
    same(page.script("return document.querySelectorAll('img').length"), 0)
    same(page.script("return document.querySelectorAll('script').length"), 4)
    same(page.script("return model.variables[0].name"), name)
    page.click(NAMES)
    # The directory of a program is left out, and "</b>" looks like one.
    same([page.text("h1"), page.one("h1").get_attribute("title")], ["b> '</title><script>alert(2)</script>'", "./<b>model</b> '</title><script>alert(2)</script>'"])
    same(page.script("return [...document.querySelectorAll('b, i')].filter((made) => /model|Loop/.test(made.textContent)).length"), 0)


def hostile_by_region(page, directory):
    hostile(page, directory)
    same(page.texts("#filter-group option"), ["all", "<i>Loop (1)"])


def wrong(page, _):
    """Provoke each problem that quiet() must detect."""
    kinds = sorted({problem.split(":")[0].split(" ")[0] for problem in page.problems()})
    same(kinds, ["2000", "console", "request"])


def main():
    check, path = sys.argv[1:3]
    with Page(path) as page:
        (globals().get(check) or getattr(views, check, None) or getattr(looks, check))(page, sys.argv[3] if len(sys.argv) > 3 else None)
        if check not in ("wrong", "failing"):
            quiet(page)


if __name__ == "__main__":
    main()
