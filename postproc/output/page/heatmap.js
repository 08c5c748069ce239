// SPDX-License-Identifier: BSD-3-Clause
// Heatmaps of one variable: its addresses against time, and against the threads that use them.
"use strict";

const heatmapView = { at: 0, colour: "home", samples: "all" };
const COLOURINGS = [["home", "home node"], ["node", "accessing node"], ["away", "own or away"]];
const RANGES = 16; // rows of the table that repeats a picture as text

function heatmapList() {
	return model.report.heatmaps || [];
}

function heatmapVariable(heatmap) {
	return model.named(heatmap.segment, heatmap.name, heatmap.site);
}

function heatmapOf(variable) {
	const at = heatmapList().findIndex((heatmap) => heatmapVariable(heatmap) === variable);
	return at < 0 ? null : at;
}

// The process of a heatmap, ", rank 17 on n03", if there are several processes.
function heatmapOwner(heatmap) {
	const list = heatmapList(), first = list[0];
	if (list.every(({ pid, host }) => pid === first.pid && host === first.host))
		return "";
	return `, ${heatmap.rank ? `rank ${heatmap.rank}` : `process ${heatmap.pid}`}${heatmap.host ? ` on ${heatmap.host}` : ""}`;
}

function colourOf(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function span(from, to) {
	return Number(BigInt(to) - BigInt(from));
}

// Bins are aligned to their size; the variable begins somewhere inside the first bin.
function binsOf(heatmap) {
	return Math.floor(span(heatmap.bin_low, heatmap.high) / heatmap.bin_bytes) + 1;
}

function ticksOf(heatmap) {
	return Math.floor((heatmap.to_ns - heatmap.tick_from_ns) / heatmap.tick_ns) + 1;
}

// Offset of a bin from the first byte that was sampled.
function offsetOf(heatmap, bin) {
	const offset = Math.round(bin * heatmap.bin_bytes) - span(heatmap.bin_low, heatmap.low);
	return Math.max(0, Math.min(offset, span(heatmap.low, heatmap.high) + 1));
}

function timeOf(heatmap, tick) {
	return heatmap.tick_from_ns + tick * heatmap.tick_ns;
}

// The count that the view shows: all samples, or only the selected ones.
function wantedOf(all, selected) {
	return heatmapView.samples === "all" ? all : selected;
}

function classOf(spot) {
	if (heatmapView.colour !== "away")
		return nodeClass(heatmapView.colour === "home" ? spot.home : spot.node);
	return spot.home === null || spot.node === null ? "node-unknown" : spot.home === spot.node ? "own" : "away";
}

// The cells of a picture by position; a cell has the colour of its most frequent part.
function spotCells(heatmap) {
	const cells = new Map();
	const ticks = ticksOf(heatmap);
	for (const [row, column, node, home, all, selected] of heatmap.spots) {
		const at = row * ticks + column, number = wantedOf(all, selected);
		if (!number || !showsNode(node) || !inRange(timeOf(heatmap, column), timeOf(heatmap, column + 1)))
			continue;
		if (!cells.has(at))
			cells.set(at, { row, column, count: 0, parts: [] });
		cells.get(at).count += number;
		cells.get(at).parts.push({ node, home, count: number });
	}
	return cells;
}

function threadCells(heatmap, threads) {
	const cells = new Map();
	for (const [tid, node, row, all, stores, selected] of heatmap.threads) {
		const column = threads.indexOf(tid), at = row * threads.length + column, number = wantedOf(all, selected);
		if (!number || !showsNode(node))
			continue;
		if (!cells.has(at))
			cells.set(at, { row, column, count: 0, stores: 0, parts: [] });
		cells.get(at).count += number;
		cells.get(at).stores += stores || 0;
		cells.get(at).parts.push({ node, home: null, count: number });
	}
	return cells;
}

class Picture {
	// `kind` returns the colour class of a part of a cell; `tell` is called with the cell under the cursor.
	constructor(label, rows, columns, cells, kind, tell) {
		Object.assign(this, { rows, columns, cells, kind, tell, row: 0, column: 0 });
		this.most = largest([...cells.values()], (cell) => cell.count, 1);
		this.canvas = element("canvas", {
			role: "img", tabindex: "0", "aria-label": label, onpointermove: (event) => this.point(event), onpointerdown: (event) => this.point(event),
			onkeydown: (event) => this.key(event)
		});
		this.mark = element("span", { class: "cell", hidden: true, "aria-hidden": "true" });
		this.frame = element("div", { class: "picture" }, this.canvas, this.mark);
		new ResizeObserver(() => this.draw()).observe(this.frame);
	}

	draw() {
		const scale = window.devicePixelRatio || 1, context = this.canvas.getContext("2d"), colours = new Map();
		const width = this.canvas.width = Math.round(this.canvas.clientWidth * scale);
		const height = this.canvas.height = Math.round(this.canvas.clientHeight * scale);
		for (const cell of this.cells.values()) {
			const kind = this.kind(cell.parts.reduce((best, part) => part.count > best.count ? part : best));
			if (!colours.has(kind))
				colours.set(kind, colourOf(kind));
			context.fillStyle = colours.get(kind);
			context.globalAlpha = 0.45 + 0.55 * Math.log1p(cell.count) / Math.log1p(this.most);
			// Adjacent cells must not share pixels, in which translucent colours would add up.
			const left = Math.round(cell.column * width / this.columns), top = Math.round(cell.row * height / this.rows);
			context.fillRect(left, top, Math.max(1, Math.round((cell.column + 1) * width / this.columns) - left),
				Math.max(1, Math.round((cell.row + 1) * height / this.rows) - top));
		}
	}

	move(row, column) {
		this.row = Math.max(0, Math.min(this.rows - 1, row));
		this.column = Math.max(0, Math.min(this.columns - 1, column));
		this.mark.hidden = false;
		Object.assign(this.mark.style, {
			left: `${100 * this.column / this.columns}%`, top: `${100 * this.row / this.rows}%`, width: `${100 / this.columns}%`, height: `${100 / this.rows}%`
		});
		this.tell(this.row, this.column, this.cells.get(this.row * this.columns + this.column));
	}

	point(event) {
		this.move(Math.floor(this.rows * event.offsetY / this.canvas.clientHeight), Math.floor(this.columns * event.offsetX / this.canvas.clientWidth));
	}

	key(event) {
		const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
		if (!by)
			return;
		event.preventDefault();
		this.move(this.row + by[0], this.column + by[1]);
	}
}

let pictures = [];

function redrawPictures() {
	[...pictures, ...sharingPictures].forEach((picture) => picture.draw());
}

function rangeName(heatmap, row, rows) {
	return `+${memory(offsetOf(heatmap, row))} to +${memory(offsetOf(heatmap, row + (rows || 1)))}`;
}

function spotPicture(heatmap, say) {
	const cells = spotCells(heatmap);
	return new Picture(`${heatmap.name}: addresses from top to bottom against time from left to right, ${plural(heatmap.samples, "sample")}. Arrow keys read cells.`,
		binsOf(heatmap), ticksOf(heatmap), cells, classOf, (row, column, cell) => {
			const what = cell ? `${plural(cell.count, "sample")}: ${cell.parts.map((part) =>
				`${count(part.count)} from ${nodeName(part.node)} to ${nodeName(part.home)}`).join(", ")}` : "no sample";
			say(`${rangeName(heatmap, row)}, ${seconds(timeOf(heatmap, column))} to ${seconds(timeOf(heatmap, column + 1))}: ${what}`);
		});
}

function threadPicture(heatmap, threads, say) {
	return new Picture(`${heatmap.name}: addresses from top to bottom against ${plural(threads.length, "thread")}. Arrow keys read cells.`,
		binsOf(heatmap), threads.length, threadCells(heatmap, threads), (part) => nodeClass(part.node), (row, column, cell) => {
			const what = cell ? `${plural(cell.count, "sample")}, ${plural(cell.stores, "store")}, on ${[...new Set(cell.parts.map((part) => nodeName(part.node)))].join(", ")}` : "no sample";
			say(`${rangeName(heatmap, row)}, thread ${threads[column]}: ${what}`);
		});
}

function countsOf(counts) {
	return [...counts].filter(([, number]) => number).sort(([a], [b]) => compareNodes(a, b)).map(([node, number]) => `${node === null ? "?" : node}: ${count(number)}`).join(", ");
}

// The picture as a table: home nodes, accessing nodes and threads of each part.
function heatmapTable(heatmap) {
	const rows = [], bins = binsOf(heatmap), step = Math.max(1, Math.ceil(bins / RANGES));
	for (let first = 0; first < bins; first += step) {
		const inside = (row) => row >= first && row < first + step, homes = new Map(), nodes = new Map();
		heatmap.spots.filter(([row, , node]) => inside(row) && showsNode(node)).forEach(([, , node, home, all, selected]) => {
			addInto(homes, home, wantedOf(all, selected));
			addInto(nodes, node, wantedOf(all, selected));
		});
		const threads = [...new Set(heatmap.threads.filter(([, node, row, all, , selected]) => inside(row) && showsNode(node) && wantedOf(all, selected)).map(([tid]) => tid))];
		rows.push([rangeName(heatmap, first, step), count(sum([...nodes.values()], (number) => number)), countsOf(homes), countsOf(nodes),
			threads.length > 8 ? plural(threads.length, "thread") : threads.join(", ")]);
	}
	return table(`Parts of ${heatmap.name}`, [["Part", "text"], ["Samples", "number"], ["By home node", "text"], ["By accessing node", "text"], ["Threads", "text"]], rows);
}

function fieldTable(heatmap) {
	if (!heatmap.fields || !heatmap.fields.length)
		return null;
	const fields = new Map();
	for (const row of heatmap.fields) {
		const key = `${row.offset} ${row.name}`;
		if (!fields.has(key))
			fields.set(key, { ...emptySums(), offset: row.offset, name: row.name });
		addSums(fields.get(key), row, row.node);
	}
	const rows = [...fields.values()].sort((a, b) => a.offset - b.offset), most = largest(rows, (row) => row.count);
	return table(`Fields of an element of ${memory(heatmap.element_bytes)}`,
		[["Offset", "number"], ["Field", "text"], HEADS.graph, ...["count", "stores", "hitm"].map(numberHead)],
		rows.map((row) => [count(row.offset), element("code", {}, breakable(row.name || "?")), stackedBar(row.nodes, most), count(row.count),
			count(row.stores || 0), count(row.hitm || 0)]));
}

// Cache lines that moved between caches: the threads that accessed each of their words.
function lineTable(heatmap) {
	if (!heatmap.lines || !heatmap.lines.length)
		return null;
	return table("Words of the cache lines that were found modified in another cache most often",
		[["Line", "text"], ["Byte", "number"], ["Thread", "number"], ["Loads", "number"], ["Stores", "number"], ["Hitm", "number", "found modified in another cache"]],
		heatmap.lines.map((word) => [element("code", {}, `0x${(BigInt(word.address) & ~63n).toString(16)}`), `+${BigInt(word.address) & 63n}`, String(word.tid),
			count(word.loads), count(word.stores), count(word.hitm)]));
}

function heatmapLegend() {
	return heatmapView.colour === "away" ? element("ul", { class: "legend" },
		[["own", "the node's own page"], ["away", "another node's page"], ["node-unknown", "not known"]].map(([kind, text]) =>
			element("li", {}, element("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), text)))
		: nodeLegend(model.nodes, "Colours of nodes");
}

function axisMarks(make) {
	return [0, 0.25, 0.5, 0.75, 1].map((part) => element("span", {}, make(part)));
}

// The parts of an array that nodes used most; they are known for some arrays only.
function partList(heatmap) {
	const parts = heatmap.parts || [];
	return parts.length ? element("p", { id: "heatmap-parts" }, "95 % of the selected samples are in: ", parts.map((part, at) =>
		[at > 0 && ", ", element("code", {}, breakable(`${heatmap.name}${part.indices}`)), ` (node ${part.node}, ${plural(part.samples, "sample")})`])) : null;
}

// The number of the picture that is drawn: the chosen one, or the first one of the selected ranks.
function heatmapDrawn() {
	const shown = shownHeatmaps().map(([, at]) => at);
	return shown.includes(heatmapView.at) ? heatmapView.at : shown[0];
}

function drawHeatmap() {
	const heatmap = heatmapList()[heatmapDrawn()], variable = heatmapVariable(heatmap);
	const output = element("output", { id: "heatmap-output", "aria-live": "polite" }, "Point at a picture, or use the arrow keys in it.");
	const say = (text) => { output.textContent = text; };
	const threads = [...new Set(heatmap.threads.map(([tid]) => tid))].sort((a, b) => a - b);
	const spots = spotPicture(heatmap, say), users = threadPicture(heatmap, threads, say);
	pictures = [spots, users];
	byId("heatmap-view").replaceChildren(
		element("p", { class: "lead" }, variable ? element("a", { href: variableLink(variable) }, element("code", {}, breakable(heatmap.name))) : element("code", {}, heatmap.name), heatmapOwner(heatmap) && `${heatmapOwner(heatmap)}:`,
			` ${plural(heatmap.samples, "sample")}, ${count(heatmap.selected)} of them selected`,
			heatmap.one_in > 1 && `; about one in ${count(heatmap.one_in)} is shown here`, `; ${heatmap.low} \u2013 ${heatmap.high}`, heatmap.finding && [": ", element("b", {}, heatmap.finding)]),
		heatmapLegend(),
		element("div", { class: "pictures" },
			element("div", { class: "axis upright", "aria-hidden": "true" }, axisMarks((part) => `+${memory(offsetOf(heatmap, part * binsOf(heatmap)))}`)),
			element("figure", { class: "spots" }, element("figcaption", {}, `Addresses against time, by ${COLOURINGS.find(([key]) => key === heatmapView.colour)[1]}`), spots.frame,
				element("div", { class: "axis", "aria-hidden": "true" }, axisMarks((part) => seconds(timeOf(heatmap, part * ticksOf(heatmap)))))),
			element("figure", { class: "users" }, element("figcaption", {}, "Addresses against threads, by accessing node"), users.frame,
				columnLabels(threads.map(String)))),
		output, latencyFigure(heatmap, say) || "", partList(heatmap) || "", fieldTable(heatmap) || "", lineTable(heatmap) || "", lazyFold("The same as a table", () => heatmapTable(heatmap)));
}

// A profile keeps the heatmaps of a few processes only; the page states how many are missing.
function heatmapsMissing() {
	const { heatmaps, processes } = model.report.heatmaps_left_out || {};
	return heatmaps ? element("p", { class: "hint", id: "heatmaps-missing" }, `${plural(heatmaps, "picture")} of ${plural(processes, "process", "processes")} are not in the profile: `,
		"of more than 16 processes it keeps the worst one's for each finding, and only for the samples that it was reduced with. A page made from the sample files has all of them.") : null;
}

function goToHeatmap(at) {
	if (!heatmapList()[at])
		return;
	heatmapView.at = at;
	// A selection that hides the picture is taken back.
	if (!isShownHeatmap(heatmapList()[at]))
		choose({ ranks: new Set(), variable: "" }, true);
	byId("heatmap-variable").value = String(at);
	drawHeatmap();
	keepView(true);
	byId("heatmaps").scrollIntoView();
	byId("heatmaps").focus({ preventScroll: true });
}

function isShownHeatmap(heatmap) {
	return job.shows(heatmap.process) && showsVariable(heatmapVariable(heatmap));
}

// The pictures of the selected ranks and variable, by their number in the list.
function shownHeatmaps() {
	return heatmapList().map((heatmap, at) => [heatmap, at]).filter(([heatmap]) => isShownHeatmap(heatmap));
}

// The selected samples of a picture that are of the chosen node and time, by step.
function selectedSpots(heatmap) {
	const from = Math.round(heatmap.tick_from_ns / heatmap.tick_ns);
	return heatmap.spots.filter(([, column, node, , , selected]) => selected && showsNode(node) && inRange(timeOf(heatmap, column), timeOf(heatmap, column + 1)))
		.map(([, column, node, home, , selected]) => ({ index: from + column, node, home, count: selected * heatmap.one_in }));
}

function heatmapTools(shown) {
	const change = (key, make) => (value) => {
		heatmapView[key] = make(value);
		drawHeatmap();
		keepView();
	};
	return element("div", { class: "toolbar" },
		select("Variable", "heatmap-variable", shown.map(([heatmap, at]) => [String(at), `${heatmap.segment}: ${heatmap.name}${heatmapOwner(heatmap)}`]), change("at", Number)),
		choice("Colour", "heatmap-colour", COLOURINGS, heatmapView.colour, change("colour", String)),
		selectionWords(model.report.selection) !== "all" && choice("Samples", "heatmap-samples", [["all", "all"], ["selected", selectionWords(model.report.selection)]], heatmapView.samples, change("samples", String)));
}

function showHeatmaps() {
	const shown = shownHeatmaps(), missing = heatmapsMissing();
	if (!heatmapList().length && !missing)
		return;
	if (!shown.length) {
		fill("heatmaps", "Pages and threads", missing, element("p", {}, `This page has no picture of ${[CHOICES.variable, CHOICES.ranks].filter(({ is }) => is()).map(({ words }) => words()).join(", ")}.`));
		return;
	}
	fill("heatmaps", "Pages and threads", missing, heatmapTools(shown), element("div", { id: "heatmap-view" }));
	byId("heatmap-variable").value = String(heatmapDrawn());
	drawHeatmap();
}

keep("picture", () => heatmapView.at ? String(heatmapView.at) : "", (words) => { heatmapView.at = heatmapList()[Number(words)] ? Number(words) : 0; });
keep("colour", () => heatmapView.colour === "home" ? "" : heatmapView.colour, (words) => { heatmapView.colour = COLOURINGS.some(([key]) => key === words) ? words : "home"; });
keep("samples", () => heatmapView.samples === "all" ? "" : heatmapView.samples, (words) => { heatmapView.samples = words === "selected" ? words : "all"; });
