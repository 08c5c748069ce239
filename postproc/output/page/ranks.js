// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job: a grid of hosts and ranks, coloured by samples.
"use strict";

const RANK_CELL = 9, RANK_ROWS = 128, RANK_COLUMNS = 64;

// The number of processes; a page of a large job has details of a few only.
function processCount(report) {
	return report.job ? report.job.processes : report.processes.length;
}

function rankText({ first, last, host, lastHost, processes, count: samples, away, outliers }, names, noun) {
	// Hosts are in the order of their names, so that the ranks of several need not be consecutive.
	const name = host !== lastHost ? plural(processes, noun) : first === last ? `${noun} ${first}` : `${plural(processes, noun)} ${first} to ${last}`;
	const place = host === lastHost ? names[host] : `${lastHost - host + 1} hosts, ${names[host]} to ${names[lastHost]}`;
	const mean = processes > 1 ? ` (${count(Math.round(samples / processes))} for each)` : "";
	return `${name} on ${place}: ${plural(samples, "sample")}${mean}, ${samples ? percent(away / samples) : "0 %"} of pages that another node owns${outliers ? "; differs from the others" : ""}`;
}

function rankGrid(job, noun, output) {
	const names = job.hosts, cells = job.cells.map(([host, first, last, processes, samples, away, outliers, lastHost]) => ({ host, first, last, processes, count: samples, away, outliers, lastHost }));
	// A row for each host; of very many hosts, a row for each RANK_COLUMNS cells, with the name of the first host.
	const rows = new Map(), perHost = names.length <= RANK_ROWS;
	cells.forEach((cell, number) => {
		const row = perHost ? cell.host : cells[number - number % RANK_COLUMNS].host;
		rows.set(row, [...(rows.get(row) || []), cell]);
	});
	const shown = [...rows], most = largest(cells, (cell) => cell.count / cell.processes, 1), wide = largest(shown, ([, list]) => list.length, 1);
	const label = 8 * largest(shown, ([host]) => names[host].length, 1), picture = drawing("svg", { style: { width: `${label + wide * RANK_CELL}px`, height: `${shown.length * RANK_CELL + 2}px` }, role: "img", "aria-label": "Samples by host and rank" });
	shown.forEach(([host, list], row) => {
		picture.append(drawing("text", { x: 0, y: row * RANK_CELL + RANK_CELL - 1, class: "rank-host" }, document.createTextNode(names[host])));
		list.forEach((cell, column) => picture.append(drawing("rect", {
			x: label + column * RANK_CELL, y: row * RANK_CELL, width: RANK_CELL - 1, height: RANK_CELL - 1, class: cell.outliers ? "rank outlier" : "rank",
			"fill-opacity": (0.08 + 0.92 * cell.count / cell.processes / most).toFixed(3),
			onpointerenter: () => { output.textContent = rankText(cell, names, noun); } })));
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
		per > 1 ? ` A cell stands for at most ${count(per)} ranks.` : "", job.hosts.length > RANK_ROWS ? " A row begins with the named host." : ""),
	element("div", { class: "ranks" }, rankGrid(job, noun, output)), output,
	job.detailed < job.processes && element("p", { class: "hint" }, `Threads, timelines, settings and accounting are those of ${count(job.detailed)} processes: the ones that differ most, typical ones and the first. `,
		"All totals, variables and findings are of all processes; memphis report --format json has the details of each."));
}
