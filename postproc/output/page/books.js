// SPDX-License-Identifier: BSD-3-Clause
// The accounting of interrupts, and the run: processes, settings, binaries.
"use strict";

function booksTable(books) {
	const rows = [["kept as samples", books.kept, "plain"], ["lost: ring full", books.lost, "bad"],
		...Object.entries(books.filtered).filter(([, number]) => number).sort((a, b) => b[1] - a[1]).map(([reason, number]) => [`filtered: ${reason}`, number, "dim"])];
	return table("Every interrupt of the sampling hardware", [["Outcome", "text"], ["", "graph"], ["Interrupts", "number"], ["Share", "number"]],
		[...rows.map(([text, number, kind]) => [text, plainBar(books.interrupts ? number / books.interrupts : 0, kind), count(number),
			books.interrupts ? percent(number / books.interrupts) : ""]),
		element("tr", { class: "sums" }, element("th", { scope: "row" }, "all"), element("td"), element("td", { class: "number" }, count(books.interrupts)),
			element("td", { class: "number" }, books.balanced ? "balanced" : "NOT BALANCED"))]);
}

function unattributedTable(books) {
	const rows = Object.entries(books.unattributed).sort((a, b) => b[1] - a[1]);
	if (!rows.length)
		return null;
	return table("Selected samples without a variable", [["Reason", "text"], ["", "graph"], ["Samples", "number"], ["Share", "number"]],
		rows.map(([reason, number]) => [reason, plainBar(number / books.selected, "dim"), count(number), percent(number / books.selected)]));
}

// Loads whose source contradicts the home of their page; homes.told is 0 in profiles without this count.
function homesSentence(homes) {
	const contrary = homes.remote_at_home + homes.local_away;
	return contrary > 0 && element("p", { id: "homes" }, `${count(contrary)} of ${plural(homes.told, "load")} from DRAM (${percent(contrary / homes.told)}) contradict the home of their page: `,
		`${count(homes.remote_at_home)} remote loads of pages of the own node, ${count(homes.local_away)} local loads of pages of another node.`);
}

function exampleRow(example) {
	const place = example.path && example.line ? `${example.path}:${example.line}` : example.object || "?";
	return [element("code", {}, example.address), example.segment, breakable(place), breakable(example.function || ""), element("code", {}, example.pc),
		`${example.pid}.${example.tid}`, `${(example.since_ns / 1e9).toFixed(6)} s`];
}

// A reason why samples have no variable: explanation, advice, examples.
function reasonFold(reason) {
	return lazyFold(`${reason.reason}: ${plural(reason.count, "sample")}`, () => [
		element("p", {}, `${reason.help}. To do: ${reason.advice}.`),
		reason.examples.length > 0 && table("Some of them", [["Address", "text"], ["In", "text"], ["By", "text"], ["Function", "text"], ["Instruction", "text"],
			["Thread", "text"], ["After", "number"]], reason.examples.map(exampleRow))].filter(Boolean));
}

function threadBooks(books) {
	return lazyFold(`Books of ${plural(books.threads.length, "thread")}`, () => {
		const columns = [["Thread", "text"], ["Name", "text"], ["Interrupts", "number"], ["Kept", "number"], ["Lost", "number"], ["Filtered", "number"], ["Selected", "number"], ["State", "text"]];
		const made = table("Books of threads", columns, []);
		portions(made.querySelector("tbody"), books.threads, (thread) => [element("tr", {}, element("th", { scope: "row" }, `${thread.pid}.${thread.tid}`),
			element("td", { class: "text" }, thread.facts.name || ""), ...[thread.interrupts, thread.kept, thread.lost,
				sum(Object.values(thread.filtered), (number) => number), thread.selected].map((number) => element("td", { class: "number" }, count(number))),
			element("td", { class: "text" }, [thread.balanced ? "balanced" : "NOT BALANCED", thread.closed ? "" : ", not closed"]))], columns.length, 100);
		return made;
	});
}

function showBooks(report) {
	const books = report.accounting;
	fill("books", "Books", element("p", { class: "lead" },
		`${count(books.selected)} of ${plural(books.written, "sample")} are selected (${selectionWords(report.selection)}); `,
		`${count(books.attributed)} of them (${percent(books.selected ? books.attributed / books.selected : 1)}) have a variable.`),
	books.own > 0 && element("p", { id: "own" }, `${count(books.own)} of all samples (${percent(books.own / books.written)}) are accesses of libmemphis itself, excluded from all shares and tables.`),
	homesSentence(books.homes),
	element("div", { class: "columns" }, booksTable(books), unattributedTable(books)), (report.explained || []).map(reasonFold),
	books.threads.length > 0 && threadBooks(books));
}

function settingsTable(settings, caption) {
	return table(caption, [["Setting", "text"], ["Value", "text"]], Object.entries(settings).map(([key, value]) => [key, breakable(String(value))]));
}

function processRow(process) {
	const settings = process.settings;
	return [settings.rank === undefined ? String(process.pid) : `${process.pid}, rank ${settings.rank}`, breakable(settings.command || ""), settings.host || "",
		settings.threads || "", settings.mode || "", process.closed ? "closed" : "not closed"];
}

function showRun(report) {
	const columns = [["Process", "text"], ["Command", "text"], ["Host", "text"], ["Threads", "number"], ["Mode", "text"], ["Files", "text"]];
	fill("run", "Run", table("Processes", columns, report.processes.map(processRow)),
		report.processes.slice(0, 64).map((process) => lazyFold(`Process ${process.pid}: nodes, settings, losses`, () => [
			process.topology.length > 0 && table("Nodes", [["Node", "number"], ["CPUs", "text"], ["Memory", "number"], ["Distances", "text"]],
				process.topology.map((node) => [String(node.node), node.cpus, memory(node.memory_bytes), node.distances])),
			Object.keys(process.losses).length > 0 && settingsTable(process.losses, "Losses"), settingsTable(process.settings, "Settings"),
			element("p", { class: "hint" }, breakable(process.path || "no process file"))].filter(Boolean))),
		table("Programs and libraries", [["Path", "text"], ["State", "text"], ["Read from", "text"], ["Build-id", "text"]], report.binaries.map((binary) =>
			[breakable(binary.path), element("span", { class: `state ${binary.state}` }, binary.state, binary.unverified && ", unverified"),
				breakable((binary.found === binary.path ? "same" : binary.found || "") + (binary.debug ? `, debug file ${binary.debug}` : "")), element("code", {}, (binary.build_id || "").slice(0, 16))])));
}
