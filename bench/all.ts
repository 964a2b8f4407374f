import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import type { Finding } from "./summary.ts";

// Runs the benches below, one after the other, and prints their results next to the aims. With `--summary`, each takes a few
// minutes at most: fewer rounds, and less data for reads and the console.
const { values: options } = parseArgs({
  options: {
    summary: { type: "boolean", default: false },
    /** Names of benches, separated by commas. */
    only: { type: "string" },
  },
});

/** The benches, with the options of a short run. */
const BENCHES: Record<string, string[]> = {
  idle: ["--settle", "60", "--seconds", "60"],
  memory: [],
  cli: ["--rounds", "5"],
  send: ["--emails", "10000", "--peer-emails", "2000"],
  inbound: ["--messages", "2000", "--idle", "1"],
  accept: ["--rounds", "3"],
  webhooks: ["--singles", "20"],
  console: ["--emails", "200000", "--loads", "9"],
  reads: ["--many", "1000000", "--requests", "200"],
  mailboxes: ["--requests", "20", "--imported", "500"],
};

const chosen = options.only?.split(",") ?? Object.keys(BENCHES);
for (const name of chosen)
  if (!BENCHES[name]) throw new Error(`${name} isn't one of ${Object.keys(BENCHES).join(", ")}`);
const rows: object[] = [];
let running: ChildProcess | undefined;
const stopping = new AbortController();
process.once("SIGTERM", () => {
  stopping.abort();
  running?.kill();
});
for (const name of chosen) {
  if (stopping.signal.aborted) rows.push(failure(name, "not run"));
  else await run(name, options.summary ? BENCHES[name]! : []);
}
console.log(`\n${cpus().length} × ${cpus()[0]!.model}, ${new Date().toISOString()}`);
console.table(rows);

/** The output of a bench goes to standard error, so that standard output has the table only. */
async function run(name: string, args: string[]): Promise<void> {
  const startedAt = performance.now();
  running = fork(join(import.meta.dirname, `${name}.ts`), args, {
    stdio: ["ignore", 2, 2, "ipc"],
  });
  running.on("message", (message: { findings: Finding[] }) =>
    rows.push(...message.findings.map(toRow)),
  );
  // Follows the last message, unlike `exit`.
  const [code, signal] = (await once(running, "close")) as [number | null, NodeJS.Signals | null];
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.error(`bench:${name} took ${seconds} s`);
  if (code !== 0) rows.push(failure(name, signal ?? `exit code ${code}`));
}

/** The row of a bench that failed, maybe after it reported findings, or wasn't run. `memory` also fails if it misses an aim. */
function failure(name: string, measured: string) {
  process.exitCode = 1;
  return { what: `bench:${name}`, measured, reached: "no" };
}

function toRow(finding: Finding) {
  const { what, unit, measured } = finding;
  const [sign, aim] = "atMost" in finding ? ["≤", finding.atMost] : ["≥", finding.atLeast];
  return {
    what,
    aim: `${sign} ${aim} ${unit}`.trim(),
    measured: Number(measured.toPrecision(3)),
    "measured / aim": Number((measured / aim).toFixed(2)),
    reached: (sign === "≤" ? measured <= aim : measured >= aim) ? "yes" : "no",
  };
}
