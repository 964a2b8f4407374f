import { execFileSync, spawn } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

import { aFreePort } from "#server/testing/a-free-port.ts";
import { aReadyAppliance, applianceEnv } from "#server/testing/start-appliance.ts";

import { startPostfix, untilListening } from "./postfix-peer.ts";
import { familyMemory, type Memory } from "./process-memory.ts";
import { children, endChildren } from "./start-child.ts";

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
    postfix: await aPostfix(join(folder, "postfix")),
    dovecot: await aDovecot(join(folder, "dovecot")),
    postgres: await aPostgres(join(folder, "postgres")),
  };
  await delay(Number(options.settle) * 1_000);
  const measured = await measure(families);
  console.table(Object.values(measured).flat());
  const [own, peers] = [
    measured.posthouse,
    [...measured.postfix, ...measured.dovecot, ...measured.postgres],
  ];
  console.log(`Posthouse: ${summary(own)}\nPostfix, Dovecot and Postgres: ${summary(peers)}`);
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
  const sum = (name: "CPU %" | "switches/s" | "PSS MB") =>
    round(usages.reduce((total, usage) => total + usage[name], 0));
  return `${sum("CPU %")} % of a core, ${sum("switches/s")} context switches per second, ${sum("PSS MB")} MB`;
}

async function aPostfix(home: string): Promise<number> {
  const port = await aFreePort();
  const user = { name: "postfix", uid: idOf("postfix") };
  return (await startPostfix({ folder: home, port, user, settings: {} })).pid!;
}

async function aDovecot(home: string): Promise<number> {
  const port = await aFreePort();
  await mkdir(home);
  const conf = join(home, "dovecot.conf");
  await writeFile(
    conf,
    `protocols = imap
listen = 127.0.0.1
base_dir = ${home}/run
state_dir = ${home}/state
log_path = /dev/null
ssl = no
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
passdb {
  driver = static
  args = nopassword=y
}
userdb {
  driver = static
  args = uid=dovecot gid=dovecot home=${home}/mail
}
`,
  );
  return start("dovecot", ["-F", "-c", conf], port);
}

async function aPostgres(home: string): Promise<number> {
  const port = await aFreePort();
  const [version] = await readdir("/usr/lib/postgresql");
  const bin = `/usr/lib/postgresql/${version!}/bin`;
  await mkdir(home);
  await chown(home, idOf("postgres"), 0);
  const asPostgres = ["--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--"];
  execFileSync("setpriv", [...asPostgres, `${bin}/initdb`, "-D", `${home}/data`], { cwd: "/" });
  const args = ["-D", `${home}/data`, "-p", String(port), "-k", home];
  return start("setpriv", [...asPostgres, `${bin}/postgres`, ...args], port);
}

async function start(command: string, args: string[], port: number): Promise<number> {
  const child = spawn(command, args, { cwd: "/", stdio: "ignore" });
  children.push(child);
  await untilListening(port);
  return child.pid!;
}

function idOf(user: string): number {
  return Number(execFileSync("id", ["-u", user]).toString());
}
