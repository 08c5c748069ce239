// SPDX-License-Identifier: BSD-3-Clause
// Worker threads, the thread pool, and processes of Node.js.
const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");
const { execFileSync } = require("child_process");
const crypto = require("crypto");

if (!isMainThread) {
	parentPort.postMessage(Array.from({ length: 1000 }, (_, i) => i * workerData).reduce((a, b) => a + b));
} else {
	const workers = [1, 2, 3].map((n) => new Promise((done) => new Worker(__filename, { workerData: n }).on("message", done)));
	const keys = [1, 2, 3, 4].map((n) => new Promise((done) => crypto.pbkdf2("a", "b" + n, 1000, 8, "sha256", (_, key) => done(key.toString("hex")))));

	Promise.all([...workers, ...keys]).then((results) => {
		console.log(results.join(" "));
		console.log(execFileSync("sh", ["-c", "echo child"]).toString());
		process.exitCode = 5;
	});
}
