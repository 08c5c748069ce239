// SPDX-License-Identifier: BSD-3-Clause
// Calls and times of regions: a tree of calipers, each with its share of the longest one, and how its threads differ.
"use strict";

function threadName(thread) {
	return thread.rank === null ? `${thread.process}.${thread.tid}` : `rank ${thread.rank}`;
}

function regionRow(region, longest, counted) {
	const spread = region.threads > 1 ? [seconds(region.least.ns), seconds(region.median.ns), seconds(region.most.ns), threadName(region.most)] : ["", "", "", ""];
	return [
		element("span", { style: { "padding-inline-start": `${region.path.length - 1}em` } }, breakable(region.path[region.path.length - 1])),
		count(region.calls), count(region.threads), seconds(region.ns), plainBar(region.ns / longest), seconds(region.ns_exclusive),
		region.cpu_ns === null ? "" : seconds(region.cpu_ns), ...spread,
		...(counted ? [scaled(region.cycles, ["", "k", "M", "G", "T", "P"], 1000).trim(), region.cycles ? (region.instructions / region.cycles).toFixed(2) : ""] : [])];
}

// A row for each region and event that its threads counted.
function eventRows(regions) {
	const number = (value) => scaled(value, ["", "k", "M", "G", "T", "P"], 1000).trim();
	return regions.flatMap((region) => (region.events || []).map((event) => [
		element("span", { style: { "padding-inline-start": `${region.path.length - 1}em` } }, breakable(region.path[region.path.length - 1])), breakable(event.name),
		number(event.count), number(event.count_exclusive), region.instructions ? (1000 * event.count / region.instructions).toFixed(3) : "",
		...(event.threads > 1 ? [number(event.least.count), number(event.median.count), number(event.most.count), threadName(event.most)] : ["", "", "", ""])]));
}

function eventTable(regions) {
	const rows = eventRows(regions);
	return rows.length ? table("Counts of events in regions, summed over their threads", [
		["Region", "text"], ["Event", "text"], ["Count", "number", "in user mode, with the regions inside it"], ["Without inner", "number", "without the regions inside it"],
		["Per 1000 instructions", "number"], ["Least", "number", "of one thread"], ["Median", "number", "of one thread"], ["Most", "number", "of one thread"], ["Most in", "text"]], rows) : null;
}

function showRegions(report) {
	const regions = report.region_times || [], longest = largest(regions, (region) => region.ns);
	if (!regions.length)
		return;
	const counted = regions.some((region) => region.cycles !== undefined);
	fill("regions", "Time in regions", table("Calls and times of regions, summed over their threads", [
		["Region", "text"], ["Calls", "number"], ["Threads", "number"], ["Time", "number", "with the regions inside it"], ["Of the longest", "text"],
		["Without inner", "number", "without the regions inside it"], ["CPU", "number", "CPU time, of regions that are the outermost ones of their threads"],
		["Least", "number", "of one thread"], ["Median", "number", "of one thread"], ["Most", "number", "of one thread"], ["Most in", "text"],
		...(counted ? [["Cycles", "number", "in user mode"], ["IPC", "number", "instructions per cycle, in user mode"]] : [])],
	regions.map((region) => regionRow(region, longest || 1, counted))), eventTable(regions));
}
