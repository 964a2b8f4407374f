import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sql } from "drizzle-orm";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { messageRecipients, outbox } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { auditMail } from "#server/core/operations/ledger/audit-mail.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { migrate } from "#server/db/migrate.ts";
import { closePool, db, pool } from "#server/db/pool.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "#server/postgres/embedded-postgres.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { aCompany } from "#server/testing/factories.ts";
import { aSender, queuedEmails } from "#server/testing/queued-emails.ts";
import { composeMessage } from "#server/core/sending/compose/compose-message.ts";
import { signMessage } from "#worker/delivery/dkim.ts";

import { emailSource } from "./email-source.ts";
import { messageSource } from "./message-source.ts";
import type { PumpOptions } from "./source.ts";
import { Pump } from "./pump.ts";

const COUNT = 2400;
const DONE_BEFORE = 300;

let folder: string;
let server: EmbeddedPostgres;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-outage-"));
  await chmod(folder, 0o755);
  server = await startEmbeddedPostgres({ folder: join(folder, "postgres") });
  await migrate(server.url);
  config().databaseUrl = server.url;
}, 120_000);
afterAll(async () => {
  await closePool();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

type Queue = {
  fill(recipients: string[]): Promise<unknown>;
  pump(options: PumpOptions): { start(): Promise<void>; stop(): Promise<void> };
  waiting(): Promise<number>;
  audit(): Promise<object>;
};

const emails: Queue = {
  async fill(recipients) {
    await queuedEmails(
      await aSender(),
      recipients.map((recipient) => [recipient]),
    );
  },
  pump: (options) => new Pump(emailSource(options), options),
  waiting: () => db().$count(outbox),
  audit: () => auditLedger(db()),
};

const messages: Queue = {
  async fill(recipients) {
    const { id: companyId } = await aCompany();
    for (const to of recipients) await anAcceptedMessage({ companyId, to: [to] });
  },
  pump: (options) => new Pump(messageSource(options), options),
  waiting: () => db().$count(messageRecipients, sql`state = 'queued'`),
  audit: () => auditMail(db()),
};

test.each([
  ["emails", emails],
  ["messages", messages],
])(
  "a database restart during delivery loses no %s, repeats none and does not end the pump",
  async (_, queue) => {
    const recipients = Array.from({ length: COUNT }, (_, i) => `r${i}@there.test`);
    await queue.fill(recipients);
    const gate = Promise.withResolvers<undefined>();
    const sent: string[] = [];
    const errors: string[] = [];
    const options: PumpOptions = {
      connection: pool(),
      compose: composeMessage,
      sign: signMessage,
      hostname: "mail.here.test",
      baseUrl: "https://mail.here.test",
      relay: null,
      dataFolder: config().dataFolder,
      ownListener: () => ({ host: "127.0.0.1", port: 1 }),
      log: pino({ level: "warn" }, { write: (line) => void errors.push(line) }),
      carrier: {
        async deliver(delivery) {
          sent.push(...delivery.recipients);
          if (sent.length > DONE_BEFORE) await gate.promise;
          return delivery.recipients.map((recipient) => ({
            recipient,
            result: "delivered",
            dsn: "2.0.0",
            message: "250 OK",
            suppress: false,
          }));
        },
        drain: () => Promise.resolve(),
        close: () => Promise.resolve(),
      },
    };
    const pump = queue.pump(options);
    await pump.start();
    await vi.waitFor(() => expect(sent.length).toBeGreaterThan(450));

    await server.stop();
    gate.resolve(undefined);
    await vi.waitFor(() =>
      expect(errors.join("")).toContain("could not record outcomes; retrying"),
    );
    server = await startEmbeddedPostgres({
      folder: join(folder, "postgres"),
      port: Number(new URL(server.url).port),
    });
    // Nothing was leased while outcomes could not be written. Only mail that was already done or in flight
    // was sent: a destination's share, and the batch that reached it.
    expect(sent.length).toBeLessThanOrEqual(DONE_BEFORE + 750 + 500);
    await vi.waitFor(async () => expect(await queue.waiting()).toBe(0), { timeout: 60_000 });
    await pump.stop();

    expect(sent).toHaveLength(COUNT);
    expect(new Set(sent).size).toBe(COUNT);
    expect(errors.length).toBeLessThan(10);
    expect(await queue.audit()).toMatchObject({
      accepted: COUNT,
      delivered: COUNT,
      unaccounted: 0,
    });
  },
  120_000,
);
