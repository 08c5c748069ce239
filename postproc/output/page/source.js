// SPDX-License-Identifier: BSD-3-Clause
// Source lines with their samples and the variables accessed there.
"use strict";

const sourceView = { path: null, files: [] };

function lineVariables(line) {
	return [...line.variables].sort((a, b) => b[1] - a[1]).map(([key, number]) => {
		const variable = model.byKey.get(key);
		return element("li", {}, element("a", { href: variableLink(variable) }, breakable(variable.name)), ` ${count(number)}`);
	});
}

function sourceLine(number, text, line, most) {
	const where = element("th", { scope: "row", class: "number" }, String(number));
	if (!line)
		return element("tr", { "data-line": String(number) }, element("td", { class: "number" }), element("td", { class: "graph" }), where,
			element("td", { class: "code" }, text));
	const owners = element("tr", { class: "owners", hidden: true }, element("td", { colspan: "3" }), element("td", {}, element("ul", {}, lineVariables(line))));
	const button = element("button", {
		type: "button", "aria-expanded": "false", "aria-label": `line ${number}: ${plural(line.count, "sample")}, show variables`, onclick: () => {
			owners.hidden = !owners.hidden;
			button.setAttribute("aria-expanded", String(!owners.hidden));
		}
	}, count(line.count));
	return [element("tr", { "data-line": String(number), class: "hot", style: heat(line.count / most) }, element("td", { class: "number" }, button),
		element("td", { class: "graph" }, stackedBar(line.nodes, most)), where, element("td", { class: "code" }, text)), owners];
}

function gap(from, to) {
	return element("tr", { class: "gap" }, element("td", { colspan: "3" }), element("td", {}, from === to ? `line ${from}` : `lines ${from}\u2013${to}`));
}

function sourceRows(file, source) {
	const most = largest([...file.lines.values()], (line) => line.count), rows = [];
	let next = 1;
	if (!source) {
		for (const [number, line] of [...file.lines].sort(([a], [b]) => a - b))
			rows.push(sourceLine(number, "", line, most));
		return rows;
	}
	for (const part of source.parts) {
		if (part.line > next)
			rows.push(gap(next, part.line - 1));
		part.text.forEach((text, at) => rows.push(sourceLine(part.line + at, text, file.lines.get(part.line + at), most)));
		next = part.line + part.text.length;
	}
	// Line numbers outside the text: a different version of the file was compiled.
	const beyond = [...file.lines].filter(([number]) => !source.parts.some((part) => number >= part.line && number < part.line + part.text.length));
	return rows.concat(beyond.sort(([a], [b]) => a - b).map(([number, line]) => sourceLine(number, "", line, most)));
}

function showFile(path) {
	const file = sourceView.files.find((found) => found.path === path), source = model.sources.get(path);
	if (!file && !source)
		return;
	const lines = file || { path, count: 0, lines: new Map() };
	sourceView.path = path;
	byId("source-file").value = path;
	byId("source-note").replaceChildren(...breakable(path), source ? (source.found && source.found !== path ? `, read from ${source.found}` : "")
		: ": the text was not found when this page was made; --source DIR adds a directory to search");
	byId("source-text").replaceChildren(box(`Source of ${baseName(path)}`, element("table", { class: "source" },
		element("caption", { class: "hidden" }, path),
		element("thead", { class: "hidden" }, element("tr", {}, ["Samples", "By accessing node", "Line", "Text"].map((text) => element("th", { scope: "col" }, text)))),
		element("tbody", {}, sourceRows(lines, source).flat()))));
}

function goToLine(number, path) {
	// What hides the samples of the line is taken back.
	if ((chosen.node !== "" || chosen.variable !== "" || chosen.range) && !sourceView.files.some((file) => file.path === path && file.lines.has(Number(number))))
		choose({ node: "", variable: "", range: null }, true);
	if (path !== sourceView.path)
		showFile(path);
	const row = byId("source-text").querySelector(`tr[data-line="${Number(number)}"]`);
	byId("source-text").querySelectorAll("tr.here").forEach((marked) => marked.classList.remove("here"));
	if (!row) {
		byId("source").scrollIntoView();
		return;
	}
	row.classList.add("here");
	const button = row.querySelector("button");
	if (button && button.getAttribute("aria-expanded") === "false")
		button.click();
	row.scrollIntoView({ block: "center" });
	(button || byId("source")).focus({ preventScroll: true });
}

// The lines in the range of time: those of variables with pictures.
function linesInRange() {
	const files = new Map();
	for (const heatmap of heatmapList().filter((one) => one.over_time && isShownHeatmap(one))) {
		const variable = heatmapVariable(heatmap), { lines, samples } = heatmap.over_time;
		for (const [at, column, node, number] of variable ? samples : []) {
			if (showsNode(node) && inRange(timeOf(heatmap, column), timeOf(heatmap, column + 1)))
				addLine(files, { ...lines[at], count: number * heatmap.one_in }, node, variable.key);
		}
	}
	return mostFirst(files);
}

// The lines of what is chosen.
function chosenFiles() {
	const tables = chosenTables();
	return chosen.range ? linesInRange() : tables === model.tables ? model.files : gatherLines(tables);
}

function showSource() {
	sourceView.files = chosenFiles();
	// Files that only contain calls of inlined functions have no samples; they come last, as targets of links.
	const paths = [...sourceView.files.map((file) => [file.path, `${file.path} (${count(file.count)})`]),
		...[...model.sources.keys(), ...model.files.map(({ path }) => path)].filter((path, at, all) => all.indexOf(path) === at && !sourceView.files.some((file) => file.path === path)).map((path) => [path, path])];
	if (!paths.length)
		return;
	fill("source", "Source", element("div", { class: "toolbar" }, select("File", "source-file", paths, showFile)),
		element("p", { id: "source-note", class: "hint" }), element("div", { id: "source-text" }));
	showFile(sourceView.path || (sourceView.files.find((file) => model.sources.has(file.path)) || { path: paths[0][0] }).path);
}
