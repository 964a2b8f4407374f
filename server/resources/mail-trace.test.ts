import { eq, sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";

import { mailLog, messageRecipients, type messages } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aMailCompany, aSessionOfRole } from "#server/testing/console-mailboxes.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import { anAlias } from "#server/testing/factories.ts";
import { anAcceptedMessage } from "#server/testing/accepted-messages.ts";
import { queuedEmails } from "#server/testing/queued-emails.ts";
import { PRIVILEGES } from "#server/universal/privileges.ts";

import { mailTraceConsole } from "./mail-log.ts";

let company: Awaited<ReturnType<typeof aMailCompany>>;
let other: typeof company;
let alias: string;

type Row = { recipient: string; sender: string };
const rows = async (of: keyof typeof mailTraceConsole, cookie: string, query = {}) => {
  const { status, body } = await callFromPage(mailTraceConsole[of], { cookie, query });
  expect(status).toBe(200);
  return (body as { data: Row[] }).data.map(({ sender, recipient }) => `${sender} ${recipient}`);
};
const incoming = async (cookie: string, query = {}) => rows("list", cookie, query);
const outgoing = async (cookie: string, query = {}) => rows("listOutgoing", cookie, query);

const ACCEPTED = { kind: "received" as const, reply: "250 2.0.0 Accepted" };
const REJECTED = { kind: "refused" as const, reply: "550 5.7.1 Rejected as spam or a virus" };
const OUTSIDE = "kim@there.example";

/** A message with its outcome. */
async function aDelivered({ companyId }: typeof company, given: Given, to: string) {
  const id = await anAcceptedMessage({ companyId, to: [to], ...given });
  await db()
    .update(messageRecipients)
    .set({ state: "delivered", reply: "250 OK", settledAt: sql`clock_timestamp()` })
    .where(eq(messageRecipients.messageId, id));
}

type Given = Pick<typeof messages.$inferInsert, "origin" | "sender"> & { mailbox: string | null };

beforeAll(async () => {
  [company, other] = [await aMailCompany(), await aMailCompany()];
  const { companyId, inRoot, inSales, domain, at } = company;
  alias = await anAlias(domain, inSales, at("info"));
  const entry = (recipient: string, more: Partial<typeof mailLog.$inferInsert> = {}) => ({
    ...ACCEPTED,
    companyId,
    sender: OUTSIDE,
    recipient,
    ...more,
  });
  const unknown = {
    kind: "refused" as const,
    reply: "550 5.1.1 No such recipient here",
  };
  await db()
    .insert(mailLog)
    .values([
      entry(inRoot),
      entry(alias),
      entry(inSales.replace("@", "+shop@").toUpperCase()),
      entry(at("typo"), unknown),
      entry(OUTSIDE, { kind: "submitted", sender: inSales }),
      entry(OUTSIDE, { kind: "submitted", sender: inRoot }),
      entry(inRoot, { sender: inSales }),
      entry("kay@there.example", { ...REJECTED, sender: inSales }),
      entry(OUTSIDE, { kind: "sign_in_failed", recipient: null, sender: inSales }),
      entry(other.inRoot, { companyId: other.companyId }),
      entry(other.at("typo"), { ...unknown, companyId: other.companyId }),
    ]);
  await aDelivered(company, { origin: "submission", mailbox: inSales, sender: inSales }, OUTSIDE);
  await aDelivered(company, { origin: "submission", mailbox: inRoot, sender: inRoot }, OUTSIDE);
  await aDelivered(company, { origin: "incoming", mailbox: null, sender: OUTSIDE }, alias);
  await aDelivered(
    other,
    { origin: "submission", mailbox: other.inRoot, sender: other.inRoot },
    inSales,
  );
  await queuedEmails({ id: domain.id, name: domain.name, companyId }, [["ann@there.example"]], {});
  await db().execute(sql`
    insert into email_events (email_id, company_id, type, recipient)
    select id, company_id, 'delivered', 'ann@there.example' from emails where company_id = ${companyId}`);
});

test("an admin sees the company's incoming mail, rejected addresses at its domains included, and nothing else", async () => {
  const { inRoot, inSales, at } = company;
  expect((await incoming(company.cookie)).toSorted()).toEqual(
    [
      `${OUTSIDE} ${inRoot}`,
      `${OUTSIDE} ${alias}`,
      `${OUTSIDE} ${inSales.replace("@", "+shop@").toUpperCase()}`,
      `${OUTSIDE} ${at("typo")}`,
      `${inSales} ${OUTSIDE}`,
      `${inSales} kay@there.example`,
      `${inRoot} ${OUTSIDE}`,
      `${inSales} ${inRoot}`,
    ].toSorted(),
  );
  expect(await incoming(company.cookie, { search: "TYPO" })).toEqual([`${OUTSIDE} ${at("typo")}`]);
  expect(await incoming(company.cookie, { search: other.inRoot })).toEqual([]);
});

test("an admin of a unit sees mail to and from its mailboxes, including their aliases and tags, and rejected mail", async () => {
  const { ofSales, inSales } = company;
  expect((await incoming(ofSales)).toSorted()).toEqual(
    [
      `${OUTSIDE} ${alias}`,
      `${OUTSIDE} ${inSales.replace("@", "+shop@").toUpperCase()}`,
      `${inSales} ${OUTSIDE}`,
      `${inSales} kay@there.example`,
    ].toSorted(),
  );
  expect((await outgoing(ofSales)).toSorted()).toEqual(
    [`${inSales} ${OUTSIDE}`, `${OUTSIDE} ${alias}`].toSorted(),
  );
});

test("a mailbox's mail includes that to its aliases, and a unit's admin can't ask for others", async () => {
  const { cookie, ofSales, inSales, inRoot } = company;
  const query = { mailbox: inSales.toUpperCase() };
  expect((await incoming(cookie, query)).toSorted()).toEqual(
    [
      `${OUTSIDE} ${alias}`,
      `${OUTSIDE} ${inSales.replace("@", "+shop@").toUpperCase()}`,
      `${inSales} ${OUTSIDE}`,
      `${inSales} kay@there.example`,
    ].toSorted(),
  );
  expect(await outgoing(await aSession(company.companyId, [...PRIVILEGES]), query)).toHaveLength(2);
  for (const mailbox of [inRoot, other.inRoot]) {
    expect(await incoming(ofSales, { mailbox })).toEqual([]);
    expect(await outgoing(ofSales, { mailbox })).toEqual([]);
  }
  expect(await incoming(cookie, { mailbox: other.inRoot })).toEqual([]);
});

test("outgoing mail is the company's, and includes API emails for admins who can read them", async () => {
  const { companyId, inRoot, inSales } = company;
  const mail = [`${inSales} ${OUTSIDE}`, `${inRoot} ${OUTSIDE}`, `${OUTSIDE} ${alias}`].toSorted();
  expect((await outgoing(company.cookie)).toSorted()).toEqual(mail);
  for (const reader of ["api_controls", "view_emails"] as const) {
    const all = await outgoing(await aSession(companyId, ["view_users", reader]));
    expect(all).toHaveLength(4);
    expect(all).toContainEqual(expect.stringMatching(/ ann@there\.example$/));
  }
});

test("requires View users in at least one unit", async () => {
  const { companyId, sales } = company;
  for (const cookie of [
    await aSession(companyId, ["view_groups", "api_controls"]),
    await aSessionOfRole(companyId, sales, ["create_users"]),
  ])
    for (const endpoint of Object.values(mailTraceConsole))
      expect((await callFromPage(endpoint, { cookie })).status).toBe(403);
});
