// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job: a grid of hosts and ranks, coloured by samples.
"use strict";

const RANK_CELL = 9, RANK_ROWS = 128;

// The number of processes; a page of a large job has details of a few only.
function processCount(report) {
	return report.job ? report.job.processes : report.processes.length;
}

function rankText({ first, last, processes, count: samples, away, outliers }, host, noun) {
	const name = first === last ? `${noun} ${first}` : `${plural(processes, noun)} ${first} to ${last}`;
	const mean = processes > 1 ? ` (${count(Math.round(samples / processes))} for each)` : "";
	return `${name} on ${host}: ${plural(samples, "sample")}${mean}, ${samples ? percent(away / samples) : "0 %"} of pages that another node owns${outliers ? "; differs from the others" : ""}`;
}

function rankGrid(job, noun, output) {
	const [names, cells] = [job.hosts, job.cells.map(([host, first, last, processes, samples, away, outliers]) => ({ host, first, last, processes, count: samples, away, outliers }))];
	const rows = Map.groupBy ? Map.groupBy(cells, (cell) => cell.host) : cells.reduce((map, cell) => map.set(cell.host, [...(map.get(cell.host) || []), cell]), new Map());
	const shown = [...rows].slice(0, RANK_ROWS), most = largest(cells, (cell) => cell.count / cell.processes, 1), wide = largest(shown, ([, list]) => list.length, 1);
	const label = 8 * largest(shown, ([host]) => names[host].length, 1), picture = drawing("svg", { width: label + wide * RANK_CELL, height: shown.length * RANK_CELL + 2, role: "img", "aria-label": "Samples by host and rank" });
	shown.forEach(([host, list], row) => {
		picture.append(drawing("text", { x: 0, y: row * RANK_CELL + RANK_CELL - 1, class: "rank-host" }, document.createTextNode(names[host])));
		list.forEach((cell, column) => picture.append(drawing("rect", {
			x: label + column * RANK_CELL, y: row * RANK_CELL, width: RANK_CELL - 1, height: RANK_CELL - 1, class: cell.outliers ? "rank outlier" : "rank",
			"fill-opacity": (0.08 + 0.92 * cell.count / cell.processes / most).toFixed(3),
			onpointerenter: () => { output.textContent = rankText(cell, names[host], noun); } })));
	});
	return picture;
}

function showRanks(report) {
	const job = report.job;
	if (!job || job.processes < 2)
		return;
	const noun = job.ranked ? "rank" : "process", output = element("output", { id: "ranks-output" }, "Point at a cell: its samples are shown here.");
	const outliers = sum(job.cells, (cell) => cell[6]), per = largest(job.cells, (cell) => cell[3], 1);
	fill("ranks", "Ranks", element("p", { class: "lead" },
		`${plural(job.processes, "process", "processes")} with ${plural(job.threads, "thread")} on ${plural(job.hosts.length, "host")}; the darker, the more selected samples. `,
		outliers ? `${plural(outliers, "process differs", "processes differ")} from the others (outlined).` : "No process differs from the others by more than chance and the usual spread explain.",
		per > 1 ? ` A cell stands for at most ${count(per)} consecutive ranks.` : "", job.hosts.length > RANK_ROWS ? ` The first ${RANK_ROWS} hosts are shown.` : ""),
	element("div", { class: "ranks" }, rankGrid(job, noun, output)), output,
	job.detailed < job.processes && element("p", { class: "hint" }, `Threads, timelines, settings and accounting are those of ${count(job.detailed)} processes: the ones that differ most, typical ones and the first. `,
		"All totals, variables and findings are of all processes; memphis report --format json has the details of each."));
}
