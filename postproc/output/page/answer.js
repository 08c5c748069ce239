// SPDX-License-Identifier: BSD-3-Clause
// The first view: the verdict, what remote memory costs as one bar, and the causes as cards, in the words of the first screen of the text report.
"use strict";

const CAUSES = 5; // as many are shown here, and all of them among the findings
const CAUSE_VARIABLES = 4;
const EXCERPT = 3; // lines of source around the one of a cause
const MAP_ROW = 10; // height of a row of the map of pages

function ending(words, mark) {
	return words && (/[.:]$/.test(words) ? words : `${words}${mark}`);
}

// Statements of the text report that are no whole sentences.
const STATEMENTS = { undecided: "Whether placing memory better is worth it is undecided", "not known": "Whether placing memory better is worth it is not known" };

function capital(words) {
	return words.charAt(0).toUpperCase() + words.slice(1);
}

// The statement of the verdict, and what it is based on.
function verdictParts(verdict) {
	const at = verdict.indexOf(": ");
	return at < 0 ? [verdict, ""] : [verdict.slice(0, at), verdict.slice(at + 2)];
}

function shareWords({ share, share_low: low, share_high: high }) {
	return `${percent(share)} (95 % ${between([low, high])})`;
}

// The parts of the bar: [share, class, words]. Waiting that overlaps with other waiting can be longer than the time.
function costParts({ remote, whole, waiting, gain }) {
	if (waiting) {
		const all = Math.min(1, waiting.share), saved = gain ? Math.min(all, gain.share) : 0;
		return [[saved, "bad", gain && `${shareWords(gain)} would be saved at most, if all data were local`],
			[all - saved, "away", `${shareWords(waiting)} of ${whole} is for remote DRAM${gain ? ", both parts together" : "; what local memory would save is not known"}`],
			[1 - all, "own", "is for everything else"]];
	}
	return remote ? [[remote.share, "away", `${shareWords(remote)} of the loads from DRAM go to another node`], [1 - remote.share, "own", "go to the own node"]] : [];
}

function costBar(answer) {
	const parts = costParts(answer).filter(([share, , words]) => share > 0 && words);
	return parts.length > 0 && element("figure", { class: "cost" },
		element("div", { class: "bar", role: "img", "aria-label": parts.map(([, , words]) => words).join("; ") }, parts.map(([share, kind]) =>
			element("span", { class: kind, style: { width: `${100 * share}%` } }))),
		element("figcaption", {}, element("ul", { class: "legend" }, parts.map(([share, kind, words]) =>
			element("li", {}, element("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), /^[\d.]+ %/.test(words) ? [element("b", {}, words.match(/^[\d.]+ %/)[0]), words.replace(/^[\d.]+ %/, "")] : `${percent(share)} ${words}`)))));
}

// The lines around the place of a finding, as far as this page has them.
function excerptOf({ path, line }) {
	const source = path && model.sources.get(path), part = source && source.parts.find((one) => line >= one.line && line < one.line + one.text.length);
	if (!part)
		return [];
	const first = Math.max(part.line, line - EXCERPT), last = Math.min(part.line + part.text.length - 1, line + EXCERPT);
	return part.text.slice(first - part.line, last - part.line + 1).map((text, at) => [first + at, text]);
}

function excerpt(place, files) {
	const lines = excerptOf(place), file = files.find(({ path }) => path === place.path);
	if (!lines.length)
		return place.path ? element("p", { class: "hint" }, `The source of ${baseName(place.path)} was not found when this page was made; --source DIR adds a directory to search.`)
			: element("p", { class: "hint" }, "The line is not known: the program has no debug information (-g), or it is not here.");
	const indent = Math.min(...lines.filter(([, text]) => text.trim()).map(([, text]) => text.match(/^\s*/)[0].length));
	return box(`Source around ${baseName(place.path)}:${place.line}`, element("table", { class: "source" }, element("caption", { class: "hidden" }, `${place.path}, with samples by line`),
		element("thead", { class: "hidden" }, element("tr", {}, ["Samples", "Line", "Text"].map((text) => element("th", { scope: "col" }, text)))),
		element("tbody", {}, lines.map(([number, text]) => {
			const samples = file && file.lines.get(number);
			return element("tr", { class: number === place.line ? "hot" : null, style: number === place.line ? heat(1) : null },
				element("td", { class: "number", title: samples ? plural(samples.count, "sample") : null }, samples ? count(samples.count) : ""), element("th", { scope: "row", class: "number" }, String(number)), element("td", { class: "code" }, text.slice(indent)));
		}))));
}

// The picture of the variable with most samples of a finding: that of the process that shows it, if there are several.
function heatmapOfFinding({ variables, evidence }) {
	const alike = (one) => heatmapList().filter(({ segment, name, site }) => segment === one.segment && name === one.variable && (!one.site || !site || site === one.site));
	const found = (variables || []).map(alike).find((list) => list.length) || [];
	return found.find(({ pid }) => evidence && pid === evidence.pid) || found[0];
}

// The home of each bin of addresses, and the accesses of each node there to its own pages and to those of others.
function pagesByNode(heatmap) {
	const homes = new Map(), nodes = new Map();
	for (const [bin, , node, home, samples] of heatmap.spots) {
		if (!homes.has(bin))
			homes.set(bin, new Map());
		addInto(homes.get(bin), home, samples);
		if (!nodes.has(node))
			nodes.set(node, new Map());
		const cell = nodes.get(node).get(bin) || { own: 0, away: 0 };
		cell[home === node || home === null ? "own" : "away"] += samples;
		nodes.get(node).set(bin, cell);
	}
	return { homes: [...homes].map(([bin, of]) => [bin, nodeClass([...of].sort((a, b) => b[1] - a[1])[0][0])]), nodes: [...nodes].sort(([a], [b]) => compareNodes(a, b)) };
}

// A row of the map; bins of the same kind side by side are one rectangle.
function mapRow(cells, row) {
	const runs = [];
	for (const [bin, kind] of [...cells].sort(([a], [b]) => a - b)) {
		const last = runs[runs.length - 1];
		if (last && last.kind === kind && last.to === bin)
			last.to = bin + 1;
		else
			runs.push({ kind, from: bin, to: bin + 1 });
	}
	return runs.map(({ kind, from, to }) => drawing("rect", { class: kind, x: String(from), y: String(row * MAP_ROW + 1), width: String(to - from), height: String(MAP_ROW - 2) }));
}

function pageMap(finding) {
	const heatmap = heatmapOfFinding(finding);
	if (!heatmap)
		return null;
	const { homes, nodes } = pagesByNode(heatmap), at = heatmapList().indexOf(heatmap), bins = binsOf(heatmap);
	const totals = (cells, kind) => sum([...cells.values()], (cell) => cell[kind]);
	const words = nodes.map(([node, cells]) => `${nodeName(node)}: ${count(totals(cells, "own"))} of its own pages, ${count(totals(cells, "away"))} of other nodes'`).join("; ");
	const rows = [mapRow(homes, 0), ...nodes.map(([, cells], row) => mapRow([...cells].map(([bin, cell]) => [bin, cell.away && cell.away >= cell.own ? "away" : "own"]), row + 1))];
	return element("figure", { class: "map" },
		element("figcaption", {}, "Pages of ", element("a", { href: `#heatmap/${at}` }, element("code", {}, breakable(heatmap.name))), `, ${memory(span(heatmap.low, heatmap.high) + 1)}, from left to right`),
		element("div", { class: "labelled" },
			labelsOf("rows-of", ["node of the page", ...nodes.map(([node]) => `accesses from ${nodeName(node)}`)], MAP_LABELS),
			drawing("svg", { viewBox: `0 0 ${bins} ${rows.length * MAP_ROW}`, preserveAspectRatio: "none", role: "img", style: { height: `${1.3 * rows.length}rem` }, "aria-label": `Samples of ${heatmap.name}. ${words}` }, rows)),
		element("ul", { class: "legend" }, [...new Set(homes.map(([, kind]) => kind))].sort().map((kind) => element("li", {}, element("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), kind.replace("-", " "))),
			[["own", "access to an own page"], ["away", "to another node's page"]].map(([kind, text]) => element("li", {}, element("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), text))));
}

const MAP_LABELS = 17;

function causeCard(files, saving, [finding, cause, number]) {
	const evidence = finding.evidence || {};
	return element("li", { class: "cause" },
		element("div", { class: "said" },
			element("h3", {}, element("span", { class: "rank" }, String(number)), evidence.line ? element("a", { href: lineLink(evidence.path, evidence.line) }, breakable(cause.place)) : cause.place),
			element("p", { class: "saving" }, element("b", {}, cause.saving), saving && ` ${saving}`),
			cause.share !== null && element("span", { class: "bar", "aria-hidden": "true" }, element("span", { class: "bad", style: { width: `${Math.min(100, 100 * cause.share)}%` } })),
			element("p", {}, ending(capital(cause.problem), ".")),
			element("p", { class: "of" }, findingVariables(finding, CAUSE_VARIABLES), model.byKey.has(findingKeys(finding)[0]) && [" ", variableButton(model.byKey.get(findingKeys(finding)[0]))]),
			element("p", { class: "advice" }, ending(capital(cause.remedy), "."))),
		element("div", { class: "shown" }, excerpt(evidence, files), pageMap(finding)));
}

function answerCauses(report, answer) {
	const findings = report.findings || [], files = chosenFiles(), shown = findings.map((finding, at) => [finding, answer.causes[at], at + 1]).filter(([finding]) => findingShown(finding));
	if (!findings.length)
		return [element("p", { class: "none" }, breakable(answer.none)), answer.unexplained && element("p", {}, breakable(ending(answer.unexplained, ".")))];
	if (!shown.length)
		return [element("p", { class: "none" }, `No cause is of ${Object.values(CHOICES).filter(({ is }) => is()).map(({ words }) => words()).join(", ")}.`)];
	return [element("h3", { class: "causes-title" }, shown.length > CAUSES ? `The first ${CAUSES} of ${count(shown.length)} causes` : plural(shown.length, "cause")),
		element("ol", { class: "causes" }, shown.slice(0, CAUSES).map((one) => causeCard(files, answer.saving, one))),
		answer.unexplained && element("p", {}, breakable(ending(answer.unexplained, "."))),
		element("p", { class: "hint" }, element("a", { href: "#findings" }, shown.length > CAUSES ? `All ${count(shown.length)}, with their evidence` : shown.length === 1 ? "Its evidence" : "Their evidence"))];
}

function showAnswer(report) {
	const { answer } = report;
	if (!answer)
		return;
	const [statement, reason] = verdictParts(answer.verdict);
	fill("answer", STATEMENTS[statement] || capital(statement),
		element("p", { class: "lead" }, breakable(answer.sentence), reason && ` ${capital(ending(reason, "."))}`), costBar(answer),
		answer.limits.length > 0 && element("ul", { class: "limits" }, answer.limits.map((text) => element("li", {}, breakable(text)))),
		answerCauses(report, answer));
}
