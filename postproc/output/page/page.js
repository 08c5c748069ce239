// SPDX-License-Identifier: BSD-3-Clause
// Runs last: draws all parts of the page, and follows its internal links.
"use strict";

// Names of sections in the bar, where the titles are longer.
const SHORT = { answer: "Answer", traffic: "Nodes", timeline: "Time", bandwidth: "Bandwidth", regions: "Regions", mpi: "MPI", waiting: "Waiting", callers: "Callers", heatmaps: "Pages", sharing: "Sharing" };

function showContents() {
	const titles = [...document.querySelectorAll("main > section")].filter((section) => !section.hidden && section.querySelector("h2") && section.id !== "failures");
	byId("contents").replaceChildren(element("ul", {}, titles.map((section) =>
		element("li", {}, element("a", { href: `#${section.id}` }, SHORT[section.id] || section.querySelector("h2").textContent)))));
}

// Internal links are URL fragments, so that the browser's Back button works.
const PLACES = {
	variable: (key) => goToVariable(decodeURIComponent(key)),
	line: (number, path) => goToLine(number, decodeURIComponent(path)),
	heatmap: (at) => goToHeatmap(Number(at))
};

function goTo(place, words) {
	const [kind, ...rest] = place.split("/");
	if (Object.hasOwn(PLACES, kind) && rest.length) {
		PLACES[kind](...rest);
	} else if (words && kind && document.querySelector("main").contains(byId(kind))) {
		// The browser itself finds a place only if nothing follows its name.
		byId(kind).scrollIntoView();
		byId(kind).focus({ preventScroll: true });
	}
}

let placeShown = null;

// Shows what the address describes: the view, and then the place, if it is another one or `again` is set.
function follow(again) {
	const [place, words] = partsOf(location.hash.slice(1));
	if (words !== viewWords())
		readView(words);
	if (again || place !== placeShown)
		goTo(place, words);
	placeShown = place;
}

// A link inside the page keeps the view.
function followLink(event) {
	const link = event.target.closest("a[href^='#']");
	if (!link || event.ctrlKey || event.metaKey || event.shiftKey)
		return;
	event.preventDefault();
	const to = fragmentOf(link.getAttribute("href").slice(1));
	// The same address again causes no hashchange event.
	if (to === location.hash)
		follow(true);
	else
		location.hash = to;
}

const DEPENDENT = [showAnswer, showFindings, showTraffic, markRanks, showCompare, showTimeline, showBandwidth, showMpi, showCounters, showWaiting, updateVariables, showCallers, showHeatmaps, showSource, showThreads, showSharing, showAccounting, showRun, showScopes, showContents];

// Draws all that depends on what is chosen.
function showChosen() {
	const active = document.activeElement, inside = active && active.closest("section[id]"), place = inside ? focusable(inside).indexOf(active) : -1;
	DEPENDENT.forEach((show) => showPart(show, model.report));
	// A section that was drawn again has lost the focus.
	if (place >= 0 && !active.isConnected)
		(focusable(inside)[place] || inside).focus({ preventScroll: true });
}

function focusable(section) {
	return [...section.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")];
}

// If a part can't be drawn, the top of the page shows the error, and the other parts are still drawn.
function showPart(show, report) {
	try {
		show(report);
	} catch (error) {
		console.error(error);
		const section = byId("failures"), text = `A part of this page could not be drawn (${show.name}: ${error}); memphis report without --format has its numbers.`;
		section.hidden = false;
		section.append(element("p", { class: "failed" }, text));
	}
}

function start() {
	const [report, sources, columns] = ["report", "sources", "columns"].map((name) => JSON.parse(byId(`${name}-data`).textContent));
	model.open(report, sources, columns);
	job.open(report);
	for (const show of [showHead, showAnswer, showNotes, showFindings, showTraffic, showRanks, showCompare, showTimeline, showBandwidth, showRegions, showMpi, showCounters, showWaiting, showVariables, showCallers, showHeatmaps, showSource, showThreads, showSharing, showAccounting, showRun])
		showPart(show, report);
	showContents();
	addEventListener("hashchange", () => follow(false));
	document.addEventListener("click", followLink);
	for (const query of ["print", "(prefers-color-scheme: dark)"])
		matchMedia(query).addEventListener("change", redrawPictures);
	follow(false);
}

start();
