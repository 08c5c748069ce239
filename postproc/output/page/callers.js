// SPDX-License-Identifier: BSD-3-Clause
// Samples in libraries by the calls that led to them, the program's outermost function at the top.
"use strict";

const CALL_HEIGHT = 20, CALL_SHARE_LEAST = 0.002; // of a call that is drawn; narrower ones are in the text only

// The chains of all instructions in the report, outermost call first, each ending with the library's function.
function chainsOfReport() {
	const chains = [];
	for (const variable of chosenTables() === model.tables ? model.variables : gather(chosenTables()))
		for (const item of variable.instructions())
			for (const chain of item.chains)
				chains.push({ count: chain.count, frames: [...chain.frames].reverse().concat(item.row.callers.via ? [{ function: item.row.callers.via, via: true }] : []) });
	return chains;
}

function callWords(node, all) {
	const { frame } = node, file = frame.path || frame.object;
	return `${frame.function || "?"}${file ? ` (${baseName(file)})` : ""}: ${plural(node.count, "sample")}, ${percent(node.count / all)}`;
}

// Draws a call as a box, and the calls that it led to below it. `left` is a share of the picture's width.
function callBoxes(node, all, left, depth, made) {
	let at = left;
	for (const child of [...node.children.values()].sort((a, b) => b.count - a.count)) {
		const share = child.count / all;
		if (share >= CALL_SHARE_LEAST) {
			made.depth = Math.max(made.depth, depth + 1);
			made.boxes.push(drawing("svg", { x: `${100 * at}%`, y: String(depth * CALL_HEIGHT), class: child.frame.via ? "call via" : child.frame.program ? "call program" : "call",
				width: `${100 * share}%`, height: String(CALL_HEIGHT - 1) },
			drawing("title", {}, callWords(child, all)), drawing("rect", { width: "100%", height: "100%" }),
			drawing("text", { x: "4", y: "14" }, child.frame.function || "?")));
			callBoxes(child, all, at, depth + 1, made);
		}
		at += share;
	}
	return made;
}

function showCallers() {
	const chains = chainsOfReport();
	if (!chains.length) {
		if (!byId("callers").hidden)
			fill("callers", "Calls into libraries", element("p", {}, "There is no sample here."));
		return;
	}
	const tree = callTree(chains, (frame) => `${frame.object} ${frame.path} ${frame.function || frame.line}`), made = callBoxes(tree, tree.count, 0, 0, { boxes: [], depth: 0 });
	fill("callers", "Calls into libraries",
		element("p", { class: "hint" }, `${plural(tree.count, "selected sample")} in libraries by the calls of the program that led to them: below a function are those that it called; the width is the share of the samples.`),
		drawing("svg", { class: "flame", role: "img", "aria-label": "Calls that led to samples in libraries; the list below has the same as text.",
			style: { height: `${made.depth * CALL_HEIGHT}px` } }, made.boxes),
		lazyFold("The same as text", () => [callList(callTree(chains))]));
}
