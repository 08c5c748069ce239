// SPDX-License-Identifier: BSD-3-Clause
// Counters recorded alongside the samples: one counter at a time, on the samples' time axis and by caliper.
"use strict";

function quantity(value, unit) {
	if (value === null || value === undefined)
		return "";
	if (unit === "bytes")
		return bytes(value);
	if (unit === "ns")
		return seconds(value);
	const number = scaled(value, ["", "k", "M", "G", "T", "P"], 1000).trim();
	return unit && unit !== "count" ? `${number} ${unit}` : number;
}

function isGauge(metric) {
	return metric.kind === "gauge";
}

function moves(metric) {
	return isGauge(metric) ? metric.low !== 0 || metric.high !== 0 : metric.total !== 0;
}

// Groups the metrics of the same counter on all nodes; `numbers` are the indices of the metrics. Counters by node come first.
function counterGroups(counters) {
	const groups = new Map();
	counters.metrics.forEach((metric, number) => {
		const key = JSON.stringify([metric.source, metric.name, metric.unit, metric.kind, metric.scope]);
		if (!groups.has(key))
			groups.set(key, { title: `${metric.source} ${metric.name}${metric.scope === "host" ? " (host)" : ""}`, metric, numbers: [] });
		groups.get(key).numbers.push(number);
	});
	const shown = [...groups.values()].filter((group) => group.numbers.some((number) => moves(counters.metrics[number])));
	return shown.sort((a, b) => (a.metric.node === null) - (b.metric.node === null));
}

// The rate per second in each step of the axis, or the mean of a gauge; null for a step without readings.
function counterSteps(counters, number, axis) {
	const line = counters.series.list.find((found) => found.metric === number), gauge = isGauge(counters.metrics[number]);
	const sums = new Array(axis.length).fill(null), counts = new Array(axis.length).fill(0);
	(line ? line.values : []).forEach((value, at) => {
		if (value === null)
			return;
		const step = Math.floor(((line.first + at) * counters.series.width_ns - axis.from) / axis.width);
		if (step < 0 || step >= axis.length)
			return;
		sums[step] += value;
		counts[step]++;
	});
	return sums.map((value, at) => value === null ? null : gauge ? value / counts[at] : value / (axis.width / 1e9));
}

// The total of a counter, or the mean of a gauge, in the steps of a strip that were read.
function inStrip(metric, values, axis) {
	const read = values.filter((value) => value !== null), all = sum(read, (value) => value);
	if (!read.length)
		return null;
	return isGauge(metric) ? all / read.length : all * axis.width / 1e9;
}

const countersView = { at: 0 };

function counterStrips(counters, group, axis) {
	const lines = group.numbers.map((number) => [counters.metrics[number], counterSteps(counters, number, axis)]);
	const top = largest(lines, ([, values]) => largest(values, (value) => value || 0)) || 1, { unit } = group.metric;
	const rate = isGauge(group.metric) ? "" : " per second";
	const output = element("output", { "aria-live": "polite" }, "Point at a strip, or use the arrow keys in it.");
	const say = (value) => value === null ? "not read" : `${quantity(value, unit)}${rate}`;
	return [
		element("p", { class: "lead" }, `The full height is ${quantity(top, unit)}${rate}; steps of ${seconds(axis.width)}.`),
		element("div", { class: "strips" }, lines.map(([metric, values]) => {
			const label = metric.node === null ? (metric.scope === "host" ? "host" : "program") : nodeName(metric.node);
			const all = chosen.range ? inStrip(metric, values, axis) : isGauge(metric) ? metric.mean : metric.total;
			return strip({
				label, small: all === null ? "not read" : quantity(all, unit), kind: metric.node === null ? "plain" : nodeClass(metric.node), paths: [["value", values.map((value) => Math.max(0, value || 0))]],
				words: `${group.title}, ${quantity(all, unit)}`
			}, axis, top, (at) => say(values[at]), (text) => { output.textContent = text; });
		})),
		timeLabels(axis), output];
}

const PLACE_NAMES = { outside: "(outside any caliper)", unknown: "(unknown region)" };

function placeName(region) {
	return region.place === "caliper" ? region.region : PLACE_NAMES[region.place];
}

function sumCells(metric, cell) {
	return isGauge(metric) ? [quantity(cell.mean, metric.unit), quantity(cell.low, metric.unit), quantity(cell.high, metric.unit)]
		: [quantity(cell.total, metric.unit), quantity(cell.per_second, metric.unit), cell.total ? percent(cell.shared / cell.total) : ""];
}

function countersTable(counters, group) {
	const nodes = group.metric.node !== null, rows = [];
	for (const region of counters.regions) {
		for (const cell of region.metrics.filter((found) => group.numbers.includes(found.metric))) {
			const metric = counters.metrics[cell.metric];
			rows.push([placeName(region), ...(nodes ? [nodeName(metric.node)] : []), seconds(cell.seconds * 1e9), ...sumCells(metric, cell)]);
		}
	}
	const titles = isGauge(group.metric) ? [["Mean", "number", "by time"], ["Lowest", "number"], ["Highest", "number"]]
		: [["Total", "number"], ["Per second", "number", "of the time in the caliper"], ["Shared", "number", "uncertain: counted between two readings while other calipers were open, too"]];
	return table(`${group.title} by outermost caliper`, [["Caliper", "text"], ...(nodes ? [["Node", "text"]] : []), ["Time", "number"], ...titles], rows);
}

function showCounters(report) {
	const counters = report.counters, groups = counters ? counterGroups(counters) : [];
	if (!groups.length)
		return;
	countersView.groups = groups.length;
	const axis = chosenAxis(timeAxis(report, TIME_STEPS)), shown = element("div", { id: "counters-view" });
	const draw = () => shown.replaceChildren(...counterStrips(counters, groups[countersView.at], axis), countersTable(counters, groups[countersView.at]));
	fill("counters", "Counters",
		element("div", { class: "toolbar" }, select("Counter", "counters-metric", groups.map((group, at) => [String(at), group.title]), (at) => {
			countersView.at = Number(at);
			draw();
			keepView();
		})), shown);
	byId("counters-metric").value = String(countersView.at);
	draw();
}

keep("counter", () => countersView.at ? String(countersView.at) : "", (words) => { countersView.at = Number(words) < countersView.groups ? Number(words) : 0; });
