// SPDX-License-Identifier: BSD-3-Clause
// The table of variables: sorting, filters, and the details of a variable.
"use strict";

// The columns beside those of numbers, as of table().
const HEADS = { name: ["Variable", "text"], accesses: ["Accesses", "text", "types and members, by the instructions"], graph: ["By accessing node", "graph"] };
const UNSORTED = ["accesses", "graph", "share"]; // shares have the order of samples
const PORTION = 50;
const ACCESSES_NAMED = 2;

const view = { order: "count", falling: true, text: "", regex: false, group: "", segment: "", rows: [], open: new Map() };

function variableLink(variable) {
	return `#variable/${encodeURIComponent(variable.key)}`;
}

function lineLink(path, line) {
	return `#line/${line}/${encodeURIComponent(path)}`;
}

// Returns the filter as a predicate on strings; null if it is not a valid regular expression.
function textTest() {
	if (!view.text)
		return () => true;
	if (!view.regex) {
		const wanted = view.text.toLowerCase();
		return (text) => text.toLowerCase().includes(wanted);
	}
	try {
		const wanted = new RegExp(view.text, "i");
		return (text) => wanted.test(text);
	} catch {
		return null;
	}
}

function compareRows(a, b) {
	if (view.order === "name")
		return (view.falling ? -1 : 1) * a.name.localeCompare(b.name, "en");
	const [x, y] = [a, b].map((row) => numberOf(row, model.columns.get(view.order)));
	return (x === null) - (y === null) || (view.falling ? y - x : x - y) || b.count - a.count;
}

// Only a report by thread has variables by rank.
function hasRankGroups() {
	return model.groups.some((group) => group.kind === "thread");
}

function shownTables() {
	return chosen.ranks.size && hasRankGroups() ? model.groups.filter((group) => job.shows(group.process)).flatMap((group) => group.nodes) : model.tables;
}

// The tables of what is chosen: of one node, and of one variable only its rows.
function chosenTables(tables = shownTables()) {
	if (chosen.node === "" && chosen.variable === "")
		return tables;
	return tables.filter(({ node }) => showsNode(node)).map((block) => ({ ...block, variables: block.variables.filter((row) => chosen.variable === "" || variableKey(row) === chosen.variable) }));
}

// The variables in the range of time, from the spots of their pictures, which have neither waiting nor data moved.
function rowsInRange() {
	const found = new Map();
	for (const heatmap of heatmapList().filter(isShownHeatmap)) {
		const variable = heatmapVariable(heatmap);
		for (const { node, home, count: number } of variable ? selectedSpots(heatmap) : []) {
			if (!found.has(variable.key))
				found.set(variable.key, Object.assign(Object.create(variable), Object.fromEntries(model.combined.map(({ key }) => [key, undefined])), emptySums(), { typed: 0, accessed: new Map() }));
			addSums(found.get(variable.key), { homes: [{ home, count: number }], count: number }, node);
		}
	}
	for (const row of found.values())
		row.count = sum([...row.nodes.values()], (number) => number);
	return [...found.values()].filter((row) => row.count);
}

function chosenRows() {
	const test = textTest();
	if (!test)
		return null;
	const tables = chosenTables(view.group === "" ? shownTables() : model.groups[Number(view.group)].nodes);
	const all = chosen.range ? rowsInRange() : tables === model.tables ? model.variables : gather(tables);
	return all.filter((row) => (!view.segment || row.segment === view.segment) && row.matches(test)).sort(compareRows);
}

function columnsShown() {
	const has = ({ key }) => Object.hasOwn(CELLS, key) || model.variables.some((row) => Object.hasOwn(COMPUTED, key) ? COMPUTED[key](row) !== null : row[key]);
	return ["name", model.variables.some((row) => row.typed) && "accesses", "graph", ...model.ordered.filter(has).map(({ key }) => key)].filter(Boolean);
}

function isOrder(column) {
	return column === "name" || (model.ordered.some(({ key }) => key === column) && !UNSORTED.includes(column));
}

function headCell(column) {
	const [text, kind, title] = HEADS[column] || numberHead(column);
	if (!isOrder(column))
		return element("th", { scope: "col", class: kind, title }, text);
	const sorted = view.order === column ? (view.falling ? "descending" : "ascending") : "none";
	return element("th", { scope: "col", class: kind, title, "aria-sort": sorted },
		element("button", {
			type: "button", class: "sort", "data-order": column, onclick: () => {
				view.falling = view.order === column ? !view.falling : column !== "name";
				view.order = column;
				updateVariables();
				keepView();
				document.querySelector(`button.sort[data-order="${column}"]`).focus();
			}
		}, text));
}

function nameCell(row) {
	const id = `details-${model.variables.findIndex((variable) => variable.key === row.key)}`;
	return element("th", { scope: "row", class: "text" },
		element("button", {
			type: "button", class: "name", "aria-expanded": "false", "data-variable": row.key, "data-details": id, onclick: (event) => toggle(row, event.currentTarget)
		}, breakable(row.name)),
		element("span", { class: "origin" }, element("span", { class: "tag" }, row.segment), row.site && [" ", row.site], certaintyOf(row) !== null && `, ${Math.floor(100 * certaintyOf(row))} % certain`));
}

// The types and members that the instructions access, as shares of the variable's samples.
function accessesCell(row) {
	const all = row.accessedMembers();
	return element("td", { class: "text accesses" }, all.slice(0, ACCESSES_NAMED).map((part) => element("span", {},
		element("code", {}, breakable(part.member)), ` ${percent(part.count / row.count)}`)),
	all.length > ACCESSES_NAMED && element("span", {}, `${all.length - ACCESSES_NAMED} more`));
}

function accessesTable(variable) {
	const all = variable.accessedMembers();
	return all.length > 0 && table(`Types and members that instructions access in ${variable.name}`, [["Member", "text"], ["Type", "text"], ["Of all", "graph"], numberHead("count"), ["Share", "number"], numberHead("stores")],
		all.map((part) => [element("code", {}, breakable(part.member)), element("code", {}, breakable(part.type)), plainBar(part.count / variable.count, "plain"),
			count(part.count), percent(part.count / variable.count), count(part.stores)]));
}

function numberCell(...content) {
	return element("td", { class: "number" }, content);
}

// Cells that are more than a number.
const CELLS = {
	name: nameCell,
	accesses: accessesCell,
	graph: (row, most) => element("td", { class: "graph" }, stackedBar(row.nodes, most)),
	count: (row) => numberCell(element("b", {}, count(row.count))),
	share: (row) => numberCell(percent(row.count / model.total), element("small", {}, between(interval(row.count, model.total))))
};

function bodyCell(key, row, most) {
	const column = model.columns.get(key);
	return Object.hasOwn(CELLS, key) ? CELLS[key](row, most) : numberCell(numberText(numberOf(row, column), column));
}

// A call, as in the text format: "model.c:44 (step)".
function framePlace(frame) {
	if (frame.via)
		return element("code", {}, breakable(frame.function));
	const file = frame.path || frame.object, place = `${file ? baseName(file) : "?"}${frame.line ? `:${frame.line}` : ""}`;
	return [frame.path && frame.line ? element("a", { href: lineLink(frame.path, frame.line) }, place) : place,
		frame.function && [" (", element("code", {}, breakable(frame.function)), ")"]];
}

const lineOfCall = (frame) => `${frame.object} ${frame.path} ${frame.line} ${frame.function}`;

// Folds chains of calls into a tree, by the key of each call; the children of a call are the calls that follow it in the chains.
function callTree(chains, keyOf = lineOfCall) {
	const root = { count: 0, children: new Map() };
	for (const chain of chains) {
		let at = root;
		root.count += chain.count;
		for (const frame of chain.frames) {
			const key = keyOf(frame);
			if (!at.children.has(key))
				at.children.set(key, { frame, count: 0, children: new Map() });
			at = at.children.get(key);
			at.count += chain.count;
		}
	}
	return root;
}

function callList(node) {
	const callers = [...node.children.values()].sort((a, b) => b.count - a.count);
	return callers.length > 0 && element("ul", { class: "calls" }, callers.map((caller) =>
		element("li", {}, `${count(caller.count)} `, framePlace(caller.frame), callList(caller))));
}

// The calls that led from the program to the library, the innermost first.
function callersFold(item) {
	return item.chains.length > 0 && lazyFold("Callers", () => [callList(callTree(item.chains))]);
}

// The code of system headers that is inlined in the line, the innermost first.
function libraryFold(row) {
	return row.library.length > 0 && lazyFold("Inlined library code", () => [element("ul", { class: "calls" }, row.library.map((frame) => element("li", {}, framePlace(frame))))]);
}

function instructionRow(item, most, latency) {
	const row = item.row, place = `${row.file}:${row.line}${row.approximate ? "~" : ""}`;
	const where = row.path && row.line ? element("a", { href: lineLink(row.path, row.line) }, place) : place;
	return element("tr", {},
		element("th", { scope: "row", class: "text" }, where, element("span", { class: "origin" }, row.pc, row.object && ` in ${baseName(row.object)}`)),
		element("td", { class: "text" }, element("code", {}, breakable(row.function || "?")), row.inlined.map((frame) => element("span", { class: "origin" },
			"inlined into ", element("code", {}, breakable(frame.function || "?")), " at ",
			frame.path ? element("a", { href: lineLink(frame.path, frame.line) }, `${baseName(frame.path)}:${frame.line}`) : `line ${frame.line}`)),
		row.via && element("span", { class: "origin via" }, "via ", element("code", {}, breakable(row.via))), libraryFold(row), callersFold(item)),
		element("td", { class: "graph" }, stackedBar(item.nodes, most)),
		numberCell(element("b", {}, count(item.count))),
		latency && numberCell(meanLatency(item) ? count(Math.round(meanLatency(item))) : "", item.latency_max_cycles > 0 && element("small", {}, `max ${count(item.latency_max_cycles)}`)),
		latency && numberCell(count(item.stores || 0)),
		latency && numberCell(count(item.hitm || 0)));
}

// The members of a variable, which a report by field contains instead of instructions.
function memberTable(variable) {
	const items = variable.fields(), most = largest(items, (item) => item.count);
	return table(`Members of ${variable.name} that were accessed`, [["Byte of the element", "text"], ["Member", "text"], HEADS.graph, ...["count", "stores", "hitm"].map(numberHead)],
	items.map((item) => [item.row.field ? `${count(item.row.offset)} of ${count(item.row.element_bytes)}` : "", item.row.field ? element("code", {}, breakable(item.row.field)) : "(not known)", stackedBar(item.nodes, most), count(item.count),
		count(item.stores || 0), count(item.hitm || 0)]));
}

function instructionTable(variable) {
	if (variable.members.some(([, rows]) => rows.length))
		return memberTable(variable);
	const items = variable.instructions(), latency = variable.latency_cycles !== undefined;
	if (!items.length)
		return element("p", {}, "No instruction is known.");
	const columns = [["Line", "text"], ["Function", "text"], HEADS.graph, ...["count", ...latency ? ["latency_mean_cycles", "stores", "hitm"] : []].map(numberHead)];
	const made = table(`Instructions that accessed ${variable.name}`, columns, []);
	portions(made.querySelector("tbody"), items, (item) => [instructionRow(item, items[0].count, latency)], columns.length, PORTION);
	return made;
}

function variableDetails(variable) {
	const homes = [...variable.homes].sort(([a], [b]) => compareNodes(a, b));
	const heatmap = heatmapOf(variable);
	return [
		facts([["addresses sampled", `${variable.low} \u2013 ${variable.high}`], ["allocated at", variable.site], ["held by", variable.holder],
			["named by", variable.how], ["why no better name", variable.reason],
			["certainty", certaintyOf(variable) === null ? null : `${percent(certaintyOf(variable))}: estimated from a random sample of the small blocks`],
			["samples by node", [...variable.nodes].sort(([a], [b]) => compareNodes(a, b)).map(([node, number]) => `${nodeName(node)}: ${count(number)}`).join(", ")],
			["pages at home on", homes.map(([home, number]) => `${nodeName(home)}: ${count(number)}`).join(", ")],
			["waited for data", waitingFacts(variable)],
			["slowest access", variable.latency_max_cycles ? `${count(variable.latency_max_cycles)} cycles` : null],
			["stores, hitm", variable.stores === undefined ? null : `${count(variable.stores)}, ${count(variable.hitm || 0)}`],
			["not attributed", [...variable.reasons].map(([reason, number]) => `${reason} ${count(number)}`).join(", ")]]),
		element("p", {}, variableButton(variable), " in all sections"),
		heatmap !== null && element("p", {}, element("a", { href: `#heatmap/${heatmap}` }, "Heatmap of its pages, and of the threads that use them")),
		accessesTable(variable),
		instructionTable(variable),
		variable.left > 0 && element("p", { class: "hint" }, `${plural(variable.left, "more row")} of ${variable.members.some(([, rows]) => rows.length) ? "members" : "instructions"} are not in this page; --instructions 0 keeps all.`)
	];
}

function toggle(variable, button, wanted) {
	const row = button.closest("tr"), open = button.getAttribute("aria-expanded") === "true";
	if (open === (wanted === undefined ? !open : wanted))
		return;
	button.setAttribute("aria-expanded", String(!open));
	if (open) {
		row.nextElementSibling.remove();
		button.removeAttribute("aria-controls");
		return;
	}
	const id = button.dataset.details;
	button.setAttribute("aria-controls", id);
	row.after(element("tr", { class: "details", id }, element("td", { colspan: String(row.children.length) },
		element("div", { class: "inside" }, variableDetails(variable)))));
}

let portionsShown = null;

function updateVariables() {
	const columns = columnsShown(), rows = chosenRows(), field = byId("filter-text"), status = byId("variables-status");
	showView();
	field.setAttribute("aria-invalid", String(!rows));
	if (!rows) {
		status.textContent = "This is not a regular expression.";
		return;
	}
	view.rows = rows;
	const pictured = new Set(heatmapList().map(heatmapVariable)), others = chosen.range ? model.variables.filter((row) => !pictured.has(row)) : [];
	status.textContent = `${plural(rows.length, "variable")}, ${plural(sum(rows, (row) => row.count), "sample")}${
		others.length ? `; the times of ${plural(sum(others, (row) => row.count), "sample")} of ${plural(others.length, "other variable")} are not in this page` : ""}`;
	byId("variables-head").replaceChildren(...columns.map(headCell));
	const most = largest(rows, (row) => row.count, 1);
	portionsShown = portions(byId("variables-body"), rows, (row) => [element("tr", {}, columns.map((column) => bodyCell(column, row, most)))], columns.length, PORTION);
}

// Sets the controls to what the view has.
function showView() {
	if (!byId("filter-regex"))
		return;
	for (const [key, value] of [...["text", "segment", "group"].map((name) => [name, view[name]]), ["node", chosen.node]])
		if (byId(`filter-${key}`))
			byId(`filter-${key}`).value = value;
	byId("filter-regex").checked = view.regex;
}

function resetView(going) {
	Object.assign(view, { text: "", regex: false, group: "", segment: "" });
	choose({ node: "", variable: "" }, going);
}

keep("sort", () => view.order === "count" && view.falling ? "" : `${view.order},${view.falling ? "falling" : "rising"}`, (words) => {
	const [order, direction] = (words || "count,falling").split(",");
	if (isOrder(order))
		Object.assign(view, { order, falling: direction !== "rising" });
});
keep("regex", () => view.regex ? "yes" : "", (words) => { view.regex = words === "yes"; });
for (const key of ["text", "segment", "group"]) {
	keep(key, () => view[key], (words) => {
		const options = byId(`filter-${key}`) && byId(`filter-${key}`).options;
		view[key] = words && (!options || [...options].some(({ value }) => value === words)) ? words : "";
	});
}

// Opens a variable and scrolls to it; filters that hide it are reset.
function goToVariable(key) {
	if (!model.byKey.has(key))
		return;
	if (!view.rows.some((row) => row.key === key)) {
		if (chosen.range)
			chosen.range = null;
		resetView(true);
	}
	const at = view.rows.findIndex((row) => row.key === key);
	portionsShown.reach(at);
	const button = [...byId("variables-body").querySelectorAll("button.name")].find((found) => found.dataset.variable === key);
	toggle(view.rows[at], button, true);
	button.scrollIntoView({ block: "start" });
	button.focus({ preventScroll: true });
}

function toolbar() {
	const change = (key) => (value) => {
		view[key] = value;
		updateVariables();
		keepView();
	};
	const segments = [...new Set(model.variables.map((row) => row.segment))].sort();
	let waiting = 0;
	return element("form", { class: "toolbar", role: "search", onsubmit: (event) => event.preventDefault(), onreset: () => resetView() },
		element("label", { for: "filter-text" }, element("span", {}, "Filter"), element("input", {
			type: "search", id: "filter-text", autocomplete: "off", spellcheck: "false", placeholder: "name, segment or place", "aria-describedby": "variables-status",
			oninput: (event) => {
				view.text = event.target.value;
				cancelAnimationFrame(waiting);
				waiting = requestAnimationFrame(() => {
					updateVariables();
					keepView(true);
				});
			}
		})),
		element("label", { class: "check", for: "filter-regex" }, element("input", {
			type: "checkbox", id: "filter-regex", onchange: (event) => change("regex")(event.target.checked)
		}), element("span", {}, "regular expression")),
		select("Node", "filter-node", [["", "all"], ...model.nodes.map((node) => [node === null ? "unknown" : String(node), node === null ? "unknown" : String(node)])], (node) => choose({ node })),
		segments.length > 1 && select("Segment", "filter-segment", [["", "all"], ...segments.map((segment) => [segment, segment])], change("segment")),
		model.groups.length > 0 && select(model.groups[0].path ? "Region" : "Group", "filter-group",
			[["", "all"], ...model.groups.map((group, at) => [String(at), `${model.groupName(group)} (${count(group.selected)})`])], change("group")),
		element("button", { type: "reset" }, "Clear"));
}

function showVariables() {
	const left = sum(model.tables, (block) => block.variable_rows - block.variables.length);
	fill("variables", "Variables", toolbar(),
		element("div", { class: "above" }, element("p", { id: "variables-status", role: "status" }), nodeLegend(model.nodes, "Colours of accessing nodes")),
		box("Table of variables", element("table", { class: "variables" }, element("caption", { class: "hidden" }, "Variables and their samples"),
			element("thead", {}, element("tr", { id: "variables-head" })), element("tbody", { id: "variables-body" }))),
		left > 0 && element("p", { class: "hint" }, `${plural(left, "more row")} of variables are not in this page; --top 0 keeps all.`));
	updateVariables();
}
