import { randomInt } from "node:crypto";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { ensureBuild } from "#server/cli/bootstrap/next-build.mjs";
import { config } from "#server/config.ts";
import { closePool, db } from "#server/db/pool.ts";
import { runningPort, urlAt } from "#server/postgres/cluster.ts";
import { CERTIFICATE } from "#server/testing/self-signed.ts";
import { applianceEnv } from "#server/testing/start-appliance.ts";

import { createCompany } from "./chaos/company.ts";
import { checkTraffic } from "./chaos/check-traffic.ts";
import { superviseAppliance, type Target, TARGETS } from "./chaos/supervised-appliance.ts";
import { compareLedgers } from "./chaos/ledgers.ts";
import { startLoad } from "./chaos/load.ts";
import { startOutside } from "./chaos/outside.ts";
import { readMailboxes } from "./chaos/read-mailboxes.ts";
import { printReport } from "./chaos/report.ts";
import { killInTurn, type Round } from "./chaos/rounds.ts";
import { sendersOf } from "./chaos/senders.ts";
import { waitForEmptyQueues } from "./chaos/wait-for-empty-queues.ts";
import { newTraffic } from "./chaos/traffic.ts";
import { disableLimits } from "./disable-limits.ts";

// Kills processes of a whole appliance with kill -9 under mail load, then checks that everything accepted
// was delivered. See chaos/README.md.
const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "100" },
    seed: { type: "string", default: String(randomInt(1_000_000)) },
    only: { type: "string", default: TARGETS.join() },
    clients: { type: "string", default: "2" },
    pause: { type: "string", default: "120" },
  },
});
const seed = Number(options.seed);
const targets = options.only.split(",") as Target[];
const unknown = targets.filter((target) => !TARGETS.includes(target));
if (unknown.length > 0) throw new Error(`--only takes a list of ${TARGETS.join(", ")}`);
console.log(`Seed ${seed}`);

await ensureBuild();
const folder = await mkdtemp(join(tmpdir(), "posthouse-chaos-"));
await chmod(folder, 0o755);
const dataFolder = join(folder, "data");
const certificateFile = join(folder, "receiver.pem");
await writeFile(certificateFile, CERTIFICATE);

const traffic = newTraffic();
const outside = await startOutside(traffic);
const env: NodeJS.ProcessEnv = {
  ...(await applianceEnv(dataFolder)),
  POSTHOUSE_DNS: `127.0.0.1:${outside.dns.port}`,
  POSTHOUSE_OUTBOUND_PORT: String(outside.sink.port),
  POSTHOUSE_PRIVATE_WEBHOOKS: "127.0.0.0/8",
  NODE_EXTRA_CA_CERTS: certificateFile,
};
Object.assign(process.env, { POSTHOUSE_DATA: dataFolder, DATABASE_URL: "" });
const appliance = superviseAppliance(env);
let isGood = false;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void appliance.stop().then(() => process.exit(1)));

try {
  await appliance.ready;
  await openDatabase();
  await disableLimits(db());
  const company = await createCompany(outside);
  await closePool();
  const stopLoad = startLoad(
    traffic,
    sendersOf(company, {
      web: Number(env.PORT),
      smtp: Number(env.SMTP_PORT),
      submissions: Number(env.SUBMISSIONS_PORT),
    }),
    { clients: Number(options.clients), pauseMs: Number(options.pause) },
  );
  let rounds: Round[];
  try {
    rounds = await killInTurn(appliance, traffic, {
      rounds: Number(options.rounds),
      seed,
      targets,
    });
  } finally {
    await stopLoad();
  }
  await openDatabase();
  await waitForEmptyQueues(db());
  await readMailboxes(traffic, company, Number(env.IMAPS_PORT));
  const verdict = checkTraffic(traffic);
  const { ledger, faults } = await compareLedgers(db(), env, verdict.emailsDelivered);
  verdict.faults.push(...faults);
  printReport(verdict, rounds, { ledger, failedStarts: appliance.failedStarts() });
  isGood = verdict.faults.length === 0;
} finally {
  await closePool();
  await appliance.stop();
  await outside.close();
  if (isGood) await rm(folder, { recursive: true, force: true });
  else {
    await writeFile(join(folder, "supervisor.log"), appliance.output());
    await writeFile(join(folder, "traffic.json"), JSON.stringify(traffic));
    console.log(`Data and logs are kept in ${folder}`);
  }
}
process.exit(isGood ? 0 : 1);

/** The embedded server gets a new port at each start of the appliance. */
async function openDatabase(): Promise<void> {
  const cluster = join(dataFolder, "postgres");
  const port = await runningPort(cluster);
  if (port === null) throw new Error("Postgres isn't running");
  config().databaseUrl = urlAt(cluster, port);
}
