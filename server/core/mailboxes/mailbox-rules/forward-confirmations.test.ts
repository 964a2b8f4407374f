import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import {
  auditEntries,
  domains,
  forwardConfirmations,
  forwardSuspensions,
  mailboxes,
  mailboxRules,
  orgUnits,
} from "#drizzle/schema/index.ts";
import { ensureRootUnit, setPolicies } from "#server/core/mailboxes/org-units/units.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import {
  allowForwarding,
  aCompany,
  aContext,
  aDomain,
  aMailbox,
} from "#server/testing/factories.ts";
import { queuedNotices } from "#server/testing/queued-notices.ts";

import {
  findForwardRequest,
  isForwardConfirmed,
  listUnconfirmedForwards,
  requestConfirmation,
  resendRequest,
} from "./forward-confirmations.ts";
import {
  answerForwardRequest,
  getRules,
  refreshForwards,
  resumeForward,
  saveRules,
} from "./mailbox-rules.ts";

let ctx: Context;
let domain: Awaited<ReturnType<typeof aDomain>>;
let ann: string;
let target: string;
beforeEach(async () => {
  ctx = aContext((await aCompany()).id);
  domain = await aDomain(ctx.companyId);
  ann = (await aMailbox(domain)).address;
  target = `ben-${crypto.randomUUID()}@outside.example`;
});

const requests = async () =>
  (await queuedNotices(ctx.companyId)).filter(({ kind }) => kind === "forward_requested").length;
const rowOf = async (mailbox = ann) =>
  (
    await db().select().from(forwardConfirmations).where(eq(forwardConfirmations.mailbox, mailbox))
  )[0]!;
const age = (days: number, mailbox = ann) =>
  db()
    .update(forwardConfirmations)
    .set({ requestedAt: sql`requested_at - make_interval(days => ${days})` })
    .where(eq(forwardConfirmations.mailbox, mailbox));
const answer = async (given: "confirmed" | "declined", mailbox = ann) =>
  answerForwardRequest(db(), (await findForwardRequest(db(), (await rowOf(mailbox)).id))!, given);
const redirects = async () => {
  const [row] = await db().select().from(mailboxRules).where(eq(mailboxRules.mailbox, ann));
  return row!.script.split("\r\n").filter((line) => line.startsWith("redirect"));
};
const request = (mailbox = ann, to = target, hours?: number) =>
  db().transaction((tx) => requestConfirmation({ ...ctx, db: tx }, mailbox, to, hours));

test("a new outside address is asked once, and the confirmation survives changes to the rules", async () => {
  const colleague = (await aMailbox(domain)).address;
  await saveRules(ctx, ann, { forwardTo: [target.replace("ben", "Ben"), colleague] });
  await saveRules(ctx, ann, { keepCopy: false });
  expect(await requests()).toBe(1);
  expect(await rowOf()).toMatchObject({
    target,
    written: target.replace("ben", "Ben"),
    isFromScript: false,
  });
  expect(await listUnconfirmedForwards(ctx, ann, [target, colleague])).toMatchObject([
    { address: target, isDeclined: false },
  ]);

  await answer("confirmed");
  expect(await isForwardConfirmed(db(), ann, target)).toBe(true);
  expect(await isForwardConfirmed(db(), colleague, target)).toBe(false);
  await saveRules(ctx, ann, { forwardTo: [] });
  await saveRules(ctx, ann, { forwardTo: [target] });
  expect(await requests()).toBe(1);
  expect(await listUnconfirmedForwards(ctx, ann, [target])).toEqual([]);
});

test("no address is asked where the policy allows or forbids forwarding", async () => {
  await allowForwarding(ctx.companyId);
  await saveRules(ctx, ann, { forwardTo: [target] });
  expect(await listUnconfirmedForwards(ctx, ann, [target])).toEqual([]);
  expect(await requests()).toBe(0);
  for (const policy of [{ forwarding: "forbidden" }, { outsideAllowed: false }] as const) {
    await db()
      .update(orgUnits)
      .set({ forwarding: "allowed", outsideAllowed: null, ...policy })
      .where(eq(orgUnits.companyId, ctx.companyId));
    const saved = saveRules(ctx, ann, { forwardTo: [target] });
    await expect(saved).rejects.toMatchObject({ reason: "not_allowed" });
  }
});

test("a request is repeated after it expired, on Resend after an hour, and three times at most", async () => {
  expect(await request()).toBe(true);
  expect(await request()).toBe(false);
  const resend = () => resendRequest(ctx, ann, { target, forwardTo: [target] });
  await expect(resend()).rejects.toMatchObject({ reason: "rate_limit_exceeded" });
  await age(1);
  expect(await request()).toBe(false);
  await resend();
  await age(8);
  expect(await request()).toBe(true);
  await age(8);
  expect(await request()).toBe(false);
  await expect(resend()).rejects.toMatchObject({ reason: "rate_limit_exceeded" });
  await age(31);
  expect(await request()).toBe(true);
  expect(await rowOf()).toMatchObject({ requests: 1 });
  expect(await requests()).toBe(4);
  const other = resendRequest(ctx, ann, { target: "x@outside.example", forwardTo: [target] });
  await expect(other).rejects.toMatchObject({ reason: "not_found" });
});

test("an address that declined isn't asked again for any mailbox of the company", async () => {
  await saveRules(ctx, ann, { forwardTo: [target] });
  await answer("declined");
  expect(await isForwardConfirmed(db(), ann, target)).toBe(false);
  await age(40);
  expect(await request()).toBe(false);
  expect(await request((await aMailbox(domain)).address)).toBe(false);
  expect(await listUnconfirmedForwards(ctx, ann, [target])).toMatchObject([{ isDeclined: true }]);
  const resent = resendRequest(ctx, ann, { target, forwardTo: [target] });
  await expect(resent).rejects.toMatchObject({ reason: "not_allowed" });
  expect(await requests()).toBe(1);
});

test("one address gets at most five requests a day from the whole server", async () => {
  const asked = [];
  for (let company = 0; company < 6; company += 1) {
    ctx = aContext((await aCompany()).id);
    const { address } = await aMailbox(await aDomain(ctx.companyId));
    asked.push(await request(address));
  }
  expect(asked).toEqual([true, true, true, true, true, false]);
});

test("tags of an address count as the address, in limits and after it declined", async () => {
  const tagged = Array.from({ length: 6 }, (_, at) => target.replace("@", `+${at}@`));
  const asked = [];
  for (const to of tagged) asked.push(await request(ann, to));
  expect(asked).toEqual([true, true, true, true, true, false]);
  await age(2);
  const other = (await aMailbox(domain)).address;
  await answer("declined");
  await db().delete(auditEntries).where(eq(auditEntries.companyId, ctx.companyId));
  expect(await request(other, target)).toBe(false);
});

test("limits and declined requests outlive the mailbox", async () => {
  const renew = async () => {
    await db().delete(mailboxes).where(eq(mailboxes.address, ann));
    ann = (await aMailbox(domain)).address;
  };
  const asked = [];
  for (let count = 0; count < 6; count += 1) {
    asked.push(await request());
    await renew();
  }
  expect(asked).toEqual([true, true, true, true, true, false]);

  target = `zoe-${crypto.randomUUID()}@outside.example`;
  await request();
  await answer("declined");
  await renew();
  expect(await request()).toBe(false);
});

test("one mailbox sends at most 20 requests a day, even concurrently", async () => {
  const targets = Array.from({ length: 22 }, () => `${crypto.randomUUID()}@outside.example`);
  const asked = await Promise.all(targets.map((to) => request(ann, to)));
  expect(asked.filter(Boolean)).toHaveLength(20);
});

test("lists addresses of the mailbox user's scripts for 30 days", async () => {
  await request();
  expect(await listUnconfirmedForwards(ctx, ann, [])).toMatchObject([{ address: target }]);
  await age(31);
  expect(await listUnconfirmedForwards(ctx, ann, [])).toEqual([]);
});

test("the script forwards only to confirmed addresses, and keeps a copy while one is missing", async () => {
  const colleague = (await aMailbox(domain)).address;
  await saveRules(ctx, ann, { forwardTo: [target, colleague], keepCopy: false });
  expect(await redirects()).toEqual([`redirect :copy "${colleague}";`]);
  await answer("confirmed");
  const both = [`redirect "${target}";`, `redirect "${colleague}";`];
  expect(await redirects()).toEqual(both);
  await answer("declined");
  expect(await redirects()).toEqual([`redirect :copy "${colleague}";`]);

  const root = await ensureRootUnit(ctx);
  await setPolicies(ctx, root, { forwarding: "allowed" });
  await refreshForwards(ctx);
  expect(await redirects()).toEqual(both);
  await saveRules(ctx, ann, { forwardTo: [target] });
  await setPolicies(ctx, root, { forwarding: null });
  await refreshForwards(ctx);
  expect(await redirects()).toEqual([]);
  expect(await getRules(ctx, ann)).toMatchObject({ forwardTo: [target], keepCopy: false });
});

test("the script leaves out suspended and forbidden forwards, so that the others go on", async () => {
  const colleague = (await aMailbox(domain)).address;
  const root = await ensureRootUnit(ctx);
  await setPolicies(ctx, root, { forwarding: "allowed" });
  await saveRules(ctx, ann, { forwardTo: [target, colleague], keepCopy: false });
  const both = [`redirect "${target}";`, `redirect "${colleague}";`];
  const rest = [`redirect :copy "${colleague}";`];
  expect(await redirects()).toEqual(both);
  const failure = { dsn: "5.1.1", reply: "550", suspendedAt: new Date().toISOString() };
  await db()
    .insert(forwardSuspensions)
    .values({ mailbox: ann, target, ...failure });
  await refreshForwards(ctx);
  expect(await redirects()).toEqual(rest);
  await resumeForward(ctx, ann, target);
  expect(await redirects()).toEqual(both);

  await setPolicies(ctx, root, { forwarding: "forbidden" });
  await refreshForwards(ctx);
  expect(await redirects()).toEqual(rest);
});

test("addresses that must confirm because of a stricter policy are asked once, unless they are the company's own", async () => {
  const root = await ensureRootUnit(ctx);
  await setPolicies(ctx, root, { forwarding: "allowed" });
  await saveRules(ctx, ann, { forwardTo: [target.replace("ben", "Ben")] });
  await setPolicies(ctx, root, { forwarding: "confirmed" });
  for (let run = 0; run < 2; run += 1) {
    await refreshForwards(ctx);
    await age(8);
  }
  expect(await requests()).toBe(1);
  expect(await rowOf()).toMatchObject({ target, isFromScript: false });
  expect(await redirects()).toEqual([]);

  const own = await aDomain(ctx.companyId);
  const kept = `ben@${own.name}`;
  await db().update(domains).set({ ownershipProvenAt: null }).where(eq(domains.id, own.id));
  await saveRules(ctx, ann, { forwardTo: [kept] });
  expect(await redirects()).toEqual([]);
  await db()
    .update(domains)
    .set({ ownershipProvenAt: new Date().toISOString() })
    .where(eq(domains.id, own.id));
  await refreshForwards(ctx);
  expect(await redirects()).toEqual([`redirect :copy "${kept}";`]);
});
