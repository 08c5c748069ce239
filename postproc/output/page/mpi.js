// SPDX-License-Identifier: BSD-3-Clause
// What MPI ranks wait for, and their I/O: findings, the ranks that wait most, functions and files.
"use strict";

const MPI_ROWS = 32;

// The time waited, or "?" if it is not known of any wait.
function mpiWaited(sums) {
	return sums.waits && !sums.known ? "?" : seconds(sums.waited_ns);
}

// `io`: any rank has I/O.
function mpiRank(rank, io) {
	const part = (ns) => rank.ns ? percent(ns / rank.ns) : "?";
	return [`rank ${rank.rank}`, part(Math.max(rank.ns - rank.mpi_ns - (rank.io_ns || 0), 0)), part(rank.mpi_ns), ...(io ? [part(rank.io_ns)] : []), rank.waits && !rank.known ? "?" : part(rank.waited_ns),
		plainBar(rank.ns ? Math.min(rank.waited_ns / rank.ns, 1) : 0), seconds(rank.mpi_ns), count(rank.calls), bytes(rank.sent_bytes), bytes(rank.received_bytes),
		...(io ? [bytes(rank.written_bytes), bytes(rank.read_bytes)] : [])];
}

function mpiCall(call) {
	return [breakable(call.function), breakable(call.region || (call.sampled ? "" : "(not sampled)")), seconds(call.mpi_ns), mpiWaited(call),
		count(call.calls), bytes(call.sent_bytes), bytes(call.received_bytes), count(call.ranks)];
}

function ioSums(sums) {
	return [seconds(sums.io_ns), count(sums.io_calls), bytes(sums.written_bytes), bytes(sums.read_bytes), count(sums.ranks)];
}

function ioCall(call) {
	return [breakable(call.function), breakable(call.region || (call.sampled ? "" : "(not sampled)")), ...ioSums(call)];
}

function ioTable(title, heads, rows) {
	return rows.length ? table(title, [...heads.map((head) => [head, "text"]), ["In I/O", "number"], ["Calls", "number"], ["Written", "number"], ["Read", "number"],
		["Ranks", "number", "with such calls"]], rows) : null;
}

function showMpi(report) {
	const { ranks = [], calls = [], io_calls: ioCalls = [], files = [], findings = [], rank_count: rankCount, unknown } = report.mpi || {};
	if (!ranks.length)
		return;
	const io = ioCalls.length > 0;
	const shown = ranks.filter(({ rank }) => job.showsRank(rank)), most = [...shown].sort((a, b) => b.waited_ns - a.waited_ns || a.rank - b.rank).slice(0, MPI_ROWS);
	fill("mpi", io ? "MPI and I/O" : "MPI ranks",
		findings.filter((finding) => [finding.late, ...finding.ranks || []].some((rank) => rank !== null && job.showsRank(rank))).map((finding) => element("p", { class: "lead" }, `${finding.pattern}: ${finding.what}.`)),
		unknown ? element("p", { class: "hint" }, `The time waited is not known of ${plural(unknown, "message or collective call", "messages and collective calls")}.`) : null,
		shown.length < chosen.ranks.size && element("p", { class: "hint" }, `Of ${plural(rankCount, "rank")}, this page has the ${count(ranks.length)} that wait most; ${shown.length ? "not all" : "none"} of the selected ranks ${shown.length ? "are" : "is"} among them.`),
		table(chosen.ranks.size ? "Selected ranks, those that wait most first" : most.length < rankCount ? `The ${most.length} ranks that wait most, of ${count(rankCount)}` : "Ranks, those that wait most first", [
			["Rank", "text"], ["Compute", "number"], ["MPI", "number", "share of its time"], ...(io ? [["I/O", "number", "share of its time"]] : []), ["Waiting", "number", "for other ranks, a part of the time in MPI"], ["Of its time", "text"],
			["In MPI", "number"], ["Calls", "number"], ["Sent", "number"], ["Received", "number"], ...(io ? [["Written", "number"], ["Read", "number"]] : [])], most.map((rank) => mpiRank(rank, io))),
		table("Functions, those with most time first", [
			["Function", "text"], ["Region", "text"], ["In MPI", "number"], ["Waited", "number", "for other ranks"], ["Calls", "number"], ["Sent", "number"], ["Received", "number"],
			["Ranks", "number", "that call it"]], calls.slice(0, MPI_ROWS).map(mpiCall)),
		ioTable("I/O functions, those with most time first", ["Function", "Region"], ioCalls.slice(0, MPI_ROWS).map(ioCall)),
		ioTable("Files, those with most time first", ["File"], files.slice(0, MPI_ROWS).map((file) => [breakable(file.file || "(none or unknown)"), ...ioSums(file)])));
}
