// SPDX-License-Identifier: BSD-3-Clause
// What MPI ranks wait for: findings, the ranks that wait most, and the functions in which they do.
"use strict";

const MPI_ROWS = 32;

// The time waited, or "?" if it is not known of any wait.
function mpiWaited(sums) {
	return sums.waits && !sums.known ? "?" : seconds(sums.waited_ns);
}

function mpiRank(rank) {
	const part = (ns) => rank.ns ? percent(ns / rank.ns) : "?";
	return [`rank ${rank.rank}`, part(Math.max(rank.ns - rank.mpi_ns, 0)), part(rank.mpi_ns), rank.waits && !rank.known ? "?" : part(rank.waited_ns),
		plainBar(rank.ns ? Math.min(rank.waited_ns / rank.ns, 1) : 0), seconds(rank.mpi_ns), count(rank.calls), bytes(rank.sent_bytes), bytes(rank.received_bytes)];
}

function mpiCall(call) {
	return [breakable(call.function), breakable(call.region || (call.sampled ? "" : "(not sampled)")), seconds(call.mpi_ns), mpiWaited(call),
		count(call.calls), bytes(call.sent_bytes), bytes(call.received_bytes), count(call.ranks)];
}

function showMpi(report) {
	const { ranks = [], calls = [], findings = [], rank_count: rankCount, unknown } = report.mpi || {};
	if (!ranks.length)
		return;
	const shown = ranks.filter(({ rank }) => job.showsRank(rank)), most = [...shown].sort((a, b) => b.waited_ns - a.waited_ns || a.rank - b.rank).slice(0, MPI_ROWS);
	fill("mpi", "MPI ranks",
		findings.filter((finding) => [finding.late, ...finding.ranks || []].some((rank) => rank !== null && job.showsRank(rank))).map((finding) => element("p", { class: "lead" }, `${finding.pattern}: ${finding.what}.`)),
		unknown ? element("p", { class: "hint" }, `The time waited is not known of ${plural(unknown, "message or collective call", "messages and collective calls")}.`) : null,
		shown.length < chosen.ranks.size && element("p", { class: "hint" }, `Of ${plural(rankCount, "rank")}, this page has the ${count(ranks.length)} that wait most; ${shown.length ? "not all" : "none"} of the selected ranks ${shown.length ? "are" : "is"} among them.`),
		table(chosen.ranks.size ? "Selected ranks, those that wait most first" : most.length < rankCount ? `The ${most.length} ranks that wait most, of ${count(rankCount)}` : "Ranks, those that wait most first", [
			["Rank", "text"], ["Compute", "number"], ["MPI", "number", "share of its time"], ["Waiting", "number", "for other ranks, a part of the time in MPI"], ["", "text"],
			["In MPI", "number"], ["Calls", "number"], ["Sent", "number"], ["Received", "number"]], most.map(mpiRank)),
		table("Functions, those with most time first", [
			["Function", "text"], ["Region", "text"], ["In MPI", "number"], ["Waited", "number", "for other ranks"], ["Calls", "number"], ["Sent", "number"], ["Received", "number"],
			["Ranks", "number", "that call it"]], calls.slice(0, MPI_ROWS).map(mpiCall)));
}
