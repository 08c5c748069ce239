// SPDX-License-Identifier: BSD-3-Clause
// What the reader has chosen: ranks, a range of time, a node, a variable, two ranks to compare, orders and filters. The fragment of the address keeps it,
// behind the place that a link leads to: #variable/KEY?ranks=3,5-9&time=1.2-3.4
"use strict";

// `node`: of the accesses, as a text, "unknown" or "" for all; `variable`: its key, or "" for all.
const chosen = { ranks: new Set(), range: null, node: "", variable: "", compare: null };

// A part of the view: its words in the fragment, "" for the initial state. set() is called with null if the fragment does not have it.
const KEPT = {};

function keep(name, get, set) {
	KEPT[name] = { get, set };
}

function viewWords() {
	return Object.entries(KEPT).map(([name, { get }]) => [name, get()]).filter(([, words]) => words !== "")
		.map(([name, words]) => `${name}=${encodeURIComponent(words).replaceAll("%2C", ",")}`).join("&");
}

function readable(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

// The place and the words of a fragment.
function partsOf(fragment) {
	const at = fragment.indexOf("?");
	return at < 0 ? [fragment, ""] : [fragment.slice(0, at), fragment.slice(at + 1)];
}

function placeNow() {
	return partsOf(location.hash.slice(1))[0];
}

function fragmentOf(place) {
	const words = viewWords();
	return `#${place}${words && `?${words}`}`;
}

// Makes the address describe the view. A step of an input that is still going on replaces the address, so that Back skips it.
function keepView(going) {
	const fragment = fragmentOf(placeNow());
	if (fragment !== (location.hash || "#"))
		history[going ? "replaceState" : "pushState"](null, "", fragment);
}

// Sets the view from the words of a fragment.
function readView(words) {
	const found = new Map(words.split("&").filter(Boolean).map((part) => {
		const [name, ...rest] = part.split("=");
		return [name, readable(rest.join("="))];
	}));
	for (const [name, { set: setPart }] of Object.entries(KEPT))
		setPart(found.has(name) ? found.get(name) : null);
	showChosen();
}

// Numbers as "3,5-9"; `all` has the numbers that exist, in ascending order: between the ends of a run, none is missing.
function runsOf(numbers, all) {
	const runs = [];
	let last = null;
	for (const number of all) {
		if (!numbers.has(number)) {
			last = null;
			continue;
		}
		if (last)
			last[1] = number;
		else
			runs.push(last = [number, number]);
	}
	return runs.map(([from, to]) => from === to ? String(from) : `${from}-${to}`).join(",");
}

// The numbers of `all` in "3,5-9"; null if the text is not such a list.
function numbersOf(text, all) {
	const found = new Set();
	for (const part of text.split(",").map((one) => one.trim()).filter(Boolean)) {
		const match = /^(\d+)(?:\s*[-\u2013]\s*(\d+))?$/.exec(part);
		if (!match)
			return null;
		const from = Number(match[1]), to = Number(match[2] || match[1]);
		all.filter((number) => number >= from && number <= to).forEach((number) => found.add(number));
	}
	return found;
}

// The ranks of the job. A rank is known by its number; a process without one, by its place in the list of processes. In a job with more
// ranks than cells of the grid, a cell stands for several, and its first one names it.
const job = {
	open(report) {
		const of = report.job || { cells: [], hosts: [], processes: 0, detailed: 0 };
		Object.assign(this, { processes: of.processes, detailed: of.detailed });
		this.hosts = of.hosts;
		[this.noun, this.nouns] = of.ranked ? ["rank", "ranks"] : ["process", "processes"];
		this.cells = of.cells.map(([host, first, last, processes, samples, away, outliers, lastHost]) => ({ host, first, last, processes, count: samples, away, outliers, lastHost }));
		this.byFirst = new Map(this.cells.map((cell) => [cell.first, cell]));
		this.numbers = [...this.byFirst.keys()].sort((a, b) => a - b);
		this.own = new Map(report.processes.map(({ process, settings }) => [process, this.cellOf(settings.rank === undefined ? process : Number(settings.rank), settings.host)]));
	},

	// The name of the cell that has this rank, or null.
	cellOf(number, host) {
		const alone = this.byFirst.get(number);
		if (alone)
			return number;
		const at = host === undefined ? -1 : this.hosts.indexOf(host);
		const cell = this.cells.find(({ first, last, host: from, lastHost: to }) => number >= first && number <= last && (at < 0 || (at >= from && at <= to)));
		return cell ? cell.first : null;
	},

	// Whether the selection has this process of the report, or this rank.
	shows(process) {
		return !chosen.ranks.size || chosen.ranks.has(this.own.get(process));
	},

	showsRank(number) {
		return !chosen.ranks.size || chosen.ranks.has(this.cellOf(number));
	},

	// The selected ranks of which this page has no threads, timelines and settings.
	withoutDetails() {
		const detailed = new Set(this.own.values());
		return new Set([...chosen.ranks].filter((number) => !detailed.has(number)));
	},

	words(numbers) {
		const one = numbers.size === 1 && this.byFirst.get([...numbers][0]).processes === 1;
		return `${one ? this.noun : this.nouns} ${runsOf(numbers, this.numbers).replaceAll("-", "\u2013").replaceAll(",", ", ")}`;
	}
};

function inRange(from, to) {
	return !chosen.range || (from < chosen.range[1] && to > chosen.range[0]);
}

function rangeWords() {
	return `${seconds(chosen.range[0])} to ${seconds(chosen.range[1])}`;
}

function showsNode(node) {
	return chosen.node === "" || chosen.node === (node === null ? "unknown" : String(node));
}

function showsVariable(variable) {
	return chosen.variable === "" || (variable !== undefined && variable.key === chosen.variable);
}

function chosenNodeWords() {
	return `accesses from ${chosen.node === "unknown" ? nodeName(null) : nodeName(Number(chosen.node))}`;
}

// A button that chooses the node for all sections, or all nodes again.
function nodeButton(node) {
	const name = node === null ? "unknown" : String(node);
	return element("button", { type: "button", class: "pick", "aria-pressed": String(chosen.node === name), title: "show only its accesses, or all again",
		onclick: () => choose({ node: chosen.node === name ? "" : name }) }, nodeName(node));
}

// The same for a variable.
function variableButton(variable) {
	const only = chosen.variable === variable.key;
	return element("button", { type: "button", class: "pick", "aria-pressed": String(only), title: "show only its samples, or all again",
		onclick: () => choose({ variable: only ? "" : variable.key }) }, `only ${variable.name}`);
}

function secondsText(ns) {
	return String(Number((ns / 1e9).toPrecision(6)));
}

// What a reader can choose, in words: of what is chosen, and of a section that shows all.
const CHOICES = {
	ranks: { is: () => chosen.ranks.size > 0, words: () => job.words(chosen.ranks), all: () => `all ${job.nouns}` },
	time: { is: () => chosen.range !== null, words: rangeWords, all: () => "whole run" },
	node: { is: () => chosen.node !== "", words: chosenNodeWords, all: () => "all nodes" },
	variable: { is: () => chosen.variable !== "", words: () => model.byKey.get(chosen.variable).name, all: () => "all variables" }
};

const byTables = () => chosen.variable === "" || hasRankGroups(); // what is computed from the tables of variables has ranks only in a report by thread
// Which part of a section follows a choice: true, or what does not follow or is not exact, in one text or several, or a function that returns one of these. `details`: only of the ranks that have them.
const SCOPES = {
	answer: { ranks: "shares: all ranks", time: "shares: whole run", node: "shares: all nodes", variable: "shares: all variables" }, notes: {},
	findings: { ranks: true, time: true, node: true, variable: true }, traffic: { ranks: () => chosen.range !== null || byTables(), time: true, node: true, variable: true, details: true },
	timeline: { ranks: true, time: true, node: true, variable: true, details: true }, bandwidth: { time: "table: whole run" }, regions: {},
	mpi: { ranks: "functions: all ranks" }, counters: { time: "table: whole run" }, waiting: { ranks: () => (waitingInRange() || (chosen.node === "" && byTables())) && "verdict: all ranks", time: () => waitingInRange() && ["verdict: whole run", stepWords("waiting")], node: "verdict: all nodes", variable: "verdict: all variables", details: true },
	variables: { ranks: () => hasRankGroups() || chosen.range !== null, time: "those with pictures", node: true, variable: true }, callers: { ranks: hasRankGroups, node: true, variable: true },
	heatmaps: { ranks: true, time: "threads and tables: whole run", node: true, variable: true }, source: { ranks: () => hasRankGroups() || chosen.range !== null, time: "of variables with pictures", node: true, variable: true }, threads: { ranks: true, time: () => hasSteps("threads") && ["latencies: not known", stepWords("threads")], node: true, details: true },
	sharing: { ranks: "shares of loads: all ranks" }, accounting: { ranks: () => false, but: "accounting of threads: selected ranks" }, run: { ranks: true, details: true }
};

function scopeText(id) {
	const scope = SCOPES[id], parts = [], missing = job.withoutDetails();
	for (const [name, { is, words, all }] of Object.entries(CHOICES).filter(([, one]) => one.is())) {
		const follows = typeof scope[name] === "function" ? scope[name]() : scope[name];
		parts.push(follows ? words() : all(), ...[follows].flat(), name === "ranks" && !follows && scope.but);
	}
	if (chosen.range && !chosen.ranks.size && scope.details && job.detailed < job.processes)
		parts.push(`of ${plural(job.detailed, job.noun, job.nouns)} with details`);
	if (chosen.ranks.size && scope.details && missing.size)
		parts.push(`this page has no details of ${job.words(missing)}`);
	return parts.filter((part) => typeof part === "string" && part).join("; ");
}

// States in each section what it shows, while this is not all.
function showScopes() {
	const parts = Object.values(CHOICES).filter(({ is }) => is()).map(({ words }) => words());
	for (const [id] of Object.entries(SCOPES)) {
		const section = byId(id), title = section.querySelector("h2");
		section.querySelectorAll(":scope > .scope").forEach((old) => old.remove());
		if (title && parts.length)
			title.after(element("p", { class: "scope" }, `Shown: ${scopeText(id)}`));
	}
	const bar = byId("chosen");
	bar.hidden = !parts.length;
	bar.replaceChildren(...parts.length ? [element("span", { role: "status" }, `Shown: ${parts.join("; ")}`),
		element("button", { type: "button", id: "choose-all", onclick: () => choose({ ranks: new Set(), range: null, node: "", variable: "" }) }, "Show all")] : []);
}

// Changes what is chosen, and draws the sections that depend on it.
function choose(change, going) {
	Object.assign(chosen, change);
	showChosen();
	keepView(going);
}

keep("node", () => chosen.node, (words) => { chosen.node = words && model.nodes.some((node) => words === (node === null ? "unknown" : String(node))) ? words : ""; });
keep("variable", () => chosen.variable, (words) => { chosen.variable = words && model.byKey.has(words) ? words : ""; });
keep("ranks", () => runsOf(chosen.ranks, job.numbers), (words) => { chosen.ranks = (words && numbersOf(words, job.numbers)) || new Set(); });
