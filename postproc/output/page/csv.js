// SPDX-License-Identifier: BSD-3-Clause
// Tables as CSV, as they are shown: with the filters and the order of the reader, and with the rows that are not drawn yet.
"use strict";

// The text of a cell: its bars by their description, its lines separated by spaces.
function cellText(made) {
	if (made.nodeType === Node.TEXT_NODE)
		return made.data;
	if (made.nodeType !== Node.ELEMENT_NODE || made.tagName === "DETAILS")
		return "";
	const text = made.classList.contains("bar") ? made.getAttribute("aria-label") || "" : [...made.childNodes].map(cellText).join("");
	return /^(SMALL|LI|P)$/.test(made.tagName) || made.matches(".origin, .tag, .accesses > span") ? ` ${text} ` : text;
}

// Numbers without separators of thousands. Programs for tables would compute texts that begin as formulas, and names come from untrusted files.
function csvField(made) {
	const text = cellText(made).replace(/\s+/g, " ").trim();
	if (/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text))
		return text.replaceAll(",", "");
	const safe = /^[=+@\t]|^-(?!\d)/.test(text) ? `'${text}` : text;
	return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csvRow(row) {
	return [...row.cells].map((cell) => csvField(cell) + ",".repeat(cell.colSpan - 1)).join(",");
}

function csvOf(shown) {
	const body = [...shown.tBodies[0].rows].filter((row) => !row.matches(".details, .more, .owners, .gap"));
	const rows = [...shown.tHead ? shown.tHead.rows : [], ...body, ...shown.tBodies[0].undrawn ? shown.tBodies[0].undrawn() : []];
	return rows.map((row) => `${csvRow(row)}\n`).join("");
}

async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		// Browsers offer the clipboard to pages of some addresses only.
		const field = element("textarea", { class: "hidden", "aria-hidden": "true" });
		field.value = text;
		document.body.append(field);
		field.select();
		const copied = document.execCommand("copy");
		field.remove();
		if (!copied)
			throw new Error("not copied");
	}
}

function copyButton(shown, label) {
	const button = element("button", { type: "button", class: "copy", "aria-label": `Copy as CSV: ${label}`, onclick: async () => {
		try {
			await copyText(csvOf(shown));
			button.textContent = "Copied";
		} catch {
			button.textContent = "The browser does not permit it";
		}
		button.focus();
	} }, "Copy as CSV");
	return button;
}
