// SPDX-License-Identifier: BSD-3-Clause
// Two ranks side by side, from what the page has of each.
"use strict";

// The sums of a rank's threads: samples, those of other nodes' pages, latencies.
function threadSums(report, number) {
	const rows = (report.threads || []).filter(({ process }) => job.own.get(process) === number), sums = emptySums();
	rows.forEach((row) => addSums(sums, { count: row.count, latency_cycles: row.latency_cycles, homes: [{ home: row.home, count: row.count }] }, row.node));
	return { ...sums, threads: new Set(rows.map(({ process, tid }) => `${process}.${tid}`)).size };
}

// Estimated waiting of a rank by source: cycles, samples and latencies.
function rankWaiting(report, shows) {
	const sources = new Map(), waiting = waitingOf(report);
	for (const thread of waiting ? waiting.threads : []) {
		for (const { source, samples, latency_cycles: latency, waited } of shows(thread.process) ? thread.sources : []) {
			const kept = sources.get(source) || { source, samples: 0, latency_cycles: 0, cycles: 0 };
			kept.samples += samples;
			kept.latency_cycles += latency;
			kept.cycles += waited.cycles;
			sources.set(source, kept);
		}
	}
	return sources;
}

// The pictures of a rank: its leading variables, with their selected samples.
function leadingVariables(number) {
	return new Map(heatmapList().filter(({ process }) => job.own.get(process) === number).map((heatmap) => [JSON.stringify([heatmap.segment, heatmap.name, heatmap.site]), heatmap]));
}

// How a share is printed; shares differ by points.
const shareText = (value) => percent(value);

function difference(a, b, say) {
	if (typeof a !== "number" || typeof b !== "number")
		return "";
	const sign = b > a ? "+" : "\u2212";
	if (say === shareText && a !== b)
		return `${sign}${(100 * Math.abs(b - a)).toFixed(1)} points`;
	return a === b ? "same" : `${sign}${say(Math.abs(b - a))}${a ? ` (${sign}${percent(Math.abs(b - a) / a)})` : ""}`;
}

// A row of the table: what, its values, and how a value is printed. A value that is not known is null.
function compareRow([what, [a, b], say]) {
	const text = (value) => value === null || value === undefined ? "not in this page" : typeof value === "number" ? say(value) : value;
	return [what, text(a), text(b), difference(a, b, say)];
}

function comparedValues(report, pair) {
	const cells = pair.map((number) => job.byFirst.get(number)), sums = pair.map((number) => threadSums(report, number));
	const known = (at, value) => sums[at].threads ? value : null, both = (make) => [0, 1].map(make);
	const waits = pair.map((number) => rankWaiting(report, (process) => job.own.get(process) === number)), all = [...new Set(waits.flatMap((found) => [...found.keys()]))];
	const mpi = pair.map((number) => ((report.mpi || {}).ranks || []).find(({ rank }) => job.cellOf(rank) === number) || null);
	const ofMpi = (make) => mpi.map((rank) => rank && make(rank));
	const whole = (value) => count(Math.round(value)), time = (value) => seconds(value);
	return [
		["Host", both((at) => job.hosts[cells[at].host]), String],
		["Selected samples", both((at) => cells[at].count), count],
		["Samples of pages that another node owns", both((at) => cells[at].away), count],
		["Their share", both((at) => cells[at].count ? cells[at].away / cells[at].count : 0), shareText],
		["Threads with samples", both((at) => known(at, sums[at].threads)), count],
		["Mean latency, cycles", both((at) => known(at, meanLatency(sums[at]))), whole],
		...Object.keys(WAIT_SOURCES).filter((source) => all.includes(source)).flatMap((source) => {
			const of = (key) => both((at) => known(at, (waits[at].get(source) || { [key]: 0 })[key]));
			return [[`Loads sampled from ${WAIT_SOURCES[source]}`, of("samples"), count], [`Cycles waited for ${WAIT_SOURCES[source]}, estimated`, of("cycles"), cycles]];
		}),
		...mpi.some(Boolean) ? [
			["Time in MPI", ofMpi((rank) => rank.mpi_ns), time], ["Its share", ofMpi((rank) => rank.ns ? rank.mpi_ns / rank.ns : null), shareText],
			["Waited for other ranks", ofMpi((rank) => rank.waits && !rank.known ? "?" : rank.waited_ns), time], ["MPI calls", ofMpi((rank) => rank.calls), count],
			["Sent", ofMpi((rank) => rank.sent_bytes), bytes], ["Received", ofMpi((rank) => rank.received_bytes), bytes]] : []];
}

function compareVariables(pair, names) {
	const lists = pair.map(leadingVariables), keys = [...new Set(lists.flatMap((list) => [...list.keys()]))];
	if (!keys.length)
		return element("p", { class: "hint" }, "This page has no pictures of variables of these ranks.");
	const of = (at, key) => lists[at].has(key) ? lists[at].get(key).selected : null;
	const rows = keys.map((key) => {
		const heatmap = lists[0].get(key) || lists[1].get(key), variable = heatmapVariable(heatmap), [a, b] = [of(0, key), of(1, key)];
		return [(a || 0) + (b || 0), [variable ? element("a", { href: variableLink(variable) }, breakable(heatmap.name)) : breakable(heatmap.name),
			...[a, b].map((value) => value === null ? "not a leading one" : count(value)), difference(a, b, count)]];
	});
	return table("Selected samples of leading variables", [["Variable", "text"], ...names.map((name) => [name, "number"]), ["Difference", "number"]],
		rows.sort(([a], [b]) => b - a).map(([, row]) => row));
}

function compareFindings(report, pair, names) {
	const found = (report.findings || []).map((finding) => [finding, pair.map((number) => findingRanks(finding).some((rank) => job.cellOf(rank) === number))]).filter(([, has]) => has.some(Boolean));
	const late = (report.mpi ? report.mpi.findings || [] : []).map((finding) => [finding, pair.map((number) => finding.ranks.some((rank) => job.cellOf(rank) === number) || job.cellOf(finding.late) === number)]).filter(([, has]) => has.some(Boolean));
	const mark = (has) => has.map((shows) => shows ? "yes" : "");
	if (!found.length && !late.length)
		return element("p", { class: "hint" }, "No finding names these ranks.");
	return table("Findings", [["Pattern", "text"], ["Of", "text"], ...names.map((name) => [name, "text"])],
		[...found.map(([finding, has]) => [finding.pattern, breakable(finding.variables.map(({ variable }) => variable).join(", ")), ...mark(has)]), ...late.map(([finding, has]) => [finding.pattern, breakable(finding.function), ...mark(has)])]);
}

function showCompare(report) {
	const section = byId("compare");
	if (!chosen.compare) {
		section.hidden = true;
		section.replaceChildren();
		return;
	}
	const pair = chosen.compare, names = pair.map((number) => job.words(new Set([number])));
	fill("compare", `Comparison of ${names.join(" and ")}`,
		table("Both ranks, whole run", [["Figure", "text"], ...names.map((name) => [name, "number"]), ["Difference", "number"]], comparedValues(report, pair).map(compareRow)),
		compareVariables(pair, names), compareFindings(report, pair, names),
		element("p", {}, element("button", { type: "button", id: "compare-end", onclick: () => {
			choose({ compare: null });
			byId("ranks-compare").focus();
		} }, "End the comparison")));
}

keep("compare", () => chosen.compare ? chosen.compare.join(",") : "", (words) => {
	const pair = words ? words.split(",").map(Number) : [];
	chosen.compare = pair.length === 2 && pair.every((number) => job.byFirst.has(number)) ? pair : null;
});
