import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { inRoot } from "#server/cli/bootstrap/paths.mjs";
import { aReadyAppliance, applianceEnv } from "#server/testing/start-appliance.ts";

import { cpuMs, ownCpuMs } from "./cpu.ts";
import { median, reportFindings } from "./summary.ts";

// Measures the wall and CPU time of commands beside a running appliance, and of the commands of Dovecot and Postfix, in alternating
// rounds.
const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "9" } } });

const ours = (...args: string[]): [string, ...string[]] => [
  process.execPath,
  "--disable-warning=ExperimentalWarning",
  inRoot("server/cli/bootstrap/run-posthouse.mjs"),
  ...args,
];
const COMMANDS: [string, ...string[]][] = [
  ours("version"),
  ours("settings", "list"),
  ours("ledger"),
  ["doveadm", "config"],
  ["postconf"],
];

const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
const appliance = await aReadyAppliance(await applianceEnv(join(folder, "data")));
try {
  const measured = COMMANDS.map((command) => ({ command, rounds: [] as Usage[] }));
  // The first round fills caches, and doesn't count.
  for (let round = 0; round <= Number(options.rounds); round++)
    for (const { command, rounds } of measured) {
      const usage = await run(command);
      if (round > 0) rounds.push(usage);
    }
  console.table(
    measured.map(({ command, rounds }) => ({
      command: command.filter((part) => !/^[/-]/.test(part)).join(" ") || "posthouse",
      "wall ms, median": wallMs(rounds),
      "wall ms, fastest": Math.round(Math.min(...rounds.map(({ wallMs }) => wallMs))),
      "CPU ms, mean": Math.round(
        rounds.reduce((sum, { cpuMs: each }) => sum + each, 0) / rounds.length,
      ),
    })),
  );
  const own = measured.filter(({ command: [program] }) => program === process.execPath);
  reportFindings([
    {
      what: "slowest command",
      unit: "ms",
      measured: Math.max(...own.map(({ rounds }) => wallMs(rounds))),
      atMost: 300,
    },
  ]);
} finally {
  await appliance.stop();
  await rm(folder, { recursive: true, force: true });
}

type Usage = { wallMs: number; cpuMs: number };

async function run([command, ...args]: [string, ...string[]]): Promise<Usage> {
  const cpuOfChildren = () => cpuMs(process.pid) - ownCpuMs(process.pid) - cpuOfAppliance();
  const before = cpuOfChildren();
  const startedAt = performance.now();
  const child = spawn(command, args, { env: appliance.env, stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number | null];
  const wallMs = performance.now() - startedAt;
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} exited with ${String(code)}`);
  return { wallMs, cpuMs: cpuOfChildren() - before };
}

/** The appliance is a child of this process, too. */
function cpuOfAppliance(): number {
  return cpuMs(appliance.process.pid!);
}

function wallMs(rounds: Usage[]): number {
  return Math.round(median(rounds.map(({ wallMs: each }) => each)));
}
