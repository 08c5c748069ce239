# SPDX-License-Identifier: BSD-3-Clause
"""Checks of what a reader chooses in a page: ranks, a range of time, two ranks to compare; of its address, and of copied tables."""

from browser import NAMES, same, WIDTHS


def scopes(page):
    """What the sections say that they show."""
    return {found.find_element("xpath", "..").get_attribute("id"): found.text for found in page.all("section > .scope")}


def selected(page):
    return page.script("return [...document.querySelectorAll('#ranks rect[aria-selected=true]')].map((cell) => Number(cell.id.split('-')[1]))")


def fragment(page):
    return page.script("return location.hash")


def selection(page, directory):
    threads = "#threads tbody tr th"
    same(len(page.texts(threads)), 8)
    same(scopes(page), {})
    page.click("#rank-2")
    same(selected(page), [2])
    same(fragment(page), "#?ranks=2")
    same(page.texts(threads), ["102.102"])
    same(page.texts("#threads tbody tr")[0], "102.102 ice_model 110 27.3 % 300 node 0, node 1")
    same(page.texts(".finding .what"), ["tx first-touch"])
    same(page.texts(".finding .evidence div:last-child"), ["shown by: ranks 1\u20132"])
    same(page.text("#findings > .hint"), "1 finding of other ranks is not shown.")
    same(page.text("#traffic .lead"), "27.3 % (19.8\u201336.3 %) of 110 samples with known nodes were accesses to memory that another node owns.")
    same(page.texts("#timeline .strip .label"), ["node 0 80", "node 1 30"])
    same(page.texts("#mpi .box:nth-of-type(1) tbody tr th"), ["rank 2"])
    same(page.texts("#waiting tbody tr"), ["local DRAM 131 M 61.8 % 80 200", "remote DRAM 81.1 M 38.2 % 30 330"])
    same(page.texts("#heatmap-variable option"), ["heap: tx, rank 2 on n0", "bss: grid::tracer, rank 2 on n0"])
    same(page.texts("#run > .box:first-of-type tbody tr th"), ["102, rank 2"])
    same(page.text("#accounting > details:last-of-type > summary"), "Accounting of 1 thread")
    same(scopes(page), {
        "answer": "Shown: rank 2; shares: all ranks", "notes": "Shown: all ranks", "findings": "Shown: rank 2", "traffic": "Shown: rank 2", "timeline": "Shown: rank 2", "regions": "Shown: all ranks", "mpi": "Shown: rank 2; functions: all ranks",
        "counters": "Shown: all ranks", "waiting": "Shown: rank 2; verdict: all ranks", "variables": "Shown: all ranks", "heatmaps": "Shown: rank 2", "source": "Shown: all ranks",
        "threads": "Shown: rank 2", "sharing": "Shown: rank 2; shares of loads: all ranks", "accounting": "Shown: all ranks; accounting of threads: selected ranks", "run": "Shown: rank 2"})
    same(page.text("#chosen"), "Shown: rank 2 Show all")
    for scheme, width in (("light", 1440), ("dark", 800)):
        page.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.resize(width)
        page.shot(f"{directory}/selection-{scheme}-{width}.png")
    page.resize(WIDTHS[0])
    page.click("#rank-2")
    same((selected(page), fragment(page), scopes(page)), ([], "", {}))
    page.click("#rank-1")
    page.click("#rank-5", "SHIFT")
    same(selected(page), [1, 2, 3, 4, 5])
    same(fragment(page), "#?ranks=1-5")
    page.click("#rank-7", "CONTROL")
    page.click("#rank-3", "CONTROL")
    same(selected(page), [1, 2, 4, 5, 7])
    same(page.one("#ranks-field").get_property("value"), "1-2, 4-5, 7")
    same(page.text("#chosen span"), "Shown: ranks 1\u20132, 4\u20135, 7")
    page.click("#ranks-clear")
    same(selected(page), [])
    # The hosts are rows: one step down is the rank with the same place on the next host.
    page.script("document.querySelector('#ranks svg').focus()")
    page.keys("HOME", "ARROW_RIGHT", "ARROW_DOWN", " ")
    same(selected(page), [5])
    same(page.text("#ranks-output"), "rank 5 on n1: 140 samples, 42.9 % of pages that another node owns")
    page.held("SHIFT", "ARROW_RIGHT", "ARROW_RIGHT")
    same(selected(page), [5, 6, 7])
    same(page.script("return document.activeElement.getAttribute('aria-activedescendant')"), "rank-7")
    page.keys("ESCAPE")
    same(selected(page), [])
    page.enter("#ranks-field", "6, 0-1")
    same(selected(page), [0, 1, 6])
    page.enter("#ranks-field", "6;7")
    same((selected(page), page.one("#ranks-field").get_attribute("aria-invalid")), ([0, 1, 6], "true"))
    page.click("#choose-all")
    same((selected(page), fragment(page)), ([], ""))


def time_range(page, directory):
    page.drag("#timeline .strip:nth-child(1) svg", 40.5 / 80, 44.5 / 80)
    same(fragment(page), "#?time=16-18")
    same([page.one(field).get_property("value") for field in ("#time-from", "#time-to")], ["16", "18"])
    same(page.texts("#timeline .strip .label"), ["node 0 40", "node 1 180"])
    same(page.text("#traffic .lead"), "81.8 % (76.2\u201386.4 %) of 220 samples with known nodes were accesses to memory that another node owns.")
    same(page.texts("#counters .axis span"), ["16.0 s", "16.5 s", "17.0 s", "17.5 s", "18.0 s"])
    same(page.texts("#counters .strip .label"), ["node 0 not read", "node 1 40 pages"])
    page.script("document.querySelectorAll('#counters .strip svg')[1].focus()")
    page.keys("END")
    same(page.text("#counters output"), "node 1, 17.6 s to 18.0 s: 20 pages per second")
    same(scopes(page), {
        "answer": "Shown: 16.0 s to 18.0 s; shares: whole run", "notes": "Shown: whole run", "findings": "Shown: 16.0 s to 18.0 s", "traffic": "Shown: 16.0 s to 18.0 s", "timeline": "Shown: 16.0 s to 18.0 s", "regions": "Shown: whole run", "mpi": "Shown: whole run",
        "counters": "Shown: 16.0 s to 18.0 s; table: whole run", "waiting": "Shown: 16.0 s to 18.0 s; verdict: whole run; counted in steps of 3.2 s: 16.0 s to 19.2 s", "variables": "Shown: 16.0 s to 18.0 s; those with pictures",
        "heatmaps": "Shown: 16.0 s to 18.0 s; threads and tables: whole run", "source": "Shown: 16.0 s to 18.0 s; of variables with pictures", "threads": "Shown: 16.0 s to 18.0 s; latencies: not known; counted in steps of 3.2 s: 16.0 s to 19.2 s", "sharing": "Shown: whole run", "accounting": "Shown: whole run", "run": "Shown: whole run"})
    # A step of which the range has a part counts.
    same(page.texts("#threads tbody tr")[0], "107.107 ice_model 72 88.9 % node 0, node 1")
    same(page.texts("#waiting tbody tr"), ["local DRAM 105 M 11.9 % 64 200", "remote DRAM 779 M 88.1 % 288 330"])
    # The picture of addresses against time is empty before the range, and the one of threads is whole.
    before = page.script("return [...spotCells(heatmapList()[0]).values()].map((cell) => cell.column).filter((column, at, all) => all.indexOf(column) === at).sort((a, b) => a - b)")
    same(before, [28, 29, 30, 31])
    page.shot(f"{directory}/time.png")
    page.click("#rank-0")
    same(page.texts("#timeline .strip .label"), ["node 0 5", "node 1 5"])
    same(page.text("#chosen span"), "Shown: rank 0; 16.0 s to 18.0 s")
    page.click("#time-all")
    same((fragment(page), page.texts("#timeline .strip .label")), ("#?ranks=0", ["node 0 80", "node 1 10"]))
    page.enter("#time-from", "16.1")
    same(fragment(page), "#?ranks=0&time=16-32")
    page.enter("#time-to", "16")
    same((fragment(page), page.one("#time-to").get_attribute("aria-invalid")), ("#?ranks=0&time=16-32", "true"))
    page.click("#choose-all")
    page.script("document.querySelectorAll('#timeline .strip svg')[1].focus()")
    page.keys("HOME", "ARROW_RIGHT")
    page.held("SHIFT", "ARROW_RIGHT", "ARROW_RIGHT")
    same(fragment(page), "#?time=0.4-1.6")
    same(page.script("return document.activeElement === document.querySelectorAll('#timeline .strip svg')[1]"), True)


def parts_in_range(page, directory):
    """Waiting and threads have what is in the range of time, by whole steps of 3.2 s."""
    threads, waiting = "#threads tbody tr", "#waiting tbody tr"
    whole = page.texts(threads)
    same((whole[0], whole[7]), ("107.107 ice_model 160 50.0 % 300 node 0, node 1", "100.100 ice_model 90 11.1 % 300 node 0, node 1"))
    page.enter("#time-to", "16")
    # The first half has half of the samples of node 0, and none of node 1, whose ten steps begin in the middle.
    same(page.texts(threads), [f"{100 + rank}.{100 + rank} ice_model 40 0.0 % node 0" for rank in range(8)])
    same(page.texts(waiting), ["local DRAM 524 M 100.0 % 320 200"])
    same(page.text("#waited"), "3.58 G cycles were waited (95 % 3.22 G\u20134.3 G), at most 958 M (863 M\u20131.15 G) fewer with local memory, estimated. 524 M cycles of these (14.6 %) are shown here.")
    same({name: scopes(page)[name] for name in ("waiting", "threads")}, {"waiting": "Shown: 0 s to 16.0 s; verdict: whole run", "threads": "Shown: 0 s to 16.0 s; latencies: not known"})
    page.shot(f"{directory}/half.png")
    page.enter("#time-from", "16")
    page.enter("#time-to", "32")
    same((page.texts(threads)[0], page.texts(threads)[7]), ("107.107 ice_model 120 66.7 % node 0, node 1", "100.100 ice_model 50 20.0 % node 0, node 1"))
    same(page.texts(waiting), ["local DRAM 524 M 35.0 % 320 200", "remote DRAM 973 M 65.0 % 360 330"])
    # With a rank and a node.
    page.click("#rank-2")
    page.click(".matrix tbody tr:nth-child(2) button")
    same(page.texts(threads), ["102.102 ice_model 30 100.0 % node 1"])
    same(page.texts(waiting), ["remote DRAM 81.1 M 100.0 % 30 330"])
    same(scopes(page)["waiting"], "Shown: rank 2; verdict: all ranks; 16.0 s to 32.0 s; verdict: whole run; accesses from node 1; verdict: all nodes")
    # The whole run again.
    page.click("#choose-all")
    same(page.texts(threads), whole)


def choices(page, directory):
    """A node or a variable chosen anywhere is chosen in all sections."""
    lines = "#source-text .hot"
    page.click(".matrix tbody tr:nth-child(2) button")
    same(fragment(page), "#?node=1")
    same(page.text("#chosen span"), "Shown: accesses from node 1")
    same(page.text("#traffic .lead"), "79.4 % (75.2\u201383.0 %) of 412 samples with known nodes were accesses to memory that another node owns.")
    same(page.texts("#timeline .strip .label"), ["node 1 380"])
    same(page.text("#variables-status"), "4 variables, 412 samples")
    same(page.one("#filter-node").get_property("value"), "1")
    same(page.texts(lines), ["300 17", "90 26", "22 27"])
    same(page.texts("#threads tbody th"), ["180.183", "180.182"])
    # Of 327 loads from remote and 85 from local DRAM.
    same(page.texts("#waiting tbody tr"), ["local DRAM 139 M 13.6 % 85 200", "remote DRAM 884 M 86.4 % 327 330"])
    same(page.script("return [...new Set([...spotCells(heatmapList()[0]).values()].flatMap((cell) => cell.parts.map((part) => part.node)))]"), [1])
    same({name: text for name, text in scopes(page).items() if text != "Shown: all nodes"}, {
        "answer": "Shown: accesses from node 1; shares: all nodes", **{name: "Shown: accesses from node 1" for name in ("findings", "traffic", "timeline", "variables", "heatmaps", "source", "threads")},
        "waiting": "Shown: accesses from node 1; verdict: all nodes"})
    page.shot(f"{directory}/node.png")
    # Pressed again, it is taken back; the strips and the list of the filter choose, too.
    page.click("#timeline .label button")
    same((fragment(page), scopes(page)), ("", {}))
    page.choose("#filter-node", "unknown")
    same((page.texts(".finding .what"), page.text("#findings > .hint")), (["stats false-sharing"], "1 finding of other nodes is not shown."))
    page.click("#choose-all")
    # The variable of a cause, from the keyboard.
    page.script("document.querySelector('.cause .pick').focus()")
    page.keys("ENTER")
    same(page.script("return [chosen.variable === model.variables[0].key, document.activeElement.getAttribute('aria-pressed')]"), [True, "true"])
    same(page.texts(NAMES), ["tx"])
    same(page.texts(".finding .what"), ["tx first-touch"])
    same(page.texts(".cause h3"), ["1at halo.F90:17 (copy)"])
    same(page.text("#traffic .lead"), "69.5 % (66.3\u201372.6 %) of 820 samples with known nodes were accesses to memory that another node owns.")
    # Its picture has the times of those that are selected: here, those of other nodes' memory.
    same(page.texts("#timeline .strip .label"), ["node 1 200", "node 2 190", "node 3 180"])
    same(page.texts(lines), ["780 17", "40 20"])
    same(page.texts("#heatmap-variable option"), ["heap: tx"])
    same(page.texts("#waiting tbody tr"), ["local DRAM 410 M 21.0 % 250 200", "remote DRAM 1.54 G 79.0 % 570 330"])
    # With a node and a time.
    page.choose("#filter-node", "2")
    page.enter("#time-to", "16")
    same(page.text("#chosen span"), "Shown: 0 s to 16.0 s; accesses from node 2; tx")
    same(page.texts(NAMES), ["tx"])
    same(page.texts("#timeline .strip .label"), ["node 2 81"])
    # A link to a variable that is hidden shows it.
    page.click("#choose-all")
    page.click(".cause .pick")
    key = page.script("return model.variables[3].key")
    page.follow(lambda: page.script("location.hash = '#variable/' + encodeURIComponent(arguments[0]) + '?' + viewWords()", key))
    same((page.texts('#variables-body button[aria-expanded="true"]'), page.script("return chosen.variable")), (["stats"], ""))


def variables_in_range(page, _):
    """In a range of time, variables have the samples of their pictures, and findings without any there are hidden."""
    page.enter("#time-from", "28")
    same(page.texts(NAMES), ["tx", "grid::tracer"])
    same(page.text("#variables-status"), "2 variables, 86 samples; the times of 398 samples of 2 other variables are not in this page")
    same((page.texts(".finding .what"), page.text("#findings > .hint")), (["tx first-touch"], "1 finding of other times is not shown."))
    same(page.texts("#source-text .hot"), ["84 17 buffer(i, j) = tx(i, j, b) + ty(i, j, b)", "2 26 total = total + sum(tracer(:, :, b))"])
    same(page.texts(".cause .source td:first-child"), ["", "", "", "84", "", "", ""])
    # A link to a line without samples there takes the range back.
    page.follow(lambda: page.script("location.hash = lineLink(model.files[0].path, 27)"))
    same((page.texts("#source-text .here td:first-child"), page.script("return chosen.range")), (["84"], None))
    page.enter("#time-from", "28")
    same(page.texts("#variables-body tr:first-child td.number"), ["84", "5.1 % 4.1\u20136.3 %", "", "100.0 %", ""])


def comparison(page, directory):
    same(page.script("return document.querySelector('#ranks-compare').disabled"), True)
    page.click("#rank-1")
    page.click("#rank-2", "SHIFT")
    page.click("#ranks-compare")
    same(fragment(page), "#?ranks=1-2&compare=1,2")
    same(page.text("#compare h2"), "Comparison of rank 1 and rank 2")
    same(page.texts("#compare .box:nth-of-type(1) tbody tr"), [
        "Host n0 n0", "Selected samples 100 110 +10 (+10.0 %)", "Samples of pages that another node owns 20 30 +10 (+50.0 %)", "Their share 20.0 % 27.3 % +7.3 points",
        "Threads with samples 1 1 same", "Mean latency, cycles 300 300 same", "Loads sampled from local DRAM 80 80 same", "Cycles waited for local DRAM, estimated 131 M 131 M same",
        "Loads sampled from remote DRAM 20 30 +10 (+50.0 %)", "Cycles waited for remote DRAM, estimated 54.1 M 81.1 M +27 M (+50.0 %)",
        "Time in MPI 1.0 s 1.0 s same", "Its share 50.0 % 50.0 % same", "Waited for other ranks 100 ms 200 ms +100 ms (+100.0 %)", "MPI calls 11 12 +1 (+9.1 %)",
        "Sent 80 B 80 B same", "Received 4.08 kB 4.08 kB same"])
    same(page.texts("#compare .box:nth-of-type(2) tbody tr"), ["tx 100 200 +100 (+100.0 %)", "grid::tracer not a leading one 202"])
    same(page.texts("#compare .box:nth-of-type(3) tbody tr"), ["first-touch tx yes yes", "late-rank MPI_Allreduce yes yes"])
    same("Comparison of rank 1 and rank 2" in page.texts("#contents a"), True)
    page.shot(f"{directory}/comparison.png")
    page.click("#compare-end")
    same((fragment(page), page.one("#compare").is_displayed()), ("#?ranks=1-2", False))


def address(page, _):
    """The same address in a browser that was elsewhere, and the history."""
    page.click('[data-order="latency_mean_cycles"]')
    page.click("#rank-3")
    page.click("#rank-4", "SHIFT")
    page.enter("#time-from", "8")
    page.choose("#heatmap-variable", "1") if page.texts("#heatmap-variable option") else None
    same(fragment(page), "#?ranks=3-4&time=8-32&sort=latency_mean_cycles,falling")
    state = "return [chosen.ranks.size, chosen.range, view.order]"
    same(page.script(state), [2, [8e9, 32e9], "latency_mean_cycles"])
    for expected in ("#?ranks=3-4&sort=latency_mean_cycles,falling", "#?ranks=3&sort=latency_mean_cycles,falling", "#?sort=latency_mean_cycles,falling", ""):
        page.follow(page.driver.back)
        same(fragment(page), expected)
    same((selected(page), page.one('th[aria-sort="descending"]').text.split()[-1]), ([], "Samples"))
    for _ in range(3):
        page.follow(page.driver.forward)
    same((selected(page), fragment(page)), ([3, 4], "#?ranks=3-4&sort=latency_mean_cycles,falling"))
    # A link keeps the view, and the address has both.
    page.link("#contents", "Threads")
    same(fragment(page), "#threads?ranks=3-4&sort=latency_mean_cycles,falling")
    same(page.script("return Math.abs(document.querySelector('#threads').getBoundingClientRect().top) < 60"), True)
    # In the order by latency, waiting is of no rank: the variable stays visible.
    key = page.script("return model.variables[2].key")
    page.driver.get("about:blank")
    page.driver.get(page.url + "#variable/" + page.script("return encodeURIComponent(arguments[0])", key) + "?ranks=1-2,9&time=16-18&compare=1,2&sort=name,rising&text=tr&node=1&counter=1&picture=1&colour=node")
    same(selected(page), [1, 2])
    same(page.script("return chosen.range"), [16e9, 18e9])
    same(page.text("#compare h2"), "Comparison of rank 1 and rank 2")
    same(page.texts(NAMES), ["grid::tracer"])
    same(page.texts('#variables-body button[aria-expanded="true"]'), ["grid::tracer"])
    same([page.one(control).get_property("value") for control in ("#filter-text", "#filter-node", "#counters-metric", "#heatmap-variable")], ["tr", "1", "1", "1"])
    same(page.script("return document.querySelector('#heatmaps input[value=node]').checked"), True)
    # What the page does not have is ignored.
    page.follow(lambda: page.script("location.hash = '#?ranks=x&time=9-3&compare=1&sort=nothing,falling&node=77&variable=x&picture=99&colour=red&%=%'"))
    same((selected(page), page.script("return [chosen.range, chosen.compare, chosen.node, chosen.variable, heatmapView.at, heatmapView.colour]")), ([], [None, None, "", "", 0, "home"]))


def csv(page, _):
    page.command("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    def copied(selector):
        page.click(f"{selector} > .box > .copy")
        return page.driver.execute_async_script("const done = arguments[0]; setTimeout(() => navigator.clipboard.readText().then(done), 50)").split("\n")
    same(copied("#threads")[:2], ["Thread,Name,By home node,Samples,Away,Mean latency,Ran on", "180.181,OpenMP thread 1,\"node 0: 226, node 1: 3, node 2: 10\",239,5.4 %,381,node 0"])
    page.type("#filter-text", "grid::")
    lines = copied("#variables")
    same(lines[0], "Variable,By accessing node,Samples,Share,Mean latency,Away,Est. data")
    same([line.split(",")[0] for line in lines[1:]], ["tx heap grid.F90:31", "ty heap grid.F90:32", "grid::tracer bss", ""])
    page.click(NAMES)
    same(len(copied("#variables")), 5)
    same(copied("#traffic")[:3], ["accessed from,page at home on,,,,,all", "node 0,node 1,node 2,node 3,unknown node", "node 0,451 27.3 % (25.3\u201329.3 %) 236 MB,5 0.3 % (0.0\u20132.3 %) 2.62 MB,20 1.2 % (0.0\u20133.2 %) 10.5 MB,0,0,476"])
    # Rows that are not drawn yet are copied; texts that a program for tables would compute are not formulas.
    same(page.script("""const shown = element("table", {}, element("tbody"));
        portions(shown.tBodies[0], ["=1+1", "a,b", '"', "-5", "-x", "1,234,567"], (text) => [element("tr", {}, element("td", {}, text))], 1, 2);
        return csvOf(shown)"""), "'=1+1\n\"a,b\"\n\"\"\"\"\n-5\n'-x\n1234567\n")


def shared_memory(page, directory):
    """The matrix of threads that share memory, and the pairs."""
    same(page.text("#sharing .lead"), "Of 200 sampled loads from DRAM, 48.5 % are from pages that another thread of the process placed, 46.5 % from own ones, 5.0 % from pages that no sampled thread placed."
         " Of 40 threads that share memory, the 5 that share most are shown.")
    same(page.texts("#sharing tbody tr"), ["rank 2, 102 (OpenMP 0) and rank 2, 202 (OpenMP 1) 90 40 5 12 KiB tx, other and 2 more",
                                           "rank 3, 103 (OpenMP 0) and rank 3, 203 (OpenMP 1) 7 7 0 4 KiB tx", "rank 2, 102 (OpenMP 0) and rank 2, 302 (OpenMP 2) 0 0 2 4 KiB tx"])
    page.point("#sharing canvas", 0.3, 0.1)
    same(page.text("#sharing-output"), "rank 2, 102 (OpenMP 0) from pages of rank 2, 202 (OpenMP 1): 60 loads, 5 lines modified by the other one")
    page.script("document.querySelector('#sharing canvas').focus()")
    page.keys("ARROW_DOWN", "ARROW_LEFT")
    same(page.text("#sharing-output"), "rank 2, 202 (OpenMP 1) from pages of rank 2, 102 (OpenMP 0): 30 loads, 5 lines modified by the other one")
    page.keys("ARROW_DOWN")
    same(page.text("#sharing-output"), "rank 2, 302 (OpenMP 2) from pages of rank 2, 102 (OpenMP 0): 0 loads, 2 lines modified by the other one")
    # Cells without samples are empty, the strongest one is the darkest.
    alphas = page.script("""const canvas = document.querySelector('#sharing canvas'), pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        return [[0.3, 0.1], [0.1, 0.3], [0.1, 0.1], [0.9, 0.7]].map(([x, y]) => pixels[4 * (Math.floor(y * canvas.height) * canvas.width + Math.floor(x * canvas.width)) + 3])""")
    same((alphas[0], alphas[0] > alphas[1] > alphas[3] > 0, alphas[2]), (255, True, 0))
    page.shot(f"{directory}/sharing.png")
    page.click("#rank-3")
    same(page.texts("#sharing tbody tr th"), ["rank 3, 103 (OpenMP 0) and rank 3, 203 (OpenMP 1)"])
    page.click("#rank-5")
    same(page.texts("#sharing tbody tr"), [])
    same(page.texts("#sharing > p")[-1], "None of these threads is of rank 5.")


def undetailed(page, _):
    page.enter("#ranks-field", "0, 17-18")
    same(page.text("#threads .scope"), "Shown: ranks 0, 17\u201318; this page has no details of ranks 17\u201318")
    same(page.text("#findings .scope"), "Shown: ranks 0, 17\u201318")
    page.enter("#ranks-field", "17")
    same(page.texts("#threads tbody tr"), [])
    same(page.texts("#mpi .hint")[-1], "Of 3 ranks, this page has the 3 that wait most; none of the selected ranks is among them.")
    page.click("#choose-all")
    page.enter("#time-to", "0.2")
    same(page.text("#timeline .scope"), "Shown: 0 s to 200 ms; of 1 rank with details")


def thousand(page, directory):
    page.enter("#ranks-field", "100-999")
    same(len(selected(page)), 900)
    same(len(page.texts("#threads tbody tr")), 65)
    same(fragment(page), "#?ranks=100-999")
    for width in (1440, 800):
        page.resize(width)
        page.shot(f"{directory}/thousand-{width}.png")
