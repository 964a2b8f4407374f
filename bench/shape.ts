import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

import { pino } from "pino";

import { outbox } from "#drizzle/schema/index.ts";
import { composeMessage } from "#server/core/sending/compose/compose-message.ts";
import { providerOfHosts } from "#server/core/platform/monitoring/mail-provider.ts";
import { migrate } from "#server/db/migrate.ts";
import { closePool, db, pool } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";
import { aDnsServer } from "#server/testing/fake-dns.ts";
import { OutboundCarrier } from "#worker/delivery/carrier/carrier.ts";
import { signMessage } from "#worker/delivery/dkim.ts";
import { emailSource } from "#worker/pump/email-source.ts";
import { Pump } from "#worker/pump/pump.ts";

import { acceptEmails, benchEmails } from "./bench-email.ts";
import { drainThroughPostfix } from "./shape-postfix.ts";
import { simulateReceiver, type SimulatedReceiver } from "./simulate-receiver.ts";
import { endChildren } from "./start-child.ts";

// Sends through a pump to a simulated Gmail and a simulated Outlook.com, which limit connections and messages
// per minute and punish those who don't slow down; then the same through Postfix with default settings. Minutes are
// shorter here, for the limits and both senders. Aim: less than 2% wasted attempts.
const { values: options } = parseArgs({
  options: {
    emails: { type: "string", default: "3000" },
    "minute-ms": { type: "string", default: "1000" },
    /** Postfix is stopped after so many times the minutes that Posthouse took. */
    patience: { type: "string", default: "3" },
    "no-postfix": { type: "boolean", default: false },
  },
});
const COUNT = Number(options.emails);
const MINUTE_MS = Number(options["minute-ms"]);

const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
await chmod(folder, 0o755);
const postgres = await startEmbeddedPostgres({ folder: join(folder, "postgres") });

try {
  process.env.DATABASE_URL = postgres.url;
  process.env.POSTHOUSE_DATA = folder;
  await migrate(postgres.url);
  const sender = await aDomain((await aCompany()).id);
  const receivers = [
    await simulateReceiver("gmail", { connections: 10, perMinute: 600, minuteMs: MINUTE_MS }),
    await simulateReceiver("outlook", { connections: 20, perMinute: 300, minuteMs: MINUTE_MS }),
  ];
  const rows = [];
  for (const receiver of receivers) {
    const ours = await drain(receiver);
    rows.push(report(receiver, "Posthouse", ours));
    if (!options["no-postfix"]) {
      receiver.reset();
      const emails = benchEmails(COUNT, { from: `post@${sender.name}`, to: receiver.domain });
      const limits = { folder, minuteMs: MINUTE_MS, minutesMax: Number(options.patience) * ours };
      rows.push(report(receiver, "Postfix", await drainThroughPostfix(receiver, emails, limits)));
    }
    await receiver.close();
  }
  console.table(rows);

  /** Returns the minutes until the queue was empty. */
  async function drain(receiver: SimulatedReceiver): Promise<number> {
    const { domain, mailHost } = receiver;
    const dns = await aDnsServer({
      [domain]: { MX: [`10 ${mailHost}`] },
      [mailHost]: { A: ["127.0.0.1"] },
    });
    const carrier = new OutboundCarrier({
      hostname: "mail.bench.test",
      resolver: createResolver({ dnsServers: [dns] }),
      outboundPort: receiver.port,
      allowPrivateHosts: true,
      findProvider: providerOfHosts,
      shaping: { minuteMs: MINUTE_MS },
    });
    const settings = {
      connection: pool(),
      carrier,
      log: pino({ level: "warn" }),
      pollMs: 50,
      compose: composeMessage,
      sign: signMessage,
      relay: null,
      dataFolder: folder,
      hostname: "mail.bench.test",
      baseUrl: "https://mail.bench.test",
      ownListener: () => ({ host: "127.0.0.1", port: 1 }),
    };
    const addresses = { from: `post@${sender.name}`, to: domain };
    await acceptEmails(db(), sender, benchEmails(COUNT, addresses));
    const pump = new Pump(emailSource(settings), settings);
    const startedAt = performance.now();
    await pump.start();
    while ((await db().$count(outbox)) > 0) await delay(50);
    const minutes = (performance.now() - startedAt) / MINUTE_MS;
    await pump.stop();
    await carrier.close();
    await dns.close();
    const { accepted } = receiver.counts();
    if (accepted !== COUNT) throw new Error(`${receiver.domain} accepted ${accepted} of ${COUNT}`);
    return minutes;
  }
} finally {
  await endChildren("SIGTERM");
  await closePool();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

function report(receiver: SimulatedReceiver, sender: string, minutes: number) {
  const { accepted, rejected, refusedConnections } = receiver.counts();
  const fastest = accepted / receiver.perMinute;
  return {
    receiver: receiver.domain,
    sender,
    emails: accepted,
    "accepted %": percent(accepted / (accepted + rejected)),
    "wasted attempts %": percent(rejected / accepted),
    "refused connections": refusedConnections,
    minutes: Number(minutes.toFixed(1)),
    "minutes at its limit": Number(fastest.toFixed(1)),
    "of its limit %": percent(fastest / minutes),
  };
}

function percent(part: number): number {
  return Number((100 * part).toFixed(2));
}
