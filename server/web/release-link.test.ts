// cspell:ignore freigeben Dieser funktioniert nicht
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { auditEntries, messageRecipients, messages, quarantine } from "#drizzle/schema/index.ts";
import { ensureRootUnit, setPolicies } from "#server/core/mailboxes/org-units/units.ts";
import { quarantineMessage } from "#server/core/mail/quarantine/quarantine-message.ts";
import { releaseUrl } from "#server/core/mail/quarantine-digests/digests.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";
import { aTrackingServer } from "#server/testing/tracking-server.ts";

let web: Awaited<ReturnType<typeof aTrackingServer>>;
let ctx: Context;
let root: number;
let ann: string;
let bob: string;

beforeAll(async () => {
  web = await aTrackingServer();
});
afterAll(() => web.stop());

beforeEach(async () => {
  ctx = aContext((await aCompany()).id);
  const domain = await aDomain(ctx.companyId);
  ann = (await aMailbox(domain)).address;
  bob = (await aMailbox(domain)).address;
  root = await ensureRootUnit(ctx);
  await setPolicies(ctx, root, { quarantineRelease: "spam" });
});

async function aQuarantined(recipients = [ann, bob], reason: "spam" | "virus" = "spam") {
  const { id } = await quarantineMessage(db(), {
    companyId: ctx.companyId,
    reason,
    sender: "eve@example.org",
    recipients,
    headerFrom: "Eve <eve@example.org>",
    subject: "<i>Offer",
    clientAddress: null,
    score: 12,
    findings: [],
    content: Buffer.from("Subject: Offer\r\n\r\nOffer\r\n"),
  });
  return id;
}

type Link = Partial<Parameters<typeof releaseUrl>[0]> & { quarantineId: string };
const pathOf = (link: Link, now = new Date()) =>
  new URL(releaseUrl({ companyId: ctx.companyId, mailbox: ann, ...link }, now)).pathname;
const kept = async () =>
  (
    await db()
      .select()
      .from(quarantine)
      .where(sql`company_id = ${ctx.companyId} and released_as is null`)
  ).map(({ recipients }) => recipients);
const released = async () =>
  (
    await db()
      .select({ to: messageRecipients.recipient })
      .from(messageRecipients)
      .innerJoin(messages, eq(messages.id, messageRecipients.messageId))
      .where(eq(messages.companyId, ctx.companyId))
  ).map(({ to }) => to);

test("opening the link asks and releases nothing", async () => {
  const path = pathOf({ quarantineId: await aQuarantined() });
  for (const method of ["GET", "HEAD"])
    expect(await web.ask(path, {}, method)).toMatchObject({
      status: 200,
      headers: { "cache-control": "no-store", "referrer-policy": "no-referrer" },
    });
  const { text } = await web.ask(path);
  expect(text).toContain('<form method="post">');
  expect(text).toContain("&lt;i&gt;Offer");
  expect(await kept()).toEqual([[ann, bob]]);
  expect(await released()).toEqual([]);
});

test("is in the browser's language", async () => {
  const path = pathOf({ quarantineId: await aQuarantined() });
  const german = { "accept-language": "de-AT,en;q=0.5" };
  const { text } = await web.ask(path, german);
  expect(text).toContain('<html lang="de">');
  expect(text).toContain("<button>E-Mail freigeben</button>");
  expect(text).toContain("&lt;i&gt;Offer");
  expect((await web.ask(`${path}x`, german)).text).toContain("Dieser Link funktioniert nicht");
});

test("a POST releases the message to this mailbox only, once", async () => {
  const path = pathOf({ quarantineId: await aQuarantined() });
  const answers = await Promise.all([1, 2, 3].map(() => web.ask(path, {}, "POST")));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 410, 410]);
  expect(await released()).toEqual([ann]);
  expect(await kept()).toEqual([[bob]]);
  expect(
    await db().select().from(auditEntries).where(eq(auditEntries.companyId, ctx.companyId)),
  ).toContainEqual(
    expect.objectContaining({ action: "quarantine.released", actor: ann, actorKind: "mailbox" }),
  );
});

test("the last recipient's release leaves no copy behind", async () => {
  const path = pathOf({ quarantineId: await aQuarantined([ann]) });
  expect((await web.ask(path, {}, "POST")).status).toBe(200);
  expect(await kept()).toEqual([]);
  expect((await web.ask(path)).text).toContain("It was already released or deleted");
});

test("a changed, expired or other company's link releases nothing", async () => {
  const quarantineId = await aQuarantined([ann]);
  const other = await aCompany();
  const path = pathOf({ quarantineId });
  const end = path.length - 3;
  const changed = path.slice(0, end) + (path[end] === "A" ? "B" : "A") + path.slice(end + 1);
  const fifteenDaysAgo = new Date(Date.now() - 15 * 86_400_000);
  for (const [link, status] of [
    [changed, 404],
    [`${path}AAAA`, 404],
    ["/release/AAAA", 404],
    [pathOf({ quarantineId }, fifteenDaysAgo), 410],
    [pathOf({ quarantineId, companyId: other.id }), 410],
    [pathOf({ quarantineId, mailbox: bob }), 410],
  ] as const)
    expect([link, (await web.ask(link, {}, "POST")).status]).toEqual([link, status]);
  expect(await kept()).toEqual([[ann]]);
});

test("the policy of the moment decides, and viruses need an admin", async () => {
  const virus = pathOf({ quarantineId: await aQuarantined([ann], "virus") });
  expect((await web.ask(virus, {}, "POST")).status).toBe(403);
  const spam = pathOf({ quarantineId: await aQuarantined([ann]) });
  await setPolicies(ctx, root, { quarantineRelease: "none", quarantineDigest: "daily" });
  expect((await web.ask(spam, {}, "POST")).status).toBe(403);
  await setPolicies(ctx, root, { quarantineDigest: "off" });
  expect((await web.ask(spam, {}, "POST")).status).toBe(410);
  expect(await released()).toEqual([]);
});
