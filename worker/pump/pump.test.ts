import type { Outcome } from "#mail/smtp/outcome.ts";
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { eq, sql } from "drizzle-orm";
import { simpleParser } from "mailparser";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import {
  dkimKeys,
  domains,
  emailBodies,
  emailEvents,
  emails,
  outbox,
} from "#drizzle/schema/index.ts";
import { dkimRecord } from "#server/core/sending/dkim/dkim-keys.ts";
import { parseEnvelopeSender } from "#server/core/sending/outbox/envelope-sender.ts";
import { wakePump } from "#server/core/sending/outbox/queue-rows.ts";
import { type LeasedEmail, leaseDueEmails } from "#server/core/sending/outbox/email-leases.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import type { LeaseOutcome } from "#server/core/sending/outbox/record-outcomes.ts";
import { db } from "#server/db/pool.ts";
import {
  acceptAll,
  accepted,
  aScriptedCarrier,
  pumpOptions,
} from "#server/testing/message-pump.ts";
import { outsideMail } from "#server/testing/outside-mail.ts";
import { aQueuedEmail, aSender, historyOf, queuedEmails } from "#server/testing/queued-emails.ts";
import type { Carrier } from "#worker/delivery/delivery.ts";

import { emailSource } from "./email-source.ts";
import type { PumpOptions } from "./source.ts";
import { Pump } from "./pump.ts";

const { aSink, aCarrier } = outsideMail();

const pumps: AnyPump[] = [];
beforeEach(async () => {
  await db().delete(emails);
});
afterEach(async () => {
  await Promise.all(pumps.splice(0).map((pump) => pump.stop()));
});

type AnyPump = Pump<LeasedEmail, LeaseOutcome>;

async function startPump(given: Partial<PumpOptions> & { carrier: Carrier }): Promise<AnyPump> {
  const options = pumpOptions(given);
  const pump = new Pump(emailSource(options), options);
  pumps.push(pump);
  await pump.start();
  return pump;
}

const until = (condition: () => Promise<void> | void) => vi.waitFor(condition, { timeout: 40_000 });
const outboxEmpty = () => until(async () => expect(await db().$count(outbox)).toBe(0));

test("delivers a signed email, with the same Message-ID for all recipients, and records its history", async () => {
  const sink = await aSink();
  const sender = await aSender();
  await startPump({ carrier: await aCarrier(sink) });
  const id = await aQueuedEmail(sender, "ann@there.test", "bounce@there.test", "bob@there.test");
  wakePump(db());
  await outboxEmpty();

  expect(sink.messages).toHaveLength(1);
  const { from, recipients, raw } = sink.messages[0]!;
  expect(from).toMatch(/@mail\.here\.test$/);
  expect(parseEnvelopeSender(from)).toBe(id);
  expect(recipients).toEqual(["ann@there.test", "bob@there.test"]);
  expect(raw.toString()).toContain(`Message-ID: <${id}@${sender.name}>\r\n`);
  const delivered = await db().select().from(emailEvents).where(eq(emailEvents.type, "delivered"));
  const proof = { server: "mx.there.test", serverAddress: "127.0.0.1" };
  const messageHash = createHash("sha256").update(raw).digest();
  expect(delivered).toMatchObject([
    { recipient: "ann@there.test", ...proof, messageHash },
    { recipient: "bob@there.test", ...proof, messageHash },
  ]);
  const [key] = await db()
    .select()
    .from(dkimKeys)
    .where(sql`domain_id = ${sender.id}`);
  const verified = await dkimVerify(raw, {
    resolver: (name: string) =>
      Promise.resolve(
        name === `${key!.selector}._domainkey.${sender.name}` ? [[dkimRecord(key!)]] : [],
      ),
  });
  expect(verified.results.map(({ status }) => status.result)).toEqual(["pass"]);
  expect(await historyOf(id)).toEqual([
    "sent",
    "delivered ann@there.test",
    "bounced bounce@there.test",
    "delivered bob@there.test",
  ]);
});

test("bounces return to the sending domain if its DNS leads here, unless a smarthost sends", async () => {
  const { carrier, deliveries } = aScriptedCarrier(acceptAll);
  const [own, lost] = [await aSender(), await aSender()];
  for (const { id, name } of [own, lost])
    await db()
      .update(domains)
      .set({ returnPath: name })
      .where(sql`id = ${id}`);
  await db()
    .update(domains)
    .set({ ownershipProvenAt: null })
    .where(sql`id = ${lost.id}`);
  const relay = { host: "relay.test", port: 587, implicitTls: false, auth: null };
  const pathOf = (id: string) =>
    deliveries
      .map(({ envelopeFrom }) => envelopeFrom)
      .find((from) => parseEnvelopeSender(from) === id)
      ?.split("@")[1];
  const ids = [await aQueuedEmail(own, "a@x.test"), await aQueuedEmail(lost, "a@x.test")];
  const pump = await startPump({ carrier });
  await outboxEmpty();
  await pump.stop();
  ids.push(await aQueuedEmail(own, "a@x.test"));
  await startPump({ carrier, relay });
  await outboxEmpty();
  expect(ids.map(pathOf)).toEqual([own.name, "mail.here.test", "mail.here.test"]);
});

test("delivers attachments unchanged, and keeps at most three 20 MB emails in memory", async () => {
  const file = Buffer.from(Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7919) >> 3));
  let open = 0;
  let most = 0;
  const { carrier, deliveries } = aScriptedCarrier(async (delivery) => {
    most = Math.max(most, ++open);
    await delay(20);
    open--;
    return acceptAll(delivery);
  });
  const recipients = Array.from({ length: 20 }, (_, i) => [`r${i}@d${i % 7}.test`]);
  await queuedEmails(await aSender(), recipients, { file, size: 20 * 1024 * 1024 });
  await startPump({ carrier });
  await outboxEmpty();

  expect(deliveries).toHaveLength(20);
  expect(most).toBeLessThanOrEqual(3);
  const mail = await simpleParser(deliveries[0]!.message, { skipHtmlToText: true });
  expect(mail.attachments.map(({ filename, content }) => [filename, content.equals(file)])).toEqual(
    [["order.bin", true]],
  );
});

test("delivers an email with tracking as tracked html and untracked text", async () => {
  const { carrier, deliveries } = aScriptedCarrier(acceptAll);
  const html = '<a href="https://shop.example/">Shop</a>';
  await queuedEmails(await aSender(), [["ann@there.test"]], { html, tracking: true });
  await startPump({ carrier });
  await outboxEmpty();

  const mail = await simpleParser(deliveries[0]!.message, { skipHtmlToText: true });
  expect(mail.html).toMatch(
    /<a href="https:\/\/mail.here.test\/t\/c\/.*<img src="https:\/\/mail.here.test\/t\/o\//,
  );
  expect(mail.text).not.toContain("/t/");
});

test("two pumps on one database deliver each row once and leave none", async () => {
  const { carrier, deliveries } = aScriptedCarrier(async (delivery) => {
    await delay(Math.random() * 20);
    return acceptAll(delivery);
  });
  const recipients = Array.from({ length: 1200 }, (_, i) => [`r${i}@d${i % 7}.test`]);
  await queuedEmails(await aSender(), recipients);
  await Promise.all([startPump({ carrier }), startPump({ carrier })]);
  await outboxEmpty();

  const delivered = deliveries.flatMap((delivery) => delivery.recipients);
  expect(delivered).toHaveLength(1200);
  expect(new Set(delivered).size).toBe(1200);
  expect(await auditLedger(db())).toMatchObject({ unaccounted: 0, queued: 0 });
});

test("an email that can't be composed fails visibly and does not stop others", async () => {
  const { carrier } = aScriptedCarrier(acceptAll);
  const [bad, bodiless, good] = await queuedEmails(await aSender(), [
    ["a@there.test", "b@there.test"],
    ["c@there.test"],
    ["d@there.test"],
  ]);
  await db()
    .update(emailBodies)
    .set({ headers: { "X-Bad": "line\r\nbreak" } })
    .where(sql`email_id = ${bad!}`);
  await db()
    .delete(emailBodies)
    .where(sql`email_id = ${bodiless!}`);
  await startPump({ carrier });
  await outboxEmpty();

  expect(await historyOf(bad!)).toEqual(["sent", "failed"]);
  expect(await historyOf(bodiless!)).toEqual(["sent", "failed"]);
  expect(await historyOf(good!)).toEqual(["sent", "delivered d@there.test"]);
  const [failed] = await db()
    .select()
    .from(emailEvents)
    .where(sql`email_id = ${bad!} and type = 'failed'`);
  expect(failed!.reason).toBe("The message could not be composed");
});

test("retries a temporary failure later, but not mail of a deleted domain", async () => {
  const { carrier, deliveries } = aScriptedCarrier(({ recipients }) => {
    if (recipients[0] === "broken@there.test") throw new Error("a bug");
    return recipients.slice(1).map(accepted);
  });
  const [sender, keyless, deleted] = [await aSender(), await aSender(), await aSender()];
  await db()
    .delete(dkimKeys)
    .where(sql`domain_id = ${keyless.id}`);
  const broken = await aQueuedEmail(sender, "broken@there.test");
  const partial = await aQueuedEmail(sender, "unheard@there.test", "ok@there.test");
  const unsigned = await aQueuedEmail(keyless, "k@there.test");
  const orphan = await aQueuedEmail(deleted, "o@there.test");
  await db()
    .delete(domains)
    .where(sql`id = ${deleted.id}`);
  await startPump({ carrier });
  await until(async () => expect(await db().$count(outbox, sql`attempt = 0`)).toBe(0));

  expect(await historyOf(broken)).toEqual(["sent", "delivery_delayed broken@there.test"]);
  expect(await historyOf(partial)).toEqual([
    "sent",
    "delivery_delayed unheard@there.test",
    "delivered ok@there.test",
  ]);
  expect(await historyOf(unsigned)).toEqual(["sent", "delivery_delayed k@there.test"]);
  expect(await historyOf(orphan)).toEqual(["sent", "failed"]);
  expect(await db().$count(outbox)).toBe(3);
  expect(deliveries).toHaveLength(2);
});

test("a destination that doesn't respond doesn't delay mail to the others", async () => {
  const stuck = Promise.withResolvers<Outcome[]>();
  const { carrier, deliveries } = aScriptedCarrier((delivery) =>
    delivery.recipients[0]!.endsWith("@stuck.test") ? stuck.promise : acceptAll(delivery),
  );
  const sender = await aSender();
  await queuedEmails(
    sender,
    Array.from({ length: 6000 }, (_, i) => [`r${i}@stuck.test`]),
  );
  const ids = await queuedEmails(
    sender,
    Array.from({ length: 50 }, (_, i) => [`r${i}@free.test`]),
  );
  const pump = await startPump({ carrier });
  await until(async () =>
    expect(await db().$count(outbox, sql`destination = 'free.test'`)).toBe(0),
  );

  expect(await historyOf(ids[49]!)).toEqual(["sent", "delivered r49@free.test"]);
  expect(deliveries.length).toBeLessThan(1100);
  stuck.resolve([]);
  await pump.stop();
});

test("a destination over its share continues as soon as some of its mail is done", async () => {
  await queuedEmails(
    await aSender(),
    Array.from({ length: 1500 }, (_, i) => [`r${i}@large.test`]),
  );
  // Polling is disabled, so the pump must remember that more rows are due.
  await startPump({ carrier: aScriptedCarrier(acceptAll).carrier, pollMs: 3_600_000 });
  await outboxEmpty();
});

test("stopping records outcomes and releases the other leases immediately", async () => {
  const slow = Promise.withResolvers<undefined>();
  const { carrier, deliveries } = aScriptedCarrier(async (delivery) => {
    if (delivery.recipients[0]!.startsWith("slow")) await slow.promise;
    if (delivery.recipients[0]!.startsWith("never")) await new Promise(() => undefined);
    return acceptAll(delivery);
  });
  const id = await aQueuedEmail(await aSender(), "slow@a.test", "never@b.test", "fast@c.test");
  const pump = await startPump({ carrier });
  await until(() => expect(deliveries).toHaveLength(3));
  await queuedEmails(await aSender(), [["later@a.test"]], { due: sql`now() + interval '1 hour'` });

  const stopped = pump.stop();
  slow.resolve(undefined);
  await stopped;

  expect((await historyOf(id)).sort()).toEqual([
    "delivered fast@c.test",
    "delivered slow@a.test",
    "sent",
  ]);
  const [released] = await leaseDueEmails(db(), {
    owner: pump.owner,
    limit: 10,
    room: { light: 1e6, heavy: 1e6 },
  });
  expect(released!.recipients.map(({ recipient }) => recipient)).toEqual(["never@b.test"]);
});

test("leases nothing while outcomes can't be written, and loses none", async () => {
  await db().execute(sql`create sequence write_attempts`);
  await db().execute(sql`
    create function refuse_events() returns trigger language plpgsql as $$
    begin perform nextval('write_attempts'); raise exception 'disk full'; end $$`);
  await db().execute(sql`
    create trigger refuse_events before insert on email_events
    for each row when (new.type = 'delivered') execute function refuse_events()`);
  const writeAttempts = async () => {
    const [row] = await db().execute<{ n: string }>(
      sql`select last_value as n from write_attempts`,
    );
    return Number(row!.n);
  };
  const { carrier, deliveries } = aScriptedCarrier(acceptAll);
  const sender = await aSender();
  await aQueuedEmail(sender, "first@there.test");
  await startPump({ carrier });
  await until(async () => expect(await writeAttempts()).toBeGreaterThan(1));

  await aQueuedEmail(sender, "second@there.test");
  wakePump(db());
  const before = await writeAttempts();
  await until(async () => expect(await writeAttempts()).toBeGreaterThan(before + 2));
  expect(deliveries).toHaveLength(1);

  await db().execute(sql`drop trigger refuse_events on email_events`);
  await outboxEmpty();
  expect(deliveries).toHaveLength(2);
  expect(await auditLedger(db())).toMatchObject({ unaccounted: 0, queued: 0 });
});
