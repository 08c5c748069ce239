// SPDX-License-Identifier: BSD-3-Clause
// The traffic of each node's memory over time, as the memory controllers counted it, below the limit that was measured; and shares of limits.
"use strict";

// Whether the node is in a list such as "0-3,8".
function isListed(node, list) {
	return list.split(",").some((part) => {
		const [first, last = first] = part.split("-").map(Number);
		return first <= node && node <= last;
	});
}

// The node of a counter; of one that counts several nodes together, their list, which its name ends with; null if it is not known.
function nodesOf(metric) {
	const found = metric.name.match(/ \(nodes ([0-9,-]+)\)$/);
	return metric.node === null && found ? found[1] : metric.node;
}

// Reads and writes per second in the steps of the axis, by node; null: not read.
function memoryTraffic(counters, axis) {
	const nodes = new Map();
	(counters ? counters.metrics : []).forEach((metric, number) => {
		const node = nodesOf(metric);
		if (metric.source !== "uncore" || metric.unit !== "bytes" || node === null)
			return;
		if (!nodes.has(node))
			nodes.set(node, { hosts: 0, read: new Array(axis.length).fill(null), written: new Array(axis.length).fill(null) });
		const traffic = nodes.get(node), values = metric.name.includes("write") ? traffic.written : traffic.read;
		traffic.hosts = Math.max(traffic.hosts, metric.processes);
		counterSteps(counters, number, axis).forEach((value, at) => {
			if (value !== null)
				values[at] = (values[at] || 0) + value;
		});
	});
	return [...nodes].sort(([a], [b]) => parseInt(a, 10) - parseInt(b, 10)).map(([node, { hosts, read, written }]) => {
		const all = read.map((value, at) => value === null && written[at] === null ? null : (value || 0) + (written[at] || 0));
		return { node, hosts, written, all };
	});
}

// The limit in each step at its mix of reads and writes; null where it is not known.
function limitSteps(limits, { node, hosts, written, all }) {
	const found = (limits.nodes || []).filter((limit) => typeof node === "string" ? isListed(limit.node, node) : limit.node === node);
	const together = (at) => found.some((limit) => limit.by_tenths_of_writes[at] === null) ? null : sum(found, (limit) => limit.by_tenths_of_writes[at]);
	const tenths = found.length ? found[0].by_tenths_of_writes.map((_, at) => together(at)) : [null];
	return all.map((value, at) => {
		const tenth = value ? 10 * (written[at] || 0) / value : 0, below = Math.floor(tenth);
		const low = tenths[below], high = tenths[Math.min(below + 1, 10)];
		return low === null || low === undefined ? null : hosts * (low + (high - low) * (tenth - below));
	});
}

function limitLine(limits, axis, top) {
	let path = "";
	limits.forEach((limit, at) => {
		if (limit !== null)
			path += `${at && limits[at - 1] !== null ? "V" : `M${at} `}${(STRIP - STRIP * limit / top).toFixed(2)}H${at + 1}`;
	});
	return drawing("path", { class: "limit", d: path || "M0 0", "vector-effect": "non-scaling-stroke" });
}

function bandwidthStrips(report, axis) {
	const nodes = memoryTraffic(report.counters, axis).map((traffic) => ({ ...traffic, limits: limitSteps(report.limits, traffic) }));
	if (!nodes.length)
		return [];
	const most = (values) => largest(values, (value) => value || 0), rate = (value) => `${bytes(value)} per second`;
	// The line of the limit stays below the strip above it.
	const top = 1.1 * largest(nodes, ({ all, limits }) => Math.max(most(all), most(limits))) || 1;
	const output = element("output", { "aria-live": "polite" }, "Point at a strip, or use the arrow keys in it.");
	const say = ({ all, written, limits }, at) => all[at] === null ? "not read"
		: `${rate(all[at])}, ${bytes(written[at] || 0)} of them written${limits[at] ? `; ${percent(all[at] / limits[at], 0)} of the limit` : ""}`;
	return [
		element("p", { class: "lead" }, `The full height is ${rate(top)}; steps of ${seconds(axis.width)}. Light: reads; solid: writes; line: the limit at this mix of reads and writes.`,
			largest(nodes, ({ hosts }) => hosts) > 1 && " All hosts together."),
		element("div", { class: "strips" }, nodes.map((traffic) => {
			const shares = traffic.all.map((value, at) => traffic.limits[at] ? value / traffic.limits[at] : 0), highest = most(shares);
			const made = strip({
				label: typeof traffic.node === "string" ? `nodes ${traffic.node}` : nodeName(traffic.node), small: highest ? `up to ${percent(highest, 0)}` : "", kind: typeof traffic.node === "string" ? "plain" : nodeClass(traffic.node),
				paths: [["all", traffic.all.map((value) => value || 0)], ["away", traffic.written.map((value) => value || 0)]],
				words: `at most ${rate(most(traffic.all))}`
			}, axis, top, (at) => say(traffic, at), (text) => { output.textContent = text; });
			made.querySelector("svg").append(limitLine(traffic.limits, axis, top));
			return made;
		})),
		timeLabels(axis), output];
}

function limitPlace(row) {
	return row.of === "link" ? `link from ${nodeName(row.from)} to ${nodeName(row.node)}` : `memory of ${row.nodes ? `nodes ${row.nodes} together` : nodeName(row.node)}`;
}

const LIMIT_COLUMNS = [["Of", "text"], ["Caliper", "text"], ["Share", "number"], ["95 % interval", "number", "of estimates"], ["Read per second", "number"], ["Written per second", "number"],
	["Limit per second", "number", "at this mix of reads and writes"], ["Known from", "text"], ["Host", "text", "the one with the largest share"]];

function limitRow(row) {
	const counted = row.by === "counters";
	return [limitPlace(row), row.place === "selected" ? row.region || "all that is selected" : placeName(row), percent(row.share), counted ? "" : `${percent(row.share_low)} to ${percent(row.share_high)}`,
		bytes(row.read_per_second), counted ? bytes(row.written_per_second) : "", bytes(row.limit_per_second), counted ? "counters" : "sampled loads, at least",
		row.host ? `${row.host}${row.hosts > 1 ? ` of ${row.hosts}` : ""}` : ""];
}

function limitHosts({ measured_on, hosts_measured, hosts_not_measured }) {
	return hosts_measured < 2 ? measured_on : `each host${hosts_not_measured ? `; ${hosts_not_measured} without a measurement ${hosts_not_measured === 1 ? "has" : "have"} those of ${measured_on}` : ""}`;
}

function showBandwidth(report) {
	const { limits } = report;
	if (!limits)
		return;
	const found = limits.rows.filter((row) => row.sentence), axis = chosenAxis(timeAxis(report, TIME_STEPS));
	fill("bandwidth", "Memory bandwidth",
		limits.rows.length === 0 && element("p", { class: "lead" }, "What this machine can do is not known: memphis node --measure --save HOST.node measures it."),
		limits.rows.length > 0 && element("p", { class: "lead" }, `Limits are those that memphis node measured on ${limitHosts(limits)}.`),
		found.map((row) => element("div", { class: "finding" }, element("p", { class: "what" }, limitPlace(row), " ", element("span", { class: "tag" }, `saturated-${row.of}`)),
			element("p", {}, `${row.sentence}.`), element("p", { class: "advice" }, row.advice))),
		bandwidthStrips(report, axis),
		limits.rows.length > 0 && table("Shares of limits", LIMIT_COLUMNS, limits.rows.map(limitRow)));
}
