import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { emailEvents, messageDelays, messageRecipients, messages } from "#drizzle/schema/index.ts";
import { listOutgoing } from "#server/core/mail/mail-log/list-outgoing.ts";
import { recordMessageOutcomes } from "#server/core/mail/outcomes/record-message-outcomes.ts";
import { db } from "#server/db/pool.ts";
import { callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";
import { aLeasedMessage, BUSY, REFUSED, REPORTING_HOST } from "#server/testing/leased-messages.ts";
import { anOperatorSession } from "#server/testing/operators.ts";
import { queuedEmails } from "#server/testing/queued-emails.ts";

import { mailLogConsole } from "./mail-log.ts";

let cookie: string;
beforeEach(async () => {
  await db().delete(emailEvents);
  await db().delete(messages);
  ({ cookie } = await anOperatorSession());
});

type Row = { id: string; recipient: string; result: string; createdAt: string };
type Listed = { data: Row[]; next: string | null; isCutShort: boolean };
const list = async (query: Record<string, string> = {}) =>
  (await callFromPage(mailLogConsole.listOutgoing, { cookie, query })).body as Listed;
const named = (rows: Row[]) => rows.map(({ recipient }) => recipient.split("@")[0]);

const ago = (minutes: number) => sql`clock_timestamp() - make_interval(mins => ${minutes})`;

/** An email with its delivery events, `ago` minutes old. */
async function anEmail(given: { type?: "delivered" | "bounced"; ago?: number; to?: string } = {}) {
  const company = await aCompany();
  const { id, name } = await aDomain(company.id);
  const to = given.to ?? "ann@there.test";
  const [emailId] = await queuedEmails({ id, name, companyId: company.id }, [[to]], {});
  // Backdate the earlier events too: IDs and timestamps increase together.
  await db()
    .update(emailEvents)
    .set({ createdAt: ago(given.ago ?? 0) })
    .where(eq(emailEvents.emailId, emailId!));
  await db()
    .insert(emailEvents)
    .values({
      emailId: emailId!,
      companyId: company.id,
      type: given.type ?? "delivered",
      recipient: to,
      dsn: "2.0.0",
      message: "250 OK",
      createdAt: ago(given.ago ?? 0),
    });
  return { company, emailId: emailId!, domain: name };
}

test("emails and messages share one list of attempts, newest first", async () => {
  const { company, emailId } = await anEmail({ ago: 5 });
  const { companyId, id, owner, say } = await aLeasedMessage({
    to: ["bea@x.test", "cay@y.test"],
    isSenderTold: false,
  });
  const outcomes = say(
    { ...REFUSED, tls: "mta-sts valid TLSv1.3 TLS_AES_256_GCM_SHA384" },
    { ...BUSY, tls: "opportunistic starttls-not-supported" },
  );
  await recordMessageOutcomes(db(), { owner, hostname: REPORTING_HOST }, outcomes);

  const { data, next } = await list();

  expect(next).toBeNull();
  const message = { parentId: id, kind: "submission", company: { id: companyId } };
  expect(data.slice(0, 2).toSorted((a, b) => (a.recipient < b.recipient ? -1 : 1))).toMatchObject([
    {
      ...message,
      recipient: "bea@x.test",
      result: "bounced",
      destination: "x.test",
      why: expect.any(String) as string,
      tls: expect.stringContaining("required by MTA-STS") as string,
    },
    {
      ...message,
      recipient: "cay@y.test",
      result: "delayed",
      reply: outcomes[1]!.message,
      tls: "Not encrypted: the server doesn’t offer STARTTLS.",
    },
  ]);
  expect(data[2]).toMatchObject({
    parentId: emailId,
    kind: "email",
    recipient: "ann@there.test",
    result: "delivered",
    reply: "250 OK",
    company: { id: company.id, name: company.name },
  });
  expect(JSON.stringify(data)).not.toContain("subject");
});

test("a delay stays listed after the final result, until the message is deleted", async () => {
  const { id, owner, say } = await aLeasedMessage({ to: ["bea@x.test"], isSenderTold: false });
  await recordMessageOutcomes(db(), { owner, hostname: REPORTING_HOST }, say(BUSY));
  await db()
    .update(messageRecipients)
    .set({ state: "delivered", reply: "250 OK", settledAt: sql`clock_timestamp()` });
  expect((await list()).data.map(({ result }) => result)).toEqual(["delivered", "delayed"]);
  await db()
    .delete(messages)
    .where(sql`id = ${id}`);
  expect(await db().$count(messageDelays)).toBe(0);
});

test("paging covers all entries without gaps", async () => {
  const { company, emailId } = await anEmail({ ago: 300 });
  const { id, companyId } = await aLeasedMessage({ to: ["held@x.test"] });
  await db().execute(sql`
    insert into email_events (email_id, company_id, type, recipient, created_at)
    select ${emailId}, ${company.id}, 'delivered', 'e' || i || '@x.test', now() - (200 - i) * interval '1 minute'
    from generate_series(1, 90) as i`);
  await db().execute(sql`
    insert into message_recipients (message_id, company_id, recipient, destination, state, settled_at)
    select ${id}, ${companyId}, 'm' || i || '@x.test', 'x.test', 'delivered', now() - (200 - i) * interval '1 minute'
    from generate_series(1, 60) as i`);
  await db().execute(sql`
    insert into message_delays (message_id, company_id, recipient, dsn, reply, created_at)
    select ${id}, ${companyId}, 'd' || i || '@x.test', '4.0.0', 'Later', now() - (150 - i) * interval '1 minute'
    from generate_series(1, 30) as i`);
  const pages = [await list()];
  while (pages.at(-1)!.next) pages.push(await list({ before: pages.at(-1)!.next! }));
  const seen = pages.flatMap(({ data }) => data);
  expect(pages.map(({ data }) => data.length)).toEqual([50, 50, 50, 31]);
  expect(new Set(seen.map((row) => row.id)).size).toBe(181);
  const moments = seen.map((row) => row.createdAt);
  expect(moments).toEqual(moments.toSorted().toReversed());
});

test("a company's list reads only its own entries", async () => {
  const { company } = await anEmail({ ago: 120 });
  const { companyId, owner, say } = await aLeasedMessage({ to: ["bea@x.test", "cay@y.test"] });
  const outcomes = say(REFUSED, BUSY);
  await recordMessageOutcomes(db(), { owner, hostname: REPORTING_HOST }, outcomes);
  for (let i = 0; i < 3; i++) {
    await anEmail();
    const other = await aLeasedMessage({ to: ["dan@x.test", "eve@y.test"] });
    const told = other.say(REFUSED, BUSY);
    await recordMessageOutcomes(db(), { owner: other.owner, hostname: REPORTING_HOST }, told);
  }
  const page = { limit: 10, before: null };
  const bounds = { step: 2, stepsMax: 1 };
  const of = (id: string) => listOutgoing(db(), { companyId: id }, page, bounds);
  expect(await of(company.id)).toMatchObject({ rows: [{ source: "email" }], next: null });
  expect(await of(companyId)).toMatchObject({
    rows: [{ source: "delay" }, { source: "message" }],
    next: null,
  });
});

test("entries are found by recipient, sender, domain, result, company, message and time", async () => {
  const old = await anEmail({ ago: 120, to: "ann@there.test" });
  const { domain } = await anEmail({ ago: 60, to: "100%_bea@elsewhere.test", type: "bounced" });
  const message = await aLeasedMessage({ to: ["cay@far.test"], isSenderTold: false });
  const outcomes = message.say(BUSY);
  await recordMessageOutcomes(db(), { owner: message.owner, hostname: REPORTING_HOST }, outcomes);
  const found = async (query: Record<string, string>) => named((await list(query)).data);
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

  expect(await found({})).toEqual(["cay", "100%_bea", "ann"]);
  expect(await found({ search: "ANN@there" })).toEqual(["ann"]);
  expect(await found({ search: "100%_B" })).toEqual(["100%_bea"]);
  expect(await found({ search: "far.test" })).toEqual(["cay"]);
  expect(await found({ search: domain })).toEqual(["100%_bea"]);
  expect(await found({ result: "bounced" })).toEqual(["100%_bea"]);
  expect(await found({ result: "delayed" })).toEqual(["cay"]);
  expect(await found({ result: "not_sent" })).toEqual([]);
  expect(await found({ company: old.company.id })).toEqual(["ann"]);
  expect(await found({ company: message.companyId })).toEqual(["cay"]);
  expect(await found({ message: old.emailId })).toEqual(["ann"]);
  expect(await found({ message: message.id })).toEqual(["cay"]);
  expect(await found({ message: randomUUID() })).toEqual([]);
  expect(await found({ to: at(30) })).toEqual(["100%_bea", "ann"]);
  expect(await found({ from: at(90), to: at(30) })).toEqual(["100%_bea"]);
  expect(await found({ from: at(90) })).toEqual(["cay", "100%_bea"]);
  expect(await found({ from: at(-10) })).toEqual([]);
  expect(await found({ to: at(500) })).toEqual([]);
});

const INVALID_QUERIES: Record<string, string>[] = [
  { before: "x" },
  { before: token({ emails: { at: "2026-02-31T10:00:00.000000Z", id: "1" } }) },
  { before: token({ emails: { at: "2026-02-01T10:00:00.000000Z", id: "1;" } }) },
  { result: "opened" },
  { company: "x" },
  { message: "x" },
  { from: "yesterday" },
];

function token(places: object) {
  return Buffer.from(JSON.stringify(places)).toString("base64url");
}

test.each(INVALID_QUERIES)("rejects %o", async (query) => {
  expect((await callFromPage(mailLogConsole.listOutgoing, { cookie, query })).status).toBe(422);
});
