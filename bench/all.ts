import { fork } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import type { Finding } from "./summary.ts";

// Runs every bench with an aim, one after the other, and prints what they found beside the aims. With `--summary`, each takes a few
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
  memory: ["--idle", "30"],
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
const findings: Finding[] = [];
for (const name of chosen) {
  const short = BENCHES[name];
  if (!short) throw new Error(`${name} isn't one of ${Object.keys(BENCHES).join(", ")}`);
  await run(name, options.summary ? short : []);
}
console.log(`\n${cpus().length} × ${cpus()[0]!.model}, ${new Date().toISOString()}`);
console.table(findings.map(toRow));

/** The output of a bench goes to standard error, so that standard output has the table only. */
async function run(name: string, args: string[]): Promise<void> {
  const startedAt = performance.now();
  const bench = fork(join(import.meta.dirname, `${name}.ts`), args, {
    stdio: ["ignore", 2, 2, "ipc"],
  });
  bench.on("message", (message: { findings: Finding[] }) => findings.push(...message.findings));
  process.once("SIGTERM", () => bench.kill());
  const [code] = (await once(bench, "exit")) as [number | null];
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.error(`bench:${name} took ${seconds} s`);
  if (code === 0) return;
  process.exitCode = 1;
  console.error(`bench:${name} failed`);
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
