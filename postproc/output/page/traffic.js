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
	cell.bytes !== undefined && element("small", {}, gigabytes(cell.bytes)));
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
			element("th", { scope: "row" }, swatch(node), nodeName(node)),
			columns.map((home) => matrixCell(found(node, home), total, most)),
			of(cells.filter((cell) => cell.node === node)))),
		element("tr", { class: "sums" }, element("th", { scope: "row" }, "all"),
			columns.map((home) => of(cells.filter((cell) => cell.home === home))), of(cells)))));
}

function showTraffic(report) {
	const cells = report.matrix;
	if (!cells || !cells.length)
		return;
	const known = cells.filter((cell) => cell.node !== null && cell.home !== null);
	const away = sum(known.filter((cell) => cell.node !== cell.home), (cell) => cell.count), all = sum(known, (cell) => cell.count);
	fill("traffic", "Traffic between nodes",
		element("p", { class: "lead" }, all ? [element("b", {}, percent(away / all)), ` (${between(interval(away, all))}) of ${count(all)} samples `,
			"with known nodes were accesses to memory that another node owns."] : "The home nodes of these samples are not known."),
		matrixTable(cells));
}

// The common time axis in at most `most` steps; each process begins at time 0.
function timeAxis(report, most) {
	const { series } = report.context || { series: { list: [] } };
	const processes = report.timeline || [], finest = largest(processes, (process) => process.width_ns, series.width_ns || 0);
	const endOf = (process) => largest(process.ticks, (tick) => (tick.index + 1) * process.width_ns);
	const lines = largest(series.list, (line) => (line.first + line.values.length) * series.width_ns);
	const end = largest(processes, endOf, Math.max(finest, lines)), width = finest * Math.max(1, Math.ceil(end / finest / most));
	return { width, length: Math.ceil(end / width) };
}

function timelineSteps(processes, { width, length }) {
	const nodes = new Map();
	for (const process of processes) {
		for (const { index, node, home, count: number } of process.ticks) {
			if (!nodes.has(node))
				nodes.set(node, { all: new Array(length).fill(0), away: new Array(length).fill(0) });
			const at = Math.floor(index * process.width_ns / width);
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

// `paths`: list of [class, values]; say() returns the description of a step, and read() displays it.
function strip({ label, small, kind, words, paths }, axis, top, say, read) {
	const mark = drawing("line", { class: "mark", x1: "0", x2: "0", y1: "0", y2: String(STRIP), "vector-effect": "non-scaling-stroke" });
	let at = 0;
	const tell = (to) => {
		at = Math.max(0, Math.min(axis.length - 1, to));
		set(mark, { x1: String(at + 0.5), x2: String(at + 0.5) });
		picture.classList.add("marked");
		read(`${label}, ${seconds(at * axis.width)} to ${seconds((at + 1) * axis.width)}: ${say(at)}`);
	};
	const picture = drawing("svg", {
		viewBox: `0 0 ${axis.length} ${STRIP}`, preserveAspectRatio: "none", class: kind, role: "img", tabindex: "0",
		"aria-label": `${label}: ${words}. Arrow keys read steps.`,
		onpointermove: (event) => tell(Math.floor(axis.length * event.offsetX / picture.clientWidth)),
		onpointerdown: (event) => tell(Math.floor(axis.length * event.offsetX / picture.clientWidth)),
		onkeydown: (event) => {
			const by = { ArrowLeft: -1, ArrowRight: 1, Home: -axis.length, End: axis.length }[event.key];
			if (by === undefined)
				return;
			event.preventDefault();
			tell(at + by);
		}
	}, paths.map(([name, values]) => drawing("path", { class: name, d: stripPath(values, top) })), mark);
	return element("div", { class: "strip" }, element("span", { class: "label" }, label, element("small", {}, small)), picture);
}

function timeLabels(axis) {
	return element("div", { class: "axis", "aria-hidden": "true" },
		[0, 0.25, 0.5, 0.75, 1].map((part) => element("span", {}, seconds(part * axis.length * axis.width))));
}

function nodeStrip(node, values, axis, top, read) {
	const total = sum(values.all, (value) => value), away = sum(values.away, (value) => value);
	return strip({
		label: nodeName(node), small: count(total), kind: nodeClass(node), paths: [["all", values.all], ["away", values.away]],
		words: `${plural(total, "sample")}, ${count(away)} to other nodes' memory; most in one step: ${count(largest(values.all, (value) => value))}`
	}, axis, top, (at) => `${plural(values.all[at], "sample")}, ${count(values.away[at])} of them to other nodes' memory`, read);
}

function showTimeline(report) {
	const processes = (report.timeline || []).filter((process) => process.ticks.length);
	if (!processes.length)
		return;
	const axis = timeAxis(report, 240), nodes = timelineSteps(processes, axis);
	const top = largest(nodes, ([, values]) => largest(values.all, (value) => value), 1);
	const output = element("output", { "aria-live": "polite" }, "Point at a strip, or use the arrow keys in it.");
	fill("timeline", "Samples over time",
		element("p", { class: "lead" }, `Each strip is an accessing node; its full height is ${plural(top, "sample")} in ${seconds(axis.width)}. `,
			"Solid: pages at home on another node; light: its own or unknown.",
			processes.length > 1 ? " All processes, each from its own beginning." : ""),
		element("div", { class: "strips" }, nodes.map(([node, values]) => nodeStrip(node, values, axis, top, (text) => { output.textContent = text; }))),
		timeLabels(axis), output);
}

function showThreads(report) {
	if (!report.threads || !report.threads.length)
		return;
	const threads = new Map();
	for (const row of report.threads) {
		const key = `${row.process}.${row.tid}`;
		if (!threads.has(key))
			threads.set(key, { ...emptySums(), pid: row.pid, tid: row.tid, name: row.name });
		addSums(threads.get(key), { count: row.count, latency_cycles: row.latency_cycles, homes: [{ home: row.home, count: row.count }] }, row.node);
	}
	const rows = [...threads.values()].sort((a, b) => b.count - a.count), most = rows[0].count;
	const columns = [["Thread", "text"], ["Name", "text"], ["By home node", "graph"], ["Samples", "number"], ["Away", "number", "pages that another node owns"],
		["Mean latency", "number", "cycles"], ["Ran on", "text"]];
	const body = table("Threads by number of samples", columns, []);
	portions(body.querySelector("tbody"), rows, (row) => [element("tr", {},
		element("th", { scope: "row" }, `${row.pid}.${row.tid}`), element("td", { class: "text" }, row.name || ""),
		element("td", { class: "graph" }, stackedBar(row.homes, most)), element("td", { class: "number" }, count(row.count)),
		element("td", { class: "number" }, awayShare(row) === null ? "" : percent(awayShare(row))),
		element("td", { class: "number" }, meanLatency(row) ? count(Math.round(meanLatency(row))) : ""),
		element("td", { class: "text" }, [...row.nodes.keys()].sort(compareNodes).map(nodeName).join(", ")))], columns.length, 64);
	fill("threads", "Threads", nodeLegend(model.nodes, "Colours of home nodes"), body);
}
