// SPDX-License-Identifier: BSD-3-Clause
// Accesses between nodes: the matrix of nodes, the samples over time, and the threads.
"use strict";

function heat(share) {
	return { "--share": String(share) };
}

function matrixCell(cell, total, most) {
	if (!cell)
		return element("td", { class: "heat none" }, "0");
	const range = cell.share_low !== undefined ? [cell.share_low, cell.share_high] : interval(cell.count, total);
	const mean = meanLatency(cell);
	return element("td", {
		class: `heat${cell.node !== null && cell.node === cell.home ? " own" : ""}`, style: heat(cell.count / most),
		title: mean ? `mean latency ${count(Math.round(mean))} cycles` : null
	}, element("b", {}, count(cell.count)), element("small", {}, `${percent(cell.count / total)} (${between(range)})`),
	cell.bytes !== undefined && element("small", {}, bytes(cell.bytes)));
}

function matrixTable(cells) {
	const total = sum(cells, (cell) => cell.count), most = largest(cells, (cell) => cell.count);
	const homes = [...new Set([...model.nodes, ...cells.map((cell) => cell.home)])].sort(compareNodes);
	const rows = [...new Set([...model.nodes, ...cells.map((cell) => cell.node)])].sort(compareNodes);
	const found = (node, home) => cells.find((cell) => cell.node === node && cell.home === home);
	const of = (list) => element("td", { class: "number sum" }, count(sum(list, (cell) => cell.count)));
	const used = (node, key) => node !== null || cells.some((cell) => cell[key] === null);
	const columns = homes.filter((home) => used(home, "home"));
	return box("Accesses by node and home node", element("table", { class: "matrix" },
		element("caption", {}, "Samples by accessing node (rows) and the node that owns the page (columns), share of all with its 95 % interval, ",
			"estimated data moved. Framed: the node's own memory."),
		element("thead", {},
			element("tr", {}, element("th", { rowspan: "2", scope: "col" }, "accessed from"),
				element("th", { colspan: String(columns.length), scope: "colgroup" }, "page at home on"), element("th", { rowspan: "2", scope: "col", class: "number" }, "all")),
			element("tr", {}, columns.map((home) => element("th", { scope: "col", class: "number" }, swatch(home), nodeName(home))))),
		element("tbody", {}, rows.filter((node) => used(node, "node")).map((node) => element("tr", {},
			element("th", { scope: "row" }, swatch(node), nodeButton(node)),
			columns.map((home) => matrixCell(found(node, home), total, most)),
			of(cells.filter((cell) => cell.node === node)))),
		element("tr", { class: "sums" }, element("th", { scope: "row" }, "all"),
			columns.map((home) => of(cells.filter((cell) => cell.home === home))), of(cells)))));
}

// The cells of the matrix for what is chosen: by rank from the threads, by time from the timelines, which have neither data moved nor latencies.
function matrixCells(report) {
	if (!chosen.ranks.size && !chosen.range && chosen.variable === "")
		return (report.matrix || []).filter(({ node }) => showsNode(node));
	const cells = new Map();
	const add = (row) => {
		const key = `${row.node} ${row.home}`, cell = cells.get(key) || { node: row.node, home: row.home, count: 0, latency_cycles: 0 };
		cell.count += row.count;
		cell.latency_cycles += row.latency_cycles || 0;
		cells.set(key, cell);
	};
	if (chosen.range)
		shownTimelines(report).forEach(({ width_ns: width, ticks }) => ticks.filter(({ index }) => inRange(index * width, (index + 1) * width)).forEach(add));
	else if (chosen.variable !== "")
		chosenTables().forEach(({ node, variables }) => variables.forEach((row) => (row.homes || []).forEach(({ home, count: number }) => add({ node, home, count: number }))));
	else
		(report.threads || []).filter(({ process }) => job.shows(process)).forEach(add);
	return [...cells.values()].filter(({ node }) => showsNode(node));
}

function showTraffic(report) {
	if (!report.matrix || !report.matrix.length)
		return;
	const cells = matrixCells(report);
	const known = cells.filter((cell) => cell.node !== null && cell.home !== null);
	const away = sum(known.filter((cell) => cell.node !== cell.home), (cell) => cell.count), all = sum(known, (cell) => cell.count);
	fill("traffic", "Traffic between nodes",
		element("p", { class: "lead" }, !cells.length ? "There is no sample here." : !all ? "The home nodes of these samples are not known."
			// A selection of remote accesses makes the share true by itself.
			: away === all ? `${count(all)} samples with known nodes were accesses to memory that another node owns.`
			: [element("b", {}, percent(away / all)), ` (${between(interval(away, all))}) of ${count(all)} samples with known nodes were accesses to memory that another node owns.`]),
		cells.length > 0 && matrixTable(cells));
}

// The common time axis of the whole run in at most `most` steps; each process begins at time 0.
function timeAxis(report, most) {
	const { series } = report.counters || { series: { list: [] } };
	// A picture of a variable can have longer steps than the samples over time.
	const pictures = chosen.variable === "" ? [] : heatmapList().filter(isShownHeatmap);
	const processes = report.timeline || [], finest = largest(pictures, (heatmap) => heatmap.tick_ns, largest(processes, (process) => process.width_ns, series.width_ns || 0));
	// Loads that waited can be later than all selected samples; the axis reaches into their last step.
	const endOf = (process) => Math.max(process.width_ns * largest(process.series, ({ ticks }) => ticks.length),
		process.step_ns * (largest(process.waiting, ({ samples }) => samples.length) - 1) + process.width_ns);
	const lines = largest(series.list, (line) => (line.first + line.values.length) * series.width_ns);
	const end = largest(processes, endOf, Math.max(finest, lines)), width = finest * Math.max(1, Math.ceil(end / finest / most));
	return { from: 0, width, length: Math.ceil(end / width) };
}

const TIME_STEPS = 240;

// The part of the axis that is chosen.
function chosenAxis(axis) {
	return chosen.range ? { from: chosen.range[0], width: axis.width, length: Math.max(1, Math.round((chosen.range[1] - chosen.range[0]) / axis.width)) } : axis;
}

// The range between two texts in seconds, extended to whole steps of the axis; an empty text is the begin or the end of the run. null: the
// whole run; undefined: no range.
function rangeOf(fromText, toText) {
	const { width, length } = timeAxis(model.report, TIME_STEPS), digits = 0.01; // of a step: addresses and fields have six digits
	const read = (text, empty) => text === undefined || text.trim() === "" ? empty : /^\d+(\.\d*)?$|^\.\d+$/.test(text.trim()) ? Number(text) * 1e9 / width : NaN;
	const from = Math.max(0, Math.floor(read(fromText, 0) + digits)), to = Math.min(length, Math.ceil(read(toText, length) - digits));
	if (!width || !(from < to))
		return undefined;
	return from === 0 && to === length ? null : [from * width, to * width];
}

// The samples of the chosen variable over time, from its pictures.
function variableTimelines() {
	return heatmapList().filter(isShownHeatmap).map((heatmap) => ({ process: heatmap.process, width_ns: heatmap.tick_ns, ticks: selectedSpots(heatmap) }));
}

// The samples of a series, by step.
function seriesTicks({ node, home, ticks }) {
	return ticks.flatMap((number, index) => number ? [{ index, node, home, count: number }] : []);
}

// The timelines of the selected ranks.
function shownTimelines(report) {
	return chosen.variable !== "" ? variableTimelines() : (report.timeline || []).filter((process) => process.series.length && job.shows(process.process))
		.map((process) => ({ ...process, ticks: process.series.flatMap(seriesTicks) }));
}

// The samples of threads and the waiting are known by step, which is several ticks long. A step counts if the range has a part of it.
function inSteps(values, { step_ns: width }) {
	return sum(values.filter((_, at) => inRange(at * width, (at + 1) * width)), (value) => value);
}

function hasSteps(key) {
	return (model.report.timeline || []).some((process) => process[key].length);
}

// What steps count beyond the range, in words; "" if it is nothing. Widths are powers of two, so that the widest step has all others.
function stepWords(key) {
	const step = largest((model.report.timeline || []).filter((process) => process[key].length), (process) => process.step_ns), [from, to] = chosen.range;
	const [first, end] = [Math.floor(from / step) * step, Math.ceil(to / step) * step];
	return first === from && end === to ? "" : `counted in steps of ${seconds(step)}: ${seconds(first)} to ${seconds(end)}`;
}

function timelineSteps(processes, { width, length }) {
	const nodes = new Map();
	for (const process of processes) {
		for (const { index, node, home, count: number } of process.ticks.filter((tick) => showsNode(tick.node))) {
			if (!nodes.has(node))
				nodes.set(node, { all: new Array(length).fill(0), away: new Array(length).fill(0) });
			const at = Math.min(length - 1, Math.floor(index * process.width_ns / width));
			nodes.get(node).all[at] += number;
			if (home !== node && home !== null && node !== null)
				nodes.get(node).away[at] += number;
		}
	}
	return [...nodes].sort(([a], [b]) => compareNodes(a, b));
}

const STRIP = 40; // height of a strip

function stripPath(values, top) {
	const parts = [`M0 ${STRIP}`];
	values.forEach((value, at) => parts.push(`V${(STRIP - STRIP * value / top).toFixed(2)}H${at + 1}`));
	return `${parts.join("")}V${STRIP}Z`;
}

// `head`: in place of the label, if any; `paths`: list of [class, values]; say() returns the description of a step, and read() displays it. `pick`, if any, is called with the
// steps that the reader marks, by dragging or with shift and arrow keys, and whether this goes on.
function strip({ label, head, small, kind, words, paths }, axis, top, say, read, pick) {
	const mark = drawing("line", { class: "mark", x1: "0", x2: "0", y1: "0", y2: String(STRIP), "vector-effect": "non-scaling-stroke" });
	let at = 0, begin = null;
	const tell = (to) => {
		at = Math.max(0, Math.min(axis.length - 1, to));
		set(mark, { x1: String(at + 0.5), x2: String(at + 0.5) });
		picture.classList.add("marked");
		read(`${label}, ${seconds(axis.from + at * axis.width)} to ${seconds(axis.from + (at + 1) * axis.width)}: ${say(at)}`);
	};
	const point = (event) => tell(Math.floor(axis.length * event.offsetX / picture.clientWidth));
	const marked = (going) => pick(Math.min(begin, at), Math.max(begin, at) + 1, going);
	const picture = drawing("svg", {
		viewBox: `0 0 ${axis.length} ${STRIP}`, preserveAspectRatio: "none", class: pick ? `${kind} picked` : kind, role: "img", tabindex: "0",
		"aria-label": `${label}: ${words}. Arrow keys read steps${pick ? ", with shift they choose a range of time" : ""}.`,
		onpointermove: (event) => {
			point(event);
			if (pick && begin !== null && event.buttons)
				marked(true);
		},
		onpointerdown: (event) => {
			point(event);
			begin = at;
			if (pick)
				picture.setPointerCapture(event.pointerId);
		},
		onpointerup: () => {
			if (pick && begin !== null && begin !== at)
				marked(false);
			begin = null;
		},
		onpointercancel: () => { begin = null; },
		onkeydown: (event) => {
			const by = { ArrowLeft: -1, ArrowRight: 1, Home: -axis.length, End: axis.length }[event.key];
			if (by === undefined)
				return;
			event.preventDefault();
			const chooses = pick && event.shiftKey;
			if (chooses && begin === null)
				begin = at;
			tell(at + by);
			if (chooses)
				marked(true);
		},
		onkeyup: (event) => {
			if (event.key !== "Shift" || begin === null || !pick)
				return;
			marked(false);
			begin = null;
		}
	}, paths.map(([name, values]) => drawing("path", { class: name, d: stripPath(values, top) })), pick ? [drawing("rect", { class: "range", x: "0", y: "0", width: "0", height: String(STRIP) })] : [], mark);
	return element("div", { class: "strip" }, element("span", { class: "label" }, head || label, element("small", {}, small)), picture);
}

function timeLabels(axis) {
	return element("div", { class: "axis", "aria-hidden": "true" },
		[0, 0.25, 0.5, 0.75, 1].map((part) => element("span", {}, seconds(axis.from + part * axis.length * axis.width))));
}

function nodeStrip(node, values, axis, top, read, pick) {
	const inside = (list) => sum(list.filter((_, at) => inRange(axis.from + at * axis.width, axis.from + (at + 1) * axis.width)), (value) => value);
	const total = inside(values.all), away = inside(values.away);
	return strip({
		label: nodeName(node), head: nodeButton(node), small: count(total), kind: nodeClass(node), paths: [["all", values.all], ["away", values.away]],
		words: `${plural(total, "sample")}, ${count(away)} to other nodes' memory; most in one step: ${count(largest(values.all, (value) => value))}`
	}, axis, top, (at) => `${plural(values.all[at], "sample")}, ${count(values.away[at])} of them to other nodes' memory`, read, pick);
}

// Marks steps in all strips; null: none.
function markRange(from, to) {
	document.querySelectorAll("#timeline rect.range").forEach((mark) => set(mark, { x: String(from || 0), width: String(to ? to - from : 0) }));
}

function timeField(id, label, value) {
	return element("label", { for: id }, element("span", {}, label), element("input", {
		type: "text", id, inputmode: "decimal", autocomplete: "off", value, onchange: () => {
			const fields = [byId("time-from"), byId("time-to")], range = rangeOf(...fields.map((field) => field.value));
			fields.forEach((field) => field.setAttribute("aria-invalid", String(range === undefined)));
			if (range !== undefined)
				choose({ range });
		}
	}));
}

function timeTools() {
	const [from, to] = chosen.range ? chosen.range.map(secondsText) : ["", ""];
	return element("form", { class: "toolbar", onsubmit: (event) => event.preventDefault() },
		timeField("time-from", "From, seconds", from), timeField("time-to", "To, seconds", to),
		element("button", { type: "button", id: "time-all", disabled: !chosen.range, onclick: () => choose({ range: null }) }, "Whole run"));
}

function showTimeline(report) {
	if (!(report.timeline || []).some((process) => process.series.length))
		return;
	const processes = shownTimelines(report), axis = timeAxis(report, TIME_STEPS), nodes = timelineSteps(processes, axis);
	const top = largest(nodes, ([, values]) => largest(values.all, (value) => value), 1);
	const output = element("output", { "aria-live": "polite" }, "Point at a strip, or use the arrow keys in it. Drag to choose a range of time.");
	const read = (text) => { output.textContent = text; };
	const pick = (first, last, going) => {
		const range = last - first >= axis.length ? null : [first * axis.width, last * axis.width];
		markRange(first, last);
		if (going)
			read(`${seconds(first * axis.width)} to ${seconds(last * axis.width)}`);
		else
			choose({ range });
	};
	fill("timeline", "Samples over time",
		element("p", { class: "lead" }, nodes.length ? `Each strip is an accessing node; its full height is ${plural(top, "sample")} in ${seconds(axis.width)}. ` : "There is no sample here.",
			nodes.length > 0 && "Solid: pages at home on another node; light: its own or unknown.",
			processes.length > 1 && ` ${chosen.ranks.size ? plural(processes.length, "process", "processes") : "All processes"}, each from its own beginning.`,
			chosen.variable !== "" && !processes.length && ` This page has no times of ${CHOICES.variable.words()}.`),
		element("div", { class: "strips" }, nodes.map(([node, values]) => nodeStrip(node, values, axis, top, read, pick))),
		timeLabels(axis), output, timeTools());
	if (chosen.range)
		markRange(...chosen.range.map((time) => Math.round(time / axis.width)));
}

keep("time", () => chosen.range ? chosen.range.map(secondsText).join("-") : "", (words) => { chosen.range = (words && rangeOf(...words.split("-"))) || null; });

// The samples of threads by node and home node; those in a range of time have no latencies.
function threadRows(report) {
	if (!chosen.range || !hasSteps("threads"))
		return report.threads;
	const known = new Map(report.threads.map((row) => [`${row.process}.${row.tid}`, row]));
	return report.timeline.flatMap((process) => process.threads.map(({ tid, node, home, steps }) => ({ ...known.get(`${process.process}.${tid}`), node, home, count: inSteps(steps, process), latency_cycles: 0 })))
		.filter((row) => row.count);
}

function showThreads(report) {
	if (!report.threads || !report.threads.length)
		return;
	const threads = new Map(), rowsOf = threadRows(report);
	for (const row of rowsOf.filter(({ process, node }) => job.shows(process) && showsNode(node))) {
		const key = `${row.process}.${row.tid}`;
		if (!threads.has(key))
			threads.set(key, { ...emptySums(), pid: row.pid, tid: row.tid, name: row.name });
		addSums(threads.get(key), { count: row.count, latency_cycles: row.latency_cycles, homes: [{ home: row.home, count: row.count }] }, row.node);
	}
	const rows = [...threads.values()].sort((a, b) => b.count - a.count), most = largest(rows, (row) => row.count, 1), timed = rowsOf === report.threads;
	const columns = [["Thread", "text"], ["Name", "text"], ["By home node", "graph"], ...["count", "away_share", ...timed ? ["latency_mean_cycles"] : []].map(numberHead), ["Ran on", "text"]];
	const body = table("Threads by number of samples", columns, []);
	portions(body.querySelector("tbody"), rows, (row) => [element("tr", {},
		element("th", { scope: "row" }, `${row.pid}.${row.tid}`), element("td", { class: "text" }, row.name || ""),
		element("td", { class: "graph" }, stackedBar(row.homes, most)), element("td", { class: "number" }, count(row.count)),
		element("td", { class: "number" }, awayShare(row) === null ? "" : percent(awayShare(row))),
		timed && element("td", { class: "number" }, meanLatency(row) ? count(Math.round(meanLatency(row))) : ""),
		element("td", { class: "text" }, [...row.nodes.keys()].sort(compareNodes).map(nodeName).join(", ")))], columns.length, 64);
	fill("threads", "Threads", nodeLegend(model.nodes, "Colours of home nodes"), body);
}
