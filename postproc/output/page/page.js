// SPDX-License-Identifier: BSD-3-Clause
// Begins when everything else is there: draws all parts, and follows links inside the page.
"use strict";

function showContents() {
	const titles = [...document.querySelectorAll("main > section")].filter((section) => !section.hidden && section.querySelector("h2") && section.id !== "notes");
	byId("contents").replaceChildren(element("ul", {}, titles.map((section) =>
		element("li", {}, element("a", { href: `#${section.id}` }, section.querySelector("h2").textContent)))));
}

// Links are places in the page, so that the browser's own Back leads back.
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

// A part that fails is not to take what stands below it along, nor to look as if there were nothing to say.
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
	for (const show of [showHead, showNotes, showFindings, showTraffic, showTimeline, showContext, showVariables, showHeatmaps, showSource, showThreads, showBooks, showRun])
		showPart(show, report);
	showContents();
	addEventListener("hashchange", follow);
	// A link to where the page is already.
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
