// SPDX-License-Identifier: BSD-3-Clause
// Runs last: draws all parts of the page, and follows its internal links.
"use strict";

function showContents() {
	const titles = [...document.querySelectorAll("main > section")].filter((section) => !section.hidden && section.querySelector("h2") && section.id !== "notes");
	byId("contents").replaceChildren(element("ul", {}, titles.map((section) =>
		element("li", {}, element("a", { href: `#${section.id}` }, section.querySelector("h2").textContent)))));
}

// Internal links are URL fragments, so that the browser's Back button works.
const PLACES = {
	variable: (key) => goToVariable(decodeURIComponent(key)),
	line: (number, path) => goToLine(number, decodeURIComponent(path)),
	heatmap: (at) => goToHeatmap(Number(at))
};

function follow() {
	const [kind, ...rest] = location.hash.slice(1).split("/");
	if (Object.hasOwn(PLACES, kind) && rest.length)
		PLACES[kind](...rest);
}

// If a part can't be drawn, the notes show the error, and the other parts are still drawn.
function showPart(show, report) {
	try {
		show(report);
	} catch (error) {
		console.error(error);
		const section = byId("notes"), text = `A part of this page could not be drawn (${show.name}: ${error}); memphis report without --format has its numbers.`;
		section.hidden = false;
		section.append(element("p", { class: "failed" }, text));
	}
}

function start() {
	const report = JSON.parse(byId("report-data").textContent);
	model.open(report, JSON.parse(byId("sources-data").textContent));
	for (const show of [showHead, showNotes, showFindings, showTraffic, showRanks, showTimeline, showRegions, showMpi, showContext, showWaiting, showVariables, showCallers, showHeatmaps, showSource, showThreads, showAccounting, showRun])
		showPart(show, report);
	showContents();
	addEventListener("hashchange", follow);
	// A click on a link to the current fragment causes no hashchange event.
	document.addEventListener("click", (event) => {
		const link = event.target.closest("a[href]");
		if (link && link.getAttribute("href") === location.hash)
			follow();
	});
	for (const query of ["print", "(prefers-color-scheme: dark)"])
		matchMedia(query).addEventListener("change", redrawPictures);
	follow();
}

start();
