// SPDX-License-Identifier: BSD-3-Clause
// Threads that share memory: the matrix of the threads that share most, and the pairs with their variables.
"use strict";

let sharingPictures = [];

function sharerName({ pid, rank, tid, openmp_thread: number }) {
	return `${rank === null ? (job.cells.length > 1 ? `${pid}.` : "") : `rank ${rank}, `}${tid}${number === null ? "" : ` (OpenMP ${number})`}`;
}

function pairLoads(pair) {
	return pair.a_loads + pair.b_loads;
}

function sharedVariables(pair) {
	const more = pair.variable_count - pair.variables.length;
	return [...pair.variables.map((row, at) => {
		const variable = model.named(row.segment, row.name, row.site), name = breakable(row.name);
		return [at > 0 && ", ", variable ? element("a", { href: variableLink(variable) }, name) : name];
	}), more > 0 && ` and ${count(more)} more`];
}

// Rows are the threads that load, columns those whose pages these are. Lines that the other one had modified count for both.
function sharingCells(threads, pairs) {
	const cells = new Map();
	const add = (row, column, loads, pair) => {
		if (loads + pair.modified)
			cells.set(row * threads.length + column, { row, column, count: loads + pair.modified, loads, pair, parts: [{ count: 1 }] });
	};
	for (const pair of pairs) {
		const [a, b] = [threads.indexOf(pair.a), threads.indexOf(pair.b)];
		add(a, b, pair.a_loads, pair);
		add(b, a, pair.b_loads, pair);
	}
	return cells;
}

function sharingPicture(names, cells, say) {
	return new Picture(`Loads of ${plural(names.length, "thread")}, from top to bottom, from pages of these threads, from left to right. Arrow keys read cells.`, names.length, names.length, cells, () => "plain",
		(row, column, cell) => say(`${names[row]} from pages of ${names[column]}: ${row === column ? "the same thread" : cell ? `${plural(cell.loads, "load")}, ${plural(cell.pair.modified, "line")} modified by the other one` : "no sample"}`));
}

function showSharing(report) {
	const sharing = report.sharing || { pairs: [], threads: [] };
	if (!sharing.pairs.length)
		return;
	const pairs = sharing.pairs.filter(({ a }) => job.shows(sharing.threads[a].process)), threads = [...new Set(pairs.flatMap(({ a, b }) => [a, b]))].sort((a, b) => a - b);
	const names = threads.map((at) => sharerName(sharing.threads[at])), output = element("output", { id: "sharing-output", "aria-live": "polite" }, "Point at the picture, or use the arrow keys in it.");
	const picture = sharingPicture(names, sharingCells(threads, pairs), (text) => { output.textContent = text; });
	const body = table("Pairs of threads, those that share most first", [["Threads", "text"], ["Loads", "number", "sampled loads of both from pages that the other one placed"], ["Remote", "number"],
		["Modified", "number", "sampled loads of lines that the other one had modified"], ["Pages", "number", "that these samples are from"], ["Variables", "text"]], []);
	portions(body.querySelector("tbody"), pairs, (pair) => [element("tr", {},
		element("th", { scope: "row" }, `${sharerName(sharing.threads[pair.a])} and ${sharerName(sharing.threads[pair.b])}`),
		...[count(pairLoads(pair)), count(pair.remote), count(pair.modified), memory(pair.bytes)].map((text) => element("td", { class: "number" }, text)),
		element("td", { class: "text" }, sharedVariables(pair).flat(2).filter(Boolean)))], 6, 16);
	const { loads, own, unowned } = sharing, part = (number) => percent(loads ? number / loads : 0);
	sharingPictures = pairs.length ? [picture] : [];
	fill("sharing", "Shared memory", element("p", { class: "lead" },
		`Of ${plural(loads, "sampled load")} from DRAM, ${part(loads - own - unowned)} are from pages that another thread of the process placed, ${part(own)} from own ones, ${part(unowned)} from pages that no sampled thread placed.`,
		sharing.threads.length < sharing.thread_count && ` Of ${count(sharing.thread_count)} threads that share memory, the ${sharing.threads.length} that share most are shown.`),
	pairs.length ? [element("figure", { class: "sharing" }, element("figcaption", {}, "Threads that load (rows), and threads whose pages these are (columns, by the number of their row); the stronger the colour, the more samples"),
		element("div", { class: "labelled" }, labelsOf("rows-of", names.map((name, at) => `${name}: ${at + 1}`), ROW_LABELS), picture.frame, columnLabels(names.map((_, at) => String(at + 1))))), output, body]
		: element("p", {}, `None of these threads is of ${job.words(chosen.ranks)}.`));
}
