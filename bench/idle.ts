import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

import { aReadyAppliance, applianceEnv } from "#server/testing/start-appliance.ts";

import { startDebianPeers } from "./debian-peers.ts";
import { familyMemory, type Memory } from "./process-memory.ts";
import { endChildren } from "./start-child.ts";
import { reportFindings } from "./summary.ts";

// Measures what a new appliance uses while it does nothing, beside Debian's Postfix, Dovecot and Postgres, all at the same time.
const { values: options } = parseArgs({
  options: {
    /** Seconds between the start and the measurement, so that start-up work and first checks have finished. */
    settle: { type: "string", default: "90" },
    seconds: { type: "string", default: "120" },
  },
});

const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
await chmod(folder, 0o755);
const appliance = await aReadyAppliance(await applianceEnv(join(folder, "data")));
try {
  const families = {
    posthouse: appliance.process.pid!,
    ...(await startDebianPeers(folder)),
  };
  await delay(Number(options.settle) * 1_000);
  const measured = await measure(families);
  console.table(Object.values(measured).flat());
  const [own, peers] = [
    measured.posthouse,
    [...measured.postfix, ...measured.dovecot, ...measured.postgres],
  ];
  console.log(`Posthouse: ${summary(own)}\nPostfix, Dovecot and Postgres: ${summary(peers)}`);
  reportFindings([
    { what: "idle CPU", unit: "% of a core", measured: sum(own, "CPU %"), atMost: 1 },
  ]);
} finally {
  await appliance.stop();
  await endChildren("SIGTERM");
  await rm(folder, { recursive: true, force: true });
}

type Usage = {
  of: string;
  process: string;
  "CPU %": number;
  "switches/s": number;
  "PSS MB": number;
};

async function measure<Name extends string>(
  families: Record<Name, number>,
): Promise<Record<Name, Usage[]>> {
  const read = () =>
    Object.entries<number>(families).map(([of, pid]) => [of, familyMemory(pid).processes] as const);
  const [before, startedAt] = [read(), performance.now()];
  await delay(Number(options.seconds) * 1_000);
  const [after, seconds] = [read(), (performance.now() - startedAt) / 1_000];
  const usages = after.map(([of, kinds], at) => [
    of,
    kinds.map((kind) => usageOf(kind, { of, seconds, before: before[at]![1] })),
  ]);
  return Object.fromEntries(usages) as Record<Name, Usage[]>;
}

function usageOf(
  kind: Memory,
  { of, seconds, before }: { of: string; seconds: number; before: Memory[] },
): Usage {
  const earlier = before.find(({ process }) => process === kind.process);
  return {
    of,
    process: `${kind.count} ${kind.process}`,
    "CPU %": round((kind.cpuMs - (earlier?.cpuMs ?? 0)) / seconds / 10),
    "switches/s": round((kind.switches - (earlier?.switches ?? 0)) / seconds),
    "PSS MB": round(kind.pssMb),
  };
}

function round(value: number): number {
  return Number(value.toFixed(2));
}

function summary(usages: Usage[]): string {
  return `${sum(usages, "CPU %")} % of a core, ${sum(usages, "switches/s")} context switches per second, ${sum(usages, "PSS MB")} MB`;
}

function sum(usages: Usage[], name: "CPU %" | "switches/s" | "PSS MB"): number {
  return round(usages.reduce((total, usage) => total + usage[name], 0));
}
