// SPDX-License-Identifier: BSD-3-Clause
// The accounting of interrupts, and the run: processes, settings, binaries.
"use strict";

function accountingTable(accounting) {
	const rows = [["kept as samples", accounting.kept, "plain"], ["lost: ring full", accounting.lost, "bad"],
		...Object.entries(accounting.filtered).filter(([, number]) => number).sort((a, b) => b[1] - a[1]).map(([reason, number]) => [`filtered: ${reason}`, number, "dim"])];
	return table("Every interrupt of the sampling hardware", [["Outcome", "text"], ["Of all", "graph"], ["Interrupts", "number"], ["Share", "number"]],
		[...rows.map(([text, number, kind]) => [text, plainBar(accounting.interrupts ? number / accounting.interrupts : 0, kind), count(number),
			accounting.interrupts ? percent(number / accounting.interrupts) : ""]),
		element("tr", { class: "sums" }, element("th", { scope: "row" }, "all"), element("td"), element("td", { class: "number" }, count(accounting.interrupts)),
			element("td", { class: "number" }, accounting.balanced ? "balanced" : "NOT BALANCED"))]);
}

function unattributedTable(accounting) {
	const rows = Object.entries(accounting.unattributed).sort((a, b) => b[1] - a[1]);
	if (!rows.length)
		return null;
	return table("Selected samples without a variable", [["Reason", "text"], ["Of all", "graph"], ["Samples", "number"], ["Share", "number"]],
		rows.map(([reason, number]) => [reason, plainBar(number / accounting.selected, "dim"), count(number), percent(number / accounting.selected)]));
}

// Samples in libraries, by what is known of their callers; absent in files without callers.
function callersTable(accounting) {
	const rows = Object.entries(accounting.callers || {}).filter(([, number]) => number);
	if (!rows.length)
		return null;
	const all = sum(rows, ([, number]) => number);
	return table("Selected samples in libraries, by callers", [["Callers", "text"], ["Of all", "graph"], ["Samples", "number"], ["Share", "number"]],
		rows.map(([reason, number]) => [reason, plainBar(number / all, reason === "known" ? "plain" : "dim"), count(number), percent(number / all)]));
}

// Samples whose instruction does not show a type, by reason.
function typesTable(types, selected) {
	const rows = Object.entries(types ? types.unknown : {}).sort((a, b) => b[1] - a[1]);
	return rows.length > 0 && table("Selected samples without a type", [["Reason", "text"], ["Of all", "graph"], ["Samples", "number"], ["Share", "number"]],
		rows.map(([reason, number]) => [reason, plainBar(number / selected, "dim"), count(number), percent(number / selected)]));
}

// Samples of which the address and the instruction show different members.
function contradictedSentence(types) {
	return types && types.contradicted > 0 && element("p", { id: "contradicted" },
		`Of ${plural(types.compared, "sample")} with a member by their address and one by their instruction, ${count(types.contradicted)} have two different ones.`);
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
		reason.examples && reason.examples.length > 0 && table("Some of them", [["Address", "text"], ["In", "text"], ["By", "text"], ["Function", "text"], ["Instruction", "text"],
			["Thread", "text"], ["After", "number"]], reason.examples.map(exampleRow))].filter(Boolean));
}

function threadAccounting(accounting) {
	const threads = accounting.threads.filter(({ process }) => job.shows(process));
	return lazyFold(`Accounting of ${plural(threads.length, "thread")}`, () => {
		const columns = [["Thread", "text"], ["Name", "text"], ["Interrupts", "number"], ["Kept", "number"], ["Lost", "number"], ["Filtered", "number"], ["Selected", "number"], ["State", "text"]];
		const made = table("Accounting of threads", columns, []);
		portions(made.querySelector("tbody"), threads, (thread) => [element("tr", {}, element("th", { scope: "row" }, `${thread.pid}.${thread.tid}`),
			element("td", { class: "text" }, thread.facts.name || ""), ...[thread.interrupts, thread.kept, thread.lost,
				sum(Object.values(thread.filtered), (number) => number), thread.selected].map((number) => element("td", { class: "number" }, count(number))),
			element("td", { class: "text" }, [thread.balanced ? "balanced" : "NOT BALANCED", thread.closed ? "" : ", not closed"]))], columns.length, 100);
		return made;
	});
}

function showAccounting(report) {
	const accounting = report.accounting;
	fill("accounting", "Accounting", element("p", { class: "lead" },
		`${count(accounting.selected)} of ${plural(accounting.written, "sample")} are selected (${selectionWords(report.selection)})`,
		accounting.selected ? `; ${count(accounting.attributed)} of them (${percent(accounting.attributed / accounting.selected)}) have a variable.` : "."),
	report.matrix && element("p", { id: "moved" }, `They moved ${bytes(sum(report.matrix, (cell) => cell.bytes))}, estimated.`),
	accounting.own > 0 && element("p", { id: "own" }, `${count(accounting.own)} of all samples (${percent(accounting.own / accounting.written)}) are accesses of libmemphis itself, excluded from all shares and tables.`),
	homesSentence(accounting.homes),
	element("div", { class: "columns" }, accountingTable(accounting), unattributedTable(accounting), typesTable(report.types, accounting.selected), callersTable(accounting)), contradictedSentence(report.types), (report.explained || []).concat(report.explained_names || []).map(reasonFold),
	accounting.threads.length > 0 && threadAccounting(accounting));
}

function settingsTable(settings, caption) {
	return table(caption, [["Setting", "text"], ["Value", "text"]], Object.entries(settings).map(([key, value]) => [key, breakable(String(value))]));
}

function processRow(process) {
	const settings = process.settings;
	return [settings.rank === undefined ? String(process.pid) : `${process.pid}, rank ${settings.rank}`, breakable(settings.command || ""), settings.host || "",
		settings.threads || "", settings.mode || "", process.closed ? "closed" : "not closed"];
}

// A mapped device is no file that could be read.
function binaryState({ path, state }) {
	return state === "missing" && path.startsWith("/dev/") ? "device" : state;
}

// What is missing matters only if it has samples.
function binaryClass({ path, state }) {
	return state === "ok" || model.objects.has(path) ? state : "";
}

function showRun(report) {
	const columns = [["Process", "text"], ["Command", "text"], ["Host", "text"], ["Threads", "number"], ["Mode", "text"], ["Files", "text"]];
	const processes = report.processes.filter(({ process }) => job.shows(process));
	fill("run", "Run", runFacts(report), table("Processes", columns, processes.map(processRow)),
		processes.slice(0, 64).map((process) => lazyFold(`Process ${process.pid}: nodes, settings, losses`, () => [
			process.topology.length > 0 && table("Nodes", [["Node", "number"], ["CPUs", "text"], ["Memory", "number"], ["Distances", "text"]],
				process.topology.map((node) => [String(node.node), node.cpus, memory(node.memory_bytes), node.distances])),
			Object.keys(process.losses).length > 0 && settingsTable(process.losses, "Losses"), settingsTable(process.settings, "Settings"),
			element("p", { class: "hint" }, breakable(process.path || "no process file"))].filter(Boolean))),
		table("Programs and libraries", [["Path", "text"], ["State", "text"], ["Read from", "text"], ["Build-id", "text"]], report.binaries.map((binary) =>
			[breakable(binary.path), element("span", { class: `state ${binaryClass(binary)}` }, binaryState(binary), binary.unverified && ", unverified"),
				breakable((binary.found === binary.path ? "same" : binary.found || "") + (binary.debug ? `, debug file ${binary.debug}` : "")), element("code", {}, (binary.build_id || "").slice(0, 16))])));
}
