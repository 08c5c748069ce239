// SPDX-License-Identifier: BSD-3-Clause
// Estimated waiting: the sums, the sources, the verdict, and the latencies of a variable's loads.
"use strict";

const WAIT_SOURCES = {
	l3: "own L3", "peer-cache": "another cache of the node", "local-dram": "local DRAM", "remote-cache": "a cache of another node", "remote-dram": "remote DRAM",
	extension: "extension memory", io: "I/O", "fill-buffer": "a line that was being fetched", unknown: "unknown"
};
const VERDICTS = {
	yes: "Placing memory better is worth it: ", no: "Placing memory better is not worth it: ", undecided: "Whether placing memory better is worth it is undecided: "
};
const SHARING = "Sharing less data between nodes is worth it, more than placing memory: ";
const LATENCY_STRIP = 30; // height of a strip in units of its picture

function cycles(number) {
	return scaled(number, ["", "k", "M", "G", "T", "P"], 1000).trim();
}

function cyclesBetween({ low, high }) {
	return `${cycles(low)}\u2013${cycles(high)}`;
}

function waitingOf(report) {
	return report.waiting && !report.waiting.why_not ? report.waiting : null;
}

function isSharing(verdict) {
	return verdict.worth === "yes" && verdict.remote_cache_share > 0.5;
}

function lpiWords(verdict) {
	const three = (number) => Number(number.toPrecision(3));
	return `${three(verdict.lpi)} cycles of remote latency per op (95 %: ${three(verdict.lpi_low)}${verdict.lpi_high === null ? " or more" : `\u2013${three(verdict.lpi_high)}`})`;
}

// The thread with most of the latency, as in the head of the report.
function mostWords(verdict) {
	const { most } = verdict, alone = most && most.worth === "yes" && verdict.worth !== "yes";
	if (!most || !most.named)
		return "";
	return alone ? `, but it is if the others wait for thread ${most.tid}, which has ${percent(most.share)} of it, ${lpiWords(most)}` : `, of which thread ${most.tid} has ${percent(most.share)}`;
}

function waitedWords({ waited, gain }) {
	return `${cycles(waited.cycles)} cycles were waited (95 % ${cyclesBetween(waited)})${gain ? `, at most ${cycles(gain.cycles)} (${cyclesBetween(gain)}) fewer with local memory` : ""}, estimated.`;
}

// Sums of sources, which have no common interval.
function sumSources(list) {
	const sums = new Map();
	for (const { source, samples, latency_cycles: latency, waited } of list) {
		const kept = sums.get(source) || { source, samples: 0, latency_cycles: 0, waited: { cycles: 0 } };
		kept.samples += samples;
		kept.latency_cycles += latency;
		kept.waited.cycles += waited.cycles;
		sums.set(source, kept);
	}
	const order = Object.keys(WAIT_SOURCES);
	return [...sums.values()].sort((a, b) => order.indexOf(a.source) - order.indexOf(b.source));
}

// Whether waiting is known over time: of all variables together.
function waitingInRange() {
	return chosen.range !== null && chosen.variable === "" && hasSteps("waiting");
}

// Waiting by source in the range of time, of the selected ranks and node. A latency stands for as much waiting as any other one of its process and source.
function sourcesInRange(report) {
	return report.timeline.filter(({ process }) => job.shows(process)).flatMap((process) => {
		const whole = rankWaiting(report, (number) => number === process.process);
		return process.waiting.filter(({ node, source }) => showsNode(node) && whole.has(source)).map(({ source, samples, latency_cycles: latencies }) => {
			const latency = inSteps(latencies, process), { cycles: waited, latency_cycles: of } = whole.get(source);
			return { source, samples: inSteps(samples, process), latency_cycles: latency, waited: { cycles: waited * latency / of } };
		});
	});
}

// Waiting by source for what is chosen: sums over nodes, variables, threads or time, which have no common interval.
function shownSources(report, waiting) {
	if (waitingInRange())
		return sumSources(sourcesInRange(report)).filter(({ samples }) => samples);
	if (chosen.node !== "" || chosen.variable !== "")
		return sumSources(chosenTables().flatMap(({ variables }) => variables.flatMap((row) => (row.waiting ? row.waiting.sources : []))));
	if (!chosen.ranks.size)
		return waiting.sources;
	return [...rankWaiting(report, (process) => job.shows(process)).values()].map((source) => ({ ...source, waited: { cycles: source.cycles } }));
}

function showWaiting(report) {
	const waiting = waitingOf(report);
	if (!waiting)
		return;
	const { verdict } = waiting, sources = shownSources(report, waiting), all = sum(sources, (source) => source.waited.cycles);
	const most = largest(sources, (source) => source.waited.cycles, 1);
	fill("waiting", "Waiting beyond the L2",
		element("p", { class: "lead" }, verdict.worth ? `${isSharing(verdict) ? SHARING : VERDICTS[verdict.worth]}${lpiWords(verdict)}${isSharing(verdict) ? `, ${percent(verdict.remote_cache_share)} of it for data in caches of other nodes` : ""}${mostWords(verdict)}; the rule of thumb is 0.1.`
			: `There is no verdict on remote latency per op: ${verdict.why_not}.`),
		element("p", { id: "waited" }, waitedWords(waiting), sources !== waiting.sources && ` ${cycles(all)} cycles of these (${percent(all / waiting.waited.cycles)}) are shown here.`),
		sources.length > 0 && table("Estimated waiting by source of the data", [["Data from", "text"], ["Compared", "graph"], ["Cycles", "number"], ["95 %", "number"], ["Share", "number"], ["Samples", "number"], ["Mean latency", "number", "cycles"]],
			sources.map((source) => [WAIT_SOURCES[source.source] || source.source, plainBar(source.waited.cycles / most, source.source.startsWith("remote") ? "bad" : "plain"),
				cycles(source.waited.cycles), source.waited.low === undefined ? "" : cyclesBetween(source.waited), percent(source.waited.cycles / all), count(source.samples),
				count(Math.round(source.latency_cycles / source.samples))])),
		element("p", { class: "hint" }, breakable(`These are ${waiting.contains}.`)));
}

// The waiting of a variable by node, with the intervals that sums over nodes do not have.
function waitingFacts(variable) {
	return variable.waits.map(([node, { waited, gain }]) => `${nodeName(node)}: ${cycles(waited.cycles)} cycles (${cyclesBetween(waited)})${gain ? `, at most ${cycles(gain.cycles)} (${cyclesBetween(gain)}) less with local memory` : ""}`).join("; ");
}

// The distribution of latencies of one source: a bar for each bin, and a mark at the peak of local and of remote memory.
function latencyStrip(source, bins, from, to, say) {
	const all = sum(bins, (bin) => bin.count), most = largest(bins, (bin) => bin.count, 1), peak = bins.find((bin) => bin.peak);
	const at = (value) => Math.log2(value / from), width = at(to);
	const words = (bin) => `${bin.low} to ${bin.below - 1} cycles: ${plural(bin.count, "load")}`;
	const name = WAIT_SOURCES[source] || source;
	const picture = drawing("svg", {
		viewBox: `0 0 ${width} ${LATENCY_STRIP}`, preserveAspectRatio: "none", class: source.startsWith("remote") ? "far" : "plain", role: "img",
		"aria-label": `${name}: ${plural(all, "load")}${peak ? `, most with ${peak.low} to ${peak.below - 1} cycles` : ""}`,
		onpointermove: (event) => {
			const latency = from * 2 ** (width * event.offsetX / picture.clientWidth), bin = bins.find(({ low, below }) => low <= latency && latency < below);
			say(bin ? `${name}, ${words(bin)}` : `${name}, ${Math.round(latency)} cycles: no load`);
		}
	}, bins.map((bin) => drawing("rect", {
		x: String(at(bin.low)), y: String(LATENCY_STRIP * (1 - bin.count / most)), width: String(at(bin.below) - at(bin.low)), height: String(LATENCY_STRIP * bin.count / most)
	})), peak ? [drawing("line", { class: "peak", x1: String(at(Math.sqrt(peak.low * peak.below))), x2: String(at(Math.sqrt(peak.low * peak.below))), y1: "0", y2: String(LATENCY_STRIP), "vector-effect": "non-scaling-stroke" })] : []);
	return element("div", { class: "strip" }, element("span", { class: "label" }, name, element("small", {}, plural(all, "load")), peak && element("small", { class: "peak" }, `peak ${peak.low}\u2013${peak.below - 1}`)), picture);
}

// The latencies of the loads of a heatmap's variable, on one logarithmic axis.
function latencyFigure(heatmap, say) {
	const all = (heatmap.latencies || []).filter((bin) => bin.low > 0);
	if (!all.length)
		return null;
	const from = Math.min(...all.map((bin) => bin.low)), to = Math.max(...all.map((bin) => bin.below));
	const sources = Object.keys(WAIT_SOURCES).filter((source) => all.some((bin) => bin.source === source));
	return element("figure", { class: "latencies" }, element("figcaption", {}, "Latencies of loads beyond the L2 in cycles, by source of the data; each strip has its own height"),
		element("div", { class: "strips" }, sources.map((source) => latencyStrip(source, all.filter((bin) => bin.source === source), from, to, say))),
		element("div", { class: "axis", "aria-hidden": "true" }, [0, 0.25, 0.5, 0.75, 1].map((part) => element("span", {}, count(Math.round(from * (to / from) ** part))))),
		lazyFold("Latencies as a table", () => table(`Latencies of loads of ${heatmap.name}`, [["Data from", "text"], ["Cycles", "text"], ["Loads", "number"], ["Mean", "number"]],
			all.map((bin) => [`${WAIT_SOURCES[bin.source] || bin.source}${bin.peak ? " (peak)" : ""}`, `${bin.low}\u2013${bin.below - 1}`, count(bin.count), count(Math.round(bin.cycles / bin.count))]))));
}
