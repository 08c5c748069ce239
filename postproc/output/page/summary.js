// SPDX-License-Identifier: BSD-3-Clause
// The run, notes, and findings.
"use strict";

function settingsOf(report) {
	return report.processes.length ? report.processes[0].settings : {};
}

// The distinct values of a setting over all processes.
function distinct(report, key) {
	return [...new Set(report.processes.map((process) => process.settings[key]).filter((value) => value !== undefined))];
}

function dateOf(settings) {
	const ns = Number(settings.start_realtime_ns);
	return ns ? new Date(ns / 1e6).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC") : null;
}

function hardwareOf(settings) {
	const unit = { ibs: "AMD IBS", pebs: "Intel PEBS" }[settings.hardware] || settings.hardware;
	return [settings.cpu_model, unit].filter(Boolean).join(", ");
}

function periodOf(report) {
	const unit = distinct(report, "count").join(" or ");
	return distinct(report, "period").map((period) => /^\d+$/.test(period) ? `one in ${count(Number(period))} ${unit}` : period).join("; ");
}

function filterOf(report) {
	const words = { "l3-miss": "L3 misses only (by the hardware)", latency: "slow L3 misses only (by the hardware)" };
	return distinct(report, "hardware_filter").map((filter) => words[filter]).filter(Boolean).join(" or ") || null;
}

// The events that PEBS sampled.
function eventOf(report) {
	return distinct(report, "hardware").includes("pebs") ? distinct(report, "event").join(" or ") || null : null;
}

function machineOf(report) {
	const topology = report.processes.length ? report.processes[0].topology : [];
	return topology.length ? `${plural(topology.length, "node")}, ${memory(sum(topology, (node) => node.memory_bytes))}` : null;
}

function selectionWords(selection) {
	const words = [selection.select];
	if (selection.node !== null)
		words.push(`node ${selection.node}`);
	if (selection.process !== null)
		words.push(`process ${selection.process}`);
	if (selection.rank !== null)
		words.push(`rank ${selection.rank}`);
	if (selection.host !== null)
		words.push(`host ${selection.host}`);
	if (selection.region !== null)
		words.push(`region ${selection.region}`);
	return words.join(", ");
}

// The hosts of a job, as many as fit.
function hostsOf(report) {
	const hosts = report.job ? report.job.hosts : distinct(report, "host");
	return hosts.length > 4 ? `${hosts.slice(0, 3).join(", ")} and ${count(hosts.length - 3)} more` : hosts.join(", ");
}

// Where and how the run was recorded.
function runFacts(report) {
	const settings = settingsOf(report);
	return facts([["host", hostsOf(report)], ["date", dateOf(settings)], ["kernel", distinct(report, "kernel_release").join(", ")],
		["hardware", hardwareOf(settings)], ["memory", machineOf(report)], ["event", eventOf(report)], ["period", periodOf(report)], ["filter", filterOf(report)],
		["sampled for", settings.active_ns ? seconds(Number(settings.active_ns)) : null]]);
}

function showHead(report) {
	const commands = distinct(report, "command"), command = commands.length ? commands[0] : "no process", answer = report.answer || {};
	const program = baseName(command.split(" ")[0]), others = processCount(report) > 1 ? `, ${plural(processCount(report), "process", "processes")}` : "";
	document.title = `${program}: ${selectionWords(report.selection)} - memphis report`;
	byId("head").replaceChildren(
		element("p", { class: "kind" }, "Memphis report", others),
		element("h1", { id: "command", title: command }, breakable(`${program}${command.includes(" ") ? command.slice(command.indexOf(" ")) : ""}`)),
		...[answer.run, answer.sampling, answer.selected].filter(Boolean).map((words) => element("p", { class: "run" }, breakable(words))));
}

// Sentences about lost samples, and about time in which nothing could be sampled.
function lossesOf(report) {
	const accounting = report.accounting, said = [];
	if (!accounting.balanced)
		said.push("The accounting does not balance: do not trust this report.");
	if (accounting.lost)
		said.push(`${plural(accounting.lost, "sample")} (${percent(accounting.lost / accounting.interrupts)} of interrupts) were lost because a ring was full.`);
	if (accounting.starved_ns)
		said.push(`Another user of the sampling hardware had it for ${percent(accounting.starved_ns / accounting.enabled_ns)} of the time; nothing was sampled then.`);
	if (accounting.unseen_ns)
		said.push(`Threads that were not found in time had ${percent(accounting.unseen_ns / accounting.cpu_ns)} of the CPU time of processes that were attached while they ran.`);
	if (accounting.throttled)
		said.push(`The kernel paused sampling ${plural(accounting.throttled, "time")}, each up to a tick, because interrupts came too fast; a longer period avoids it.`);
	return said;
}

// The notes that do not stand above the causes.
function showNotes(report) {
	const limits = report.answer ? report.answer.limits : [], said = [...lossesOf(report), ...report.notes].filter((text) => !limits.includes(text));
	if (said.length)
		fill("notes", "Notes", element("ul", {}, said.map((text) => element("li", {}, breakable(text)))));
}

// The ranks that show a finding.
function findingRanks(finding) {
	return (finding.evidence && finding.evidence.ranks) || [];
}

// What is not known of a finding hides it from no choice: of a large job, evidence stands for ranks that are not named.
const FINDING_SHOWN = [
	(finding, ranks) => !chosen.ranks.size || !ranks.length || ranks.some((rank) => job.showsRank(rank)),
	({ evidence }) => !evidence || ![evidence.node, evidence.home, ...evidence.nodes || []].some(Number.isInteger) || [evidence.node, evidence.home, ...evidence.nodes || []].some((node) => Number.isInteger(node) && showsNode(node)),
	(finding) => chosen.variable === "" || findingKeys(finding).includes(chosen.variable),
	(finding) => {
		const pictures = chosen.range ? heatmapList().filter((heatmap) => job.shows(heatmap.process) && findingKeys(finding).includes((heatmapVariable(heatmap) || {}).key)) : [];
		return !pictures.length || pictures.some((heatmap) => selectedSpots(heatmap).length > 0);
	}
];

function findingKeys({ variables }) {
	return (variables || []).map(({ segment, variable, site }) => (model.named(segment, variable, site) || {}).key);
}

function findingShown(finding) {
	return FINDING_SHOWN.every((shows) => shows(finding, findingRanks(finding)));
}

const FINDING_VARIABLES = 16; // as many are listed, with their shares if there are several

function findingVariables({ variables }, most = FINDING_VARIABLES) {
	const listed = variables.slice(0, most).map(({ segment, variable, site, share }, at) => {
		const found = model.named(segment, variable, site), code = element("code", {}, breakable(variable));
		return [at > 0 && ", ", found ? element("a", { href: variableLink(found) }, code) : code, variables.length > 1 && ` ${percent(share)}`];
	});
	return [listed, variables.length > most && ` and ${count(variables.length - most)} more`];
}

// A place in the source, as a link.
function placeLink({ path, line, function: name }) {
	return path && line ? [element("a", { href: lineLink(path, line) }, `${baseName(path)}:${line}`), name && [" (", element("code", {}, breakable(name)), ")"]] : null;
}

function nodesWords(nodes) {
	return nodes.length ? `${nodes.length > 1 ? "nodes" : "node"} ${nodes.join(", ")}` : null;
}

// What the report knows of a finding, in words; the sentence has what the pattern itself says.
const EVIDENCE = [
	["samples", ({ samples, share, share_low: low, share_high: high }) => samples && `${count(samples)}, ${percent(share)} of their kind (95 % ${between([low, high])})`],
	["most at", (finding, evidence) => placeLink(evidence)],
	["memory of", (finding, { home }) => Number.isInteger(home) && `node ${home}`],
	["nodes that use or hold it", (finding, { nodes }) => nodes && nodesWords(nodes)],
	["thread with most", (finding, { thread, thread_share: share }) => thread && `${thread}${share ? `, ${percent(share, 0)}` : ""}`],
	["first touched by", (finding, { touched_by: thread }) => thread && `thread ${thread}`],
	["initialised at", (finding, { initialised }) => initialised && placeLink(initialised)],
	["in regions", (finding, { regions }) => regions && regions.map(({ name, share }) => `${name} ${percent(share, 0)}`).join(", ")],
	["shown by", (finding, evidence) => job.cells.length > 1 && findingRanks(finding).length > 0 && findingRankWords(finding, findingRanks(finding))]
];

function findingEvidence(finding) {
	const known = EVIDENCE.map(([label, words]) => [label, words(finding, finding.evidence || {})]).filter(([, words]) => words);
	return known.length > 0 && element("dl", { class: "evidence" }, known.map(([label, words]) => element("div", {}, element("dt", {}, `${label}: `), element("dd", {}, words))));
}

function findingItem(report, finding) {
	return element("li", { class: "finding" },
		element("p", { class: "what" }, findingVariables(finding), " ", element("span", { class: "tag" }, finding.pattern)),
		element("p", {}, breakable(finding.sentence)),
		finding.gain && element("p", { class: "gain" }, `Could gain at most ${cycles(finding.gain.cycles)} cycles (${cyclesBetween(finding.gain)})${waitingOf(report) ? `, ${percent(finding.gain.cycles / waitingOf(report).waited.cycles)} of all waiting` : ""}.`),
		finding.advice && element("p", { class: "advice" }, breakable(finding.advice)), findingEvidence(finding));
}

function findingRankWords({ evidence }, ranks) {
	const words = job.words(new Set(ranks.map((rank) => job.cellOf(rank)))), more = (evidence.processes || 0) - ranks.length;
	return more > 0 ? `${words} and ${count(more)} more` : words;
}

// "ranks", "ranks or times"
function othersWords() {
	return [[CHOICES.ranks, job.nouns], [CHOICES.time, "times"], [CHOICES.node, "nodes"], [CHOICES.variable, "variables"]].filter(([{ is }]) => is()).map(([, words]) => words).join(" or ");
}

function showFindings(report) {
	const all = report.findings || [], shown = all.filter(findingShown);
	if (!all.length) {
		if (report.answer)
			fill("findings", "Findings", element("p", { class: "none" }, breakable(report.answer.none)));
		return;
	}
	fill("findings", "Findings", element("ol", {}, shown.map((finding) => findingItem(report, finding))),
		shown.length < all.length && element("p", { class: "hint" }, `${plural(all.length - shown.length, "finding")} of other ${othersWords()} ${all.length - shown.length === 1 ? "is" : "are"} not shown.`));
}
