import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { auditEntries, forwardConfirmations, mailboxes } from "#drizzle/schema/index.ts";
import {
  forwardRequestUrl,
  isForwardConfirmed,
} from "#server/core/mailboxes/mailbox-rules/forward-confirmations.ts";
import { saveRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";
import { aTrackingServer } from "#server/testing/tracking-server.ts";

const DAY_MS = 86_400_000;

let web: Awaited<ReturnType<typeof aTrackingServer>>;
let ctx: Context;
let ann: string;
let id: string;
beforeAll(async () => {
  web = await aTrackingServer();
});
afterAll(() => web.stop());
beforeEach(async () => {
  ctx = aContext((await aCompany({ name: "Ann & <b>Sons" })).id);
  ann = (await aMailbox(await aDomain(ctx.companyId))).address;
  await saveRules(ctx, ann, { forwardTo: ["Ben@outside.example"] });
  const [row] = await db()
    .select()
    .from(forwardConfirmations)
    .where(eq(forwardConfirmations.mailbox, ann));
  id = row!.id;
  // Tests ask the same address.
  await db()
    .update(forwardConfirmations)
    .set({ requestedAt: sql`requested_at - interval '2 days'` });
});

const path = (now = new Date()) => new URL(forwardRequestUrl(id, now)).pathname;
const isConfirmed = () => isForwardConfirmed(db(), ann, "ben@outside.example");
const audited = async () =>
  (await db().select().from(auditEntries).where(eq(auditEntries.companyId, ctx.companyId))).map(
    ({ action }) => action,
  );

test("opening the link asks and confirms nothing", async () => {
  for (const method of ["GET", "HEAD"])
    expect(await web.ask(path(), {}, method)).toMatchObject({
      status: 200,
      headers: { "cache-control": "no-store", "referrer-policy": "no-referrer" },
    });
  expect((await web.ask(`${path()}?decline`)).text).toContain("Ann &amp; &lt;b&gt;Sons");
  expect((await web.ask(path())).text).toContain("Forward mail to you?");
  expect(await isConfirmed()).toBe(false);
});

test("confirms, then stops, as the buttons are pressed", async () => {
  for (const { text } of await Promise.all([1, 2].map(() => web.ask(path(), {}, "POST"))))
    expect(text).toContain("Forwarding is on");
  expect(await isConfirmed()).toBe(true);
  expect((await web.ask(path(), {}, "POST")).status).toBe(200);
  expect((await web.ask(path())).text).toContain("Stop forwarding");

  const late = path(new Date(Date.now() - 100 * DAY_MS));
  expect((await web.ask(`${late}?decline`, {}, "POST")).text).toContain("Nothing is forwarded");
  expect(await isConfirmed()).toBe(false);
  expect((await audited()).filter((action) => /confirmed|declined/.test(action))).toEqual([
    "mailbox_rules.forward_confirmed",
    "mailbox_rules.forward_declined",
  ]);
});

test("a page that shows an answer offers the opposite one", async () => {
  const press = async (url: string, label: string) => {
    const { text } = await web.ask(url);
    const [, attributes] = new RegExp(`<button([^>]*)>${label}</button>`).exec(text)!;
    // A button without `formaction` posts to the page's URL.
    const [, target = url] = /formaction="([^"]*)"/.exec(attributes!) ?? [];
    const { pathname, search } = new URL(target, `http://localhost${url}`);
    await web.ask(`${pathname}${search}`, {}, "POST");
    return `${pathname}${search}`;
  };
  const declined = await press(path(), "Decline");
  expect(await isConfirmed()).toBe(false);
  const confirmed = await press(declined, "Confirm forwarding");
  expect(await isConfirmed()).toBe(true);
  await press(confirmed, "Stop forwarding");
  expect(await isConfirmed()).toBe(false);
});

test("an expired link only declines", async () => {
  const late = path(new Date(Date.now() - 8 * DAY_MS));
  expect((await web.ask(late)).text).toContain("This request has expired");
  expect((await web.ask(late, {}, "POST")).status).toBe(410);
  expect(await isConfirmed()).toBe(false);
  expect((await web.ask(`${late}?decline`, {}, "POST")).status).toBe(200);
  expect((await web.ask(late)).text).not.toContain("<button");
});

test("a changed link, or one of a deleted mailbox, confirms nothing", async () => {
  const good = path();
  const changed = good.slice(0, -3) + (good.at(-3) === "A" ? "B" : "A") + good.slice(-2);
  for (const link of [changed, `${good}AAAA`, "/forward/AAAA"])
    expect([link, (await web.ask(link, {}, "POST")).status]).toEqual([link, 404]);
  expect(await isConfirmed()).toBe(false);
  await db().delete(mailboxes).where(eq(mailboxes.address, ann));
  expect((await web.ask(good, {}, "POST")).status).toBe(410);
});
