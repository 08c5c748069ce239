// SPDX-License-Identifier: BSD-3-Clause
// Elements, numbers and statistics for all parts of the page. Data of the report becomes text nodes and attributes
// only, never markup, because its names come from untrusted files.
"use strict";

function set(made, attributes) {
	for (const [key, value] of Object.entries(attributes || {})) {
		if (value === null || value === undefined || value === false)
			continue;
		if (key.startsWith("on"))
			made.addEventListener(key.slice(2), value);
		else if (key === "style") // setAttribute("style") would need a content security policy that allows inline styles
			Object.entries(value).forEach(([name, text]) => made.style.setProperty(name, text)); // names as in style sheets
		else
			made.setAttribute(key, value === true ? "" : value);
	}
	return made;
}

// Appends one child at a time, because a report may have more rows than a call can have arguments (about 120,000).
function fillWith(made, children) {
	children.forEach((child) => made.append(child));
	return made;
}

function element(tag, attributes, ...children) {
	return fillWith(set(document.createElement(tag), attributes), children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
}

function drawing(tag, attributes, ...children) {
	return fillWith(set(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes), children.flat(Infinity));
}

function byId(id) {
	return document.getElementById(id);
}

const GROUPED = new Intl.NumberFormat("en-US");

function count(number) {
	return GROUPED.format(number);
}

function plural(number, one, many) {
	return `${count(number)} ${number === 1 ? one : many || one + "s"}`;
}

function percent(share, digits = 1) {
	return `${(100 * share).toFixed(digits)} %`;
}

// Three significant digits with the largest unit that fits.
function scaled(number, units, step) {
	let at = 0;
	while (Math.abs(number) >= step && at < units.length - 1) {
		number /= step;
		at++;
	}
	return `${Number(number.toPrecision(number < 1000 ? 3 : 4))} ${units[at]}`;
}

function bytes(number) {
	return scaled(number, ["B", "kB", "MB", "GB", "TB", "PB"], 1000);
}

function memory(number) {
	return scaled(number, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
}

function seconds(ns) {
	if (ns === 0)
		return "0 s";
	if (ns < 1e9)
		return scaled(ns, ["ns", "us", "ms"], 1000);
	if (ns < 120e9)
		return `${(ns / 1e9).toFixed(1)} s`;
	const whole = Math.round(ns / 1e9);
	const two = (number) => String(number).padStart(2, "0");
	return whole < 3600 ? `${Math.floor(whole / 60)}:${two(whole % 60)} min`
		: `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)} h`;
}

// Wilson 95 % confidence interval, as in the report, for sums computed in the page.
function interval(part, whole) {
	if (!whole)
		return [0, 0];
	const z = 1.959964, share = part / whole, square = z * z / whole;
	const middle = (share + square / 2) / (1 + square);
	const half = z / (1 + square) * Math.sqrt(share * (1 - share) / whole + square / (4 * whole));
	return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

function between([low, high]) {
	return `${(100 * low).toFixed(1)}\u2013${(100 * high).toFixed(1)} %`;
}

function baseName(path) {
	return path.slice(path.lastIndexOf("/") + 1) || path;
}

function sum(list, of) {
	return list.reduce((total, item) => total + (of(item) || 0), 0);
}

// The largest of the numbers, at least `least`. Math.max() accepts only a limited number of arguments.
function largest(list, of, least = 0) {
	return list.reduce((most, item) => Math.max(most, of(item)), least);
}

// The text with <wbr> after separators, where a long name may be broken, but not within a number such as 0.39 or 1,234.
function breakable(text) {
	return text.split(/(?<=[/:.,%_&-])(?=[^/:.,%_&-])(?<!\d[.,](?=\d))/).flatMap((part, at) => at ? [element("wbr"), part] : [part]);
}

// A node is a number, or null if it is not known.
const NODE_COLOURS = 16;

function nodeName(node) {
	return node === null ? "unknown node" : `node ${node}`;
}

function nodeClass(node) {
	return node === null ? "node-unknown" : `node-${node % NODE_COLOURS}`;
}

function compareNodes(a, b) {
	return (a === null) - (b === null) || a - b;
}

function swatch(node) {
	return element("span", { class: `swatch ${nodeClass(node)}`, "aria-hidden": "true" });
}

function nodeLegend(nodes, title) {
	return element("ul", { class: "legend", "aria-label": title },
		nodes.map((node) => element("li", {}, swatch(node), nodeName(node))));
}

// A bar with one part per node; `whole` is the count that fills the width.
function stackedBar(counts, whole) {
	const parts = [...counts].filter(([, number]) => number).sort(([a], [b]) => compareNodes(a, b));
	const words = parts.map(([node, number]) => `${nodeName(node)}: ${count(number)}`).join(", ");
	return element("span", { class: "bar", role: "img", "aria-label": words, title: words },
		parts.map(([node, number]) => element("span", {
			class: nodeClass(node), style: { width: `${100 * number / whole}%` }
		})));
}

function plainBar(share, kind) {
	return element("span", { class: "bar", "aria-hidden": "true" },
		element("span", { class: kind || "plain", style: { width: `${100 * share}%` } }));
}

// Columns: [title, "number" | "text" | ..., tooltip of the title]. Rows: lists of cells, or elements.
function table(caption, columns, rows, attributes) {
	const head = columns.map(([title, kind, why]) => element("th", { scope: "col", class: kind, title: why }, title));
	const cells = (row) => element("tr", {}, row.map((cell, at) =>
		element(at ? "td" : "th", { class: columns[at][1], scope: at ? null : "row" }, cell)));
	return box(caption, element("table", attributes, element("caption", {}, caption),
		element("thead", {}, element("tr", {}, head)),
		element("tbody", {}, rows.map((row) => Array.isArray(row) ? cells(row) : row))));
}

// Content wider than the page scrolls inside its own box, which is focusable for scrolling by keyboard. Tables can be copied, except source text.
function box(label, ...children) {
	const copied = children.find((child) => child.tagName === "TABLE" && !child.matches(".source"));
	return element("div", { class: "box", role: "region", "aria-label": label, tabindex: "0" }, children, copied && copyButton(copied, label));
}

function fold(summary, ...children) {
	return element("details", {}, element("summary", {}, summary), children);
}

// A fold whose content is created when it is opened for the first time.
function lazyFold(summary, make) {
	const made = fold(summary);
	made.addEventListener("toggle", () => made.append(...[make()].flat()), { once: true });
	return made;
}

function fill(id, title, ...children) {
	const section = byId(id);
	section.hidden = false;
	section.replaceChildren(element("h2", { id: `${id}-title` }, title), ...children.flat().filter(Boolean));
	return section;
}

function facts(pairs) {
	return element("dl", { class: "facts" }, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
		.map(([key, value]) => element("div", {}, element("dt", {}, key), element("dd", {}, value))));
}

const COLUMN_LETTERS = 40, ROW_LABELS = 24;

// The names of a picture's columns or rows (`kind`: columns-of or rows-of) beside them: each, or of many about `most`.
function labelsOf(kind, names, most) {
	const step = Math.max(1, Math.ceil(names.length / most));
	return element("div", { class: kind, "aria-hidden": "true" }, names.map((name, at) => element("span", {}, at % step ? "" : name)));
}

// As many names as fit below a picture.
function columnLabels(names) {
	return labelsOf("columns-of", names, Math.max(2, Math.floor(COLUMN_LETTERS / largest(names, (name) => name.length, 1))));
}

// Radio buttons that look like one control.
function choice(label, name, options, chosen, change) {
	return element("fieldset", { class: "choice" }, element("legend", {}, label), options.map(([value, text]) =>
		element("label", {}, element("input", {
			type: "radio", name, value, checked: value === chosen, onchange: () => change(value)
		}), element("span", {}, text))));
}

function select(label, id, options, change) {
	return element("label", { for: id }, element("span", {}, label),
		element("select", { id, onchange: (event) => change(event.target.value) },
			options.map(([value, text]) => element("option", { value }, text))));
}

// Adds rows in portions, so that the page stays fast with many rows.
function portions(body, items, make, columns, size) {
	let shown = 0;
	const more = element("button", { type: "button", class: "more" });
	const row = element("tr", { class: "more" }, element("td", { colspan: columns }, more));
	const next = () => {
		const part = items.slice(shown, shown + size).flatMap((item, at) => make(item, shown + at));
		row.remove();
		body.append(...part);
		shown += Math.min(size, items.length - shown);
		if (shown < items.length) {
			more.textContent = `Show ${count(Math.min(size, items.length - shown))} more of ${count(items.length - shown)}`;
			body.append(row);
		}
	};
	more.addEventListener("click", () => {
		const before = row.previousElementSibling;
		next();
		const first = before && before.nextElementSibling && before.nextElementSibling.querySelector("button, a");
		if (first)
			first.focus();
	});
	body.replaceChildren();
	body.undrawn = () => items.slice(shown).flatMap((item, at) => make(item, shown + at));
	next();
	return { reach(position) { while (shown <= position && shown < items.length) next(); } };
}
