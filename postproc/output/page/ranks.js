// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job: a grid of hosts and ranks, coloured by samples, in which ranks are selected.
"use strict";

const RANK_CELL = 9, RANK_CELL_FEW = 20, RANK_FEW = 64, RANK_ROWS = 128, RANK_COLUMNS = 64;

// The number of processes; a page of a large job has details of a few only.
function processCount(report) {
	return report.job ? report.job.processes : report.processes.length;
}

function rankText({ first, last, host, lastHost, processes, count: samples, away, outliers }) {
	// Hosts are in the order of their names, so that the ranks of several need not be consecutive.
	const names = job.hosts, name = host !== lastHost ? plural(processes, job.noun, job.nouns) : first === last ? `${job.noun} ${first}` : `${plural(processes, job.noun, job.nouns)} ${first} to ${last}`;
	const place = host === lastHost ? names[host] : `${lastHost - host + 1} hosts, ${names[host]} to ${names[lastHost]}`;
	const mean = processes > 1 ? ` (${count(Math.round(samples / processes))} for each)` : "";
	return `${name} on ${place}: ${plural(samples, "sample")}${mean}, ${samples ? percent(away / samples) : "0 %"} of pages that another node owns${outliers ? "; differs from the others" : ""}`;
}

// A row for each host; of very many hosts, a row for each RANK_COLUMNS cells, with the name of the first host.
function rankRows() {
	const rows = new Map(), perHost = job.hosts.length <= RANK_ROWS;
	job.cells.forEach((cell, number) => {
		const row = perHost ? cell.host : job.cells[number - number % RANK_COLUMNS].host;
		if (!rows.has(row))
			rows.set(row, []);
		rows.get(row).push(number);
	});
	return [...rows];
}

// The cell of the keyboard, and the one where a range begins; positions in job.cells.
const rankCursor = { at: 0, from: 0 };

function selectRanks(at, event) {
	const { first } = job.cells[at], low = Math.min(at, rankCursor.from), high = Math.max(at, rankCursor.from);
	const together = event.ctrlKey || event.metaKey;
	let ranks = new Set(together ? chosen.ranks : []);
	if (event.shiftKey)
		job.cells.slice(low, high + 1).forEach((cell) => ranks.add(cell.first));
	else if (chosen.ranks.has(first) && (together || chosen.ranks.size === 1))
		ranks.delete(first);
	else
		ranks.add(first);
	if (!event.shiftKey)
		rankCursor.from = at;
	choose({ ranks });
}

// The position above or below, in the column that is nearest.
function rankBelow(rows, at, by) {
	const row = rows.findIndex(([, list]) => list.includes(at)), to = rows[Math.max(0, Math.min(rows.length - 1, row + by))][1];
	return to[Math.min(to.length - 1, rows[row][1].indexOf(at))];
}

function rankKey(event, rows) {
	const { at } = rankCursor, row = rows.find(([, list]) => list.includes(at))[1];
	const to = { ArrowLeft: () => at - 1, ArrowRight: () => at + 1, ArrowUp: () => rankBelow(rows, at, -1), ArrowDown: () => rankBelow(rows, at, 1), Home: () => row[0], End: () => row[row.length - 1] }[event.key];
	if (to) {
		rankCursor.at = Math.max(0, Math.min(job.cells.length - 1, to()));
		if (event.shiftKey)
			selectRanks(rankCursor.at, event);
		showRankCursor();
	} else if (event.key === " " || event.key === "Enter") {
		// As with a list in which several entries can be selected: a key alone adds the entry or takes it away.
		selectRanks(at, { ctrlKey: !event.shiftKey, shiftKey: event.shiftKey });
	} else if (event.key === "Escape") {
		choose({ ranks: new Set() });
	} else {
		return;
	}
	event.preventDefault();
}

function showRankCursor() {
	const picture = document.querySelector("#ranks svg"), cells = picture.querySelectorAll("rect");
	picture.querySelectorAll(".cursor").forEach((old) => old.classList.remove("cursor"));
	cells[rankCursor.at].classList.add("cursor");
	picture.setAttribute("aria-activedescendant", cells[rankCursor.at].id);
	byId("ranks-output").textContent = rankText(job.cells[rankCursor.at]);
}

function rankGrid() {
	const rows = rankRows(), most = largest(job.cells, (cell) => cell.count / cell.processes, 1), wide = largest(rows, ([, list]) => list.length, 1);
	const size = job.cells.length <= RANK_FEW ? RANK_CELL_FEW : RANK_CELL, label = 8 * largest(rows, ([host]) => job.hosts[host].length, 1);
	const picture = drawing("svg", {
		style: { width: `${label + wide * size}px`, height: `${rows.length * size + 2}px` }, role: "listbox", tabindex: "0", "aria-multiselectable": "true",
		"aria-label": `${job.nouns} by host. Arrow keys move, space selects, shift extends the selection, escape clears it.`,
		onkeydown: (event) => rankKey(event, rows), onfocus: () => showRankCursor()
	});
	rows.forEach(([host, list], row) => {
		picture.append(drawing("text", { x: 0, y: row * size + size - (size > RANK_CELL ? 6 : 1), class: "rank-host" }, document.createTextNode(job.hosts[host])));
		list.forEach((number, column) => {
			const cell = job.cells[number];
			picture.append(drawing("rect", {
				id: `rank-${number}`, x: label + column * size, y: row * size, width: size - 1, height: size - 1, class: cell.outliers ? "rank outlier" : "rank", role: "option", "aria-selected": "false",
				"aria-label": rankText(cell), "fill-opacity": (0.08 + 0.92 * cell.count / cell.processes / most).toFixed(3),
				onpointerenter: () => { byId("ranks-output").textContent = rankText(cell); },
				onclick: (event) => {
					rankCursor.at = number;
					selectRanks(number, event);
				}
			}));
		});
	});
	return picture;
}

// Marks the selection in the grid, and repeats it in the fields.
function markRanks() {
	if (!byId("ranks-field"))
		return;
	document.querySelectorAll("#ranks svg rect").forEach((cell, at) => {
		const selected = chosen.ranks.has(job.cells[at].first);
		if ((cell.getAttribute("aria-selected") === "true") !== selected)
			cell.setAttribute("aria-selected", String(selected));
	});
	document.querySelector("#ranks svg").classList.toggle("some", chosen.ranks.size > 0);
	byId("ranks-field").value = runsOf(chosen.ranks, job.numbers).replaceAll(",", ", ");
	byId("ranks-field").removeAttribute("aria-invalid");
	byId("ranks-clear").disabled = !chosen.ranks.size;
	const two = chosen.ranks.size === 2;
	byId("ranks-compare").disabled = !two;
	byId("ranks-compare").title = two ? "" : `select two ${job.nouns}`;
}

function rankTools() {
	return element("form", { class: "toolbar", onsubmit: (event) => event.preventDefault() },
		element("label", { for: "ranks-field" }, element("span", {}, `Selected ${job.nouns}`), element("input", {
			type: "text", id: "ranks-field", autocomplete: "off", placeholder: "all, or 3, 5-9", onchange: (event) => {
				const ranks = numbersOf(event.target.value, job.numbers);
				if (ranks)
					choose({ ranks });
				else
					event.target.setAttribute("aria-invalid", "true");
			}
		})),
		element("button", { type: "button", id: "ranks-clear", onclick: () => choose({ ranks: new Set() }) }, "Clear selection"),
		element("button", { type: "button", id: "ranks-compare", onclick: () => {
			choose({ compare: [...chosen.ranks].sort((a, b) => a - b) });
			byId("compare").scrollIntoView();
			byId("compare").focus({ preventScroll: true });
		} }, "Compare the two"));
}

function showRanks(report) {
	if (!report.job || report.job.processes < 2)
		return;
	const output = element("output", { id: "ranks-output" }, "Point at a cell: its samples are shown here. Click selects it, shift-click a range, ctrl-click one more.");
	const { processes, threads, detailed } = report.job, outliers = sum(job.cells, (cell) => cell.outliers), per = largest(job.cells, (cell) => cell.processes, 1);
	fill("ranks", "Ranks", element("p", { class: "lead" },
		`${plural(processes, "process", "processes")} with ${plural(threads, "thread")} on ${plural(job.hosts.length, "host")}; the darker, the more selected samples. `,
		outliers ? `${plural(outliers, "process differs", "processes differ")} from the others (outlined).` : "No process differs from the others by more than chance and the usual spread explain.",
		per > 1 ? ` A cell stands for at most ${count(per)} ranks.` : "", job.hosts.length > RANK_ROWS ? " A row begins with the named host." : ""),
	element("div", { class: "ranks" }, rankGrid()), output, rankTools(),
	detailed < processes && element("p", { class: "hint" }, `Threads, timelines, settings and accounting are those of ${plural(detailed, "process", "processes")}: the ones that differ most, typical ones and the first. `,
		"All totals, variables and findings are of all processes; memphis report --format json has the details of each."));
	markRanks();
}
