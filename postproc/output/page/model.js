// SPDX-License-Identifier: BSD-3-Clause
// Combines the report's tables by node into one table of variables and one of source lines.
"use strict";

// How a number of several rows is combined, by the name of the function. Addresses are texts, and need more digits than a number has.
const COMBINED = {
	sum: (a, b) => a + b,
	min: (a, b) => BigInt(b) < BigInt(a) ? b : a,
	max: (a, b) => BigInt(b) > BigInt(a) ? b : a
};

function addInto(counts, key, number) {
	counts.set(key, (counts.get(key) || 0) + number);
}

// The sums of a variable or an instruction over all nodes.
function emptySums() {
	return { count: 0, nodes: new Map(), homes: new Map(), homeKnown: 0, away: 0, waits: [] };
}

function addSums(sums, row, node) {
	for (const { key, steps, combined } of model.combined) {
		const value = steps.reduce((of, step) => of && of[step], row);
		if (value !== null && value !== undefined)
			sums[key] = sums[key] === undefined ? value : COMBINED[combined](sums[key], value);
	}
	addInto(sums.nodes, node, row.count);
	if (row.waiting)
		sums.waits.push([node, row.waiting]);
	for (const { home, count: number } of row.homes || []) {
		addInto(sums.homes, home, number);
		if (home === null || node === null)
			continue;
		sums.homeKnown += number;
		sums.away += home === node ? 0 : number;
	}
}

// The share of accesses from a node other than the home of the page, among accesses with a known home.
function awayShare(row) {
	return row.homeKnown ? row.away / row.homeKnown : null;
}

function meanLatency(row) {
	return row.latency_cycles && row.count ? row.latency_cycles / row.count : null;
}

// The probability that a sample of an estimated variable has the right one; null for other variables.
function certaintyOf(row) {
	return row.certain === undefined ? null : row.certain / row.count;
}

// Numbers that the page computes from combined ones.
const COMPUTED = { share: (row) => row.count / model.total, latency_mean_cycles: meanLatency, away_share: awayShare };

// The number of a column; null if it is not known.
function numberOf(row, { key }) {
	const value = Object.hasOwn(COMPUTED, key) ? COMPUTED[key](row) : row[key];
	return value === undefined ? null : value;
}

const UNITS = { count, bytes, cycles: (number) => count(Math.round(number)), share: (share) => percent(share) };

function numberText(number, { unit, estimate }) {
	return number === null ? "" : (estimate && unit === "cycles" ? cycles : UNITS[unit])(number);
}

// The head of a column of table().
function numberHead(key) {
	const { title, help, unit } = model.columns.get(key);
	return [title, "number", help || (unit === "cycles" ? unit : null)];
}

class Variable {
	constructor(row, key) {
		Object.assign(this, emptySums(), {
			key, segment: row.segment, name: row.name, site: row.site, holder: row.holder, how: row.how,
			reason: row.reason, reasons: new Map(), parts: [], members: [], left: 0,
			accessed: new Map(), typed: 0
		});
	}

	add(row, node) {
		addSums(this, row, node);
		this.reason = this.reason || row.reason;
		for (const [reason, number] of Object.entries(row.reasons || {}))
			addInto(this.reasons, reason, number);
		for (const part of (row.accessed || []).filter(({ member }) => member)) {
			const kept = this.accessed.get(part.member) || { ...part, count: 0, stores: 0 };
			kept.count += part.count;
			kept.stores += part.stores;
			this.accessed.set(part.member, kept);
			this.typed += part.count;
		}
		if (row.certainty !== undefined)
			this.certain = (this.certain || 0) + row.certainty * row.count;
		this.parts.push([node, row.instructions || []]);
		this.members.push([node, row.fields || []]);
		this.left += row.fields ? row.field_rows - row.fields.length : row.instruction_rows - row.instructions.length;
	}

	// Computed on demand, since most variables are never opened.
	instructions() {
		const found = new Map();
		for (const [node, rows] of this.parts) {
			for (const row of rows) {
				const key = `${row.object} ${row.pc} ${row.path} ${row.line} ${row.function} ${row.via}`;
				if (!found.has(key))
					found.set(key, { ...emptySums(), row, chains: [] });
				addSums(found.get(key), row, node);
				found.get(key).chains.push(...row.callers ? row.callers.chains : []);
			}
		}
		return [...found.values()].sort((a, b) => b.count - a.count);
	}

	// Members with the same offset and name, summed over nodes and sorted by offset.
	fields() {
		const found = new Map();
		for (const [node, rows] of this.members) {
			for (const row of rows) {
				const key = `${row.offset} ${row.field}`;
				if (!found.has(key))
					found.set(key, { ...emptySums(), row });
				addSums(found.get(key), row, node);
			}
		}
		return [...found.values()].sort((a, b) => a.row.offset - b.row.offset || b.count - a.count);
	}

	// The members that instructions access, most often accessed first.
	accessedMembers() {
		return [...this.accessed.values()].sort((a, b) => b.count - a.count || a.member.localeCompare(b.member, "en"));
	}

	matches(test) {
		return [...this.accessed.keys()].some(test) || test(this.name) || test(this.segment) || test(this.site || "") || test(this.holder || "");
	}
}

// Names all variables as they are shown: with what tells them from others of their name.
function useShownNames(value) {
	if (value === null || typeof value !== "object")
		return;
	if (value.shown)
		value[value.pattern ? "variable" : "name"] = value.shown;
	Object.values(value).forEach(useShownNames);
}

function variableKey(row) {
	return JSON.stringify([row.segment, row.name, row.site, row.holder, row.how]);
}

// Combines node tables (several per node if grouped) into variables, sorted by samples; `only` restricts them to one accessing node.
function gather(tables, only) {
	const found = new Map();
	for (const block of tables) {
		if (only !== undefined && block.node !== only)
			continue;
		for (const row of block.variables) {
			const key = variableKey(row);
			if (!found.has(key))
				found.set(key, new Variable(row, key));
			found.get(key).add(row, block.node);
		}
	}
	return [...found.values()].sort((a, b) => b.count - a.count);
}

function addLine(files, { path, line, count: number }, node, key) {
	if (!path || !line)
		return;
	if (!files.has(path))
		files.set(path, { path, count: 0, lines: new Map() });
	const file = files.get(path);
	if (!file.lines.has(line))
		file.lines.set(line, { count: 0, nodes: new Map(), variables: new Map() });
	const kept = file.lines.get(line);
	file.count += number;
	kept.count += number;
	addInto(kept.nodes, node, number);
	addInto(kept.variables, key, number);
}

function mostFirst(files) {
	return [...files.values()].sort((a, b) => b.count - a.count);
}

// The samples of each line of each file, by node and by variable.
function gatherLines(tables) {
	const files = new Map();
	for (const block of tables) {
		for (const variable of block.variables) {
			const key = variableKey(variable);
			for (const row of variable.instructions || [])
				addLine(files, row, block.node, key);
		}
	}
	return mostFirst(files);
}

const model = {
	// `columns`: the numbers of rows, as all outputs have them.
	open(report, sources, columns) {
		useShownNames(report);
		this.report = report;
		this.columns = new Map(columns.map((column) => [column.key, column]));
		this.combined = columns.filter(({ combined }) => combined).map((column) => ({ ...column, steps: column.path.split(".") }));
		this.ordered = columns.filter(({ order }) => order).sort((a, b) => a.order - b.order);
		this.groups = report.groups || report.regions || [];
		this.tables = report.nodes || this.groups.flatMap((group) => group.nodes);
		this.variables = gather(this.tables);
		this.byKey = new Map(this.variables.map((variable) => [variable.key, variable]));
		this.files = gatherLines(this.tables);
		this.objects = new Set(this.tables.flatMap(({ variables }) => variables.flatMap(({ object, instructions }) => [object, ...(instructions || []).map((row) => row.object)])));
		this.sources = new Map(sources.map((source) => [source.path, source]));
		this.nodes = this.allNodes();
		this.total = report.accounting.selected;
		return this;
	},

	// The nodes of the machines, and any other nodes in the samples.
	allNodes() {
		const found = new Set(this.tables.map((block) => block.node));
		for (const process of this.report.processes)
			process.topology.forEach(({ node }) => found.add(node));
		for (const { node, home } of this.report.matrix || [])
			found.add(node).add(home);
		return [...found].sort(compareNodes);
	},

	groupName(group) {
		if (group.path)
			return group.path.length ? group.path.join(" > ") : group.kind === "outside" ? "outside any caliper" : "unknown region";
		return group.name !== undefined && group.name !== null ? String(group.name) : group.kind;
	},

	// The variable of a finding or a heatmap; a variable with the same site is preferred.
	named(segment, name, site) {
		const alike = this.variables.filter((variable) => variable.name === name && (!segment || variable.segment === segment));
		return alike.find((variable) => site && variable.site === site) || alike[0];
	}
};
