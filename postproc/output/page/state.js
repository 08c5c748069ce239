// SPDX-License-Identifier: BSD-3-Clause
// What the reader has chosen: ranks, a range of time, two ranks to compare, orders and filters. The fragment of the address keeps it,
// behind the place that a link leads to: #variable/KEY?ranks=3,5-9&time=1.2-3.4
"use strict";

const chosen = { ranks: new Set(), range: null, compare: null };

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
		const of = report.job || { cells: [], hosts: [] };
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

function secondsText(ns) {
	return String(Number((ns / 1e9).toPrecision(6)));
}

// Which part of a section follows the selection of ranks (true, or what does not follow), and which one the range of time.
// `details`: only of the ranks that have them.
const SCOPES = {
	answer: { ranks: "shares: all ranks" }, notes: {}, findings: { ranks: true }, traffic: { ranks: true, time: true, details: true }, timeline: { ranks: true, time: true, details: true }, bandwidth: { time: "table: whole run" }, regions: {},
	mpi: { ranks: "functions: all ranks" }, counters: { time: "table: whole run" }, waiting: { ranks: true, details: true }, variables: {}, callers: {},
	heatmaps: { ranks: true, time: "threads and tables: whole run" }, source: {}, threads: { ranks: true, details: true }, sharing: { ranks: "shares of loads: all ranks" },
	accounting: { but: "accounting of threads: selected ranks" }, run: { ranks: true, details: true }
};

function scopeText(id) {
	const { ranks = id === "variables" && hasRankGroups(), time, details, but } = SCOPES[id], parts = [], missing = job.withoutDetails();
	if (chosen.ranks.size)
		parts.push(ranks ? job.words(chosen.ranks) : `all ${job.nouns}`, ranks || but);
	if (chosen.range)
		parts.push(time ? rangeWords() : "whole run", time);
	if (chosen.ranks.size && details && missing.size)
		parts.push(`this page has no details of ${job.words(missing)}`);
	return parts.filter((part) => typeof part === "string").join("; ");
}

// States in each section which ranks and which time it shows, while these are not all.
function showScopes() {
	for (const [id] of Object.entries(SCOPES)) {
		const section = byId(id), title = section.querySelector("h2");
		section.querySelectorAll(":scope > .scope").forEach((old) => old.remove());
		if (title && (chosen.ranks.size || chosen.range))
			title.after(element("p", { class: "scope" }, `Shown: ${scopeText(id)}`));
	}
	const bar = byId("chosen"), parts = [chosen.ranks.size && job.words(chosen.ranks), chosen.range && rangeWords()].filter(Boolean);
	bar.hidden = !parts.length;
	bar.replaceChildren(...parts.length ? [element("span", { role: "status" }, `Shown: ${parts.join("; ")}`),
		element("button", { type: "button", id: "choose-all", onclick: () => choose({ ranks: new Set(), range: null }) }, "Show all")] : []);
}

// Changes what is chosen, and draws the sections that depend on it.
function choose(change, going) {
	Object.assign(chosen, change);
	showChosen();
	keepView(going);
}

keep("ranks", () => runsOf(chosen.ranks, job.numbers), (words) => { chosen.ranks = (words && numbersOf(words, job.numbers)) || new Set(); });
