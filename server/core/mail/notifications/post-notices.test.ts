import { and, eq, isNull, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { v7 as uuidv7 } from "uuid";

import { admins, noticePosts, notificationSettings } from "#drizzle/schema/index.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import { db } from "#server/db/pool.ts";
import { createOutgoingHttp, type OutgoingHttp } from "#server/gateways/outgoing-http.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import {
  anHttpsReceiver,
  type Behavior,
  type HttpsReceiver,
} from "#server/testing/https-receiver.ts";
import ipaddr from "ipaddr.js";

import { postNotices, queuePosts } from "./post-notices.ts";

const CONTENT = {
  kind: "webhook",
  subject: "Northwind: <1> webhook & more",
  paragraphs: ["Fix it."],
  url: "https://mail.example/console/webhooks/1",
};

let receiver: HttpsReceiver;
let http: OutgoingHttp;
let guarded: OutgoingHttp;
beforeAll(async () => {
  receiver = await anHttpsReceiver();
  const resolver = createResolver({ dnsServers: [] });
  const loopback = [ipaddr.parseCIDR("127.0.0.0/8"), ipaddr.parseCIDR("::1/128")];
  http = createOutgoingHttp({ resolver, allowedPrivate: loopback, ca: receiver.certificate });
  guarded = createOutgoingHttp({ resolver, allowedPrivate: [], ca: receiver.certificate });
});
afterAll(async () => {
  await Promise.all([http.close(), guarded.close()]);
  await receiver.close();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.script.length = 0;
});

async function aReader(overrides: Partial<typeof notificationSettings.$inferInsert> = {}) {
  const { id: companyId } = await aCompany();
  const { email, id: adminId } = await anAdmin(companyId, { isOwner: true });
  const [settings] = await db()
    .insert(notificationSettings)
    .values({
      email,
      companyId,
      sealedUrl: seal("notification_url", `${receiver.url}hook?token=secret`),
      ...overrides,
    })
    .returning();
  return { ...settings!, adminId };
}

const queue = (settingsId: string, noticeId = uuidv7()) =>
  queuePosts(db(), { noticeId, settingsIds: [settingsId], content: CONTENT });
const waiting = (settingsId: string) =>
  db().$count(
    noticePosts,
    and(eq(noticePosts.settingsId, settingsId), isNull(noticePosts.postedAt)),
  );
const state = async (id: string) =>
  (await db().select().from(notificationSettings).where(eq(notificationSettings.id, id)))[0]!;
const becomeDue = (id: string) =>
  db()
    .update(notificationSettings)
    .set({ urlNextAttemptAt: sql`clock_timestamp()` })
    .where(eq(notificationSettings.id, id));
const bodies = () =>
  receiver.received.map(({ body }) => JSON.parse(body) as Record<string, string>);
const answers = (...script: Behavior[]) => receiver.script.push(...script);

test("posts text that Slack shows, once even if it is queued again or two workers run", async () => {
  const { id } = await aReader();
  const noticeId = uuidv7();
  await queue(id, noticeId);
  await Promise.all([postNotices(db(), id, http), postNotices(db(), id, http)]);
  await queue(id, noticeId);
  await postNotices(db(), id, http);
  expect(receiver.received).toMatchObject([{ method: "POST", path: "/hook?token=secret" }]);
  expect(bodies()).toEqual([
    {
      text: "*Northwind: &lt;1&gt; webhook &amp; more*\nFix it.\nhttps://mail.example/console/webhooks/1",
    },
  ]);
  expect(await state(id)).toMatchObject({ urlFailures: 0, urlError: null });
  expect((await state(id)).urlPostedAt).not.toBeNull();
});

test("posts JSON on request, with an id that stays the same", async () => {
  const { id } = await aReader({ urlFormat: "json" });
  await queue(id);
  answers(500);
  await postNotices(db(), id, http);
  await becomeDue(id);
  await postNotices(db(), id, http);
  const [first, second] = bodies();
  expect(first).toMatchObject({ kind: "webhook", subject: CONTENT.subject, text: "Fix it." });
  expect(second).toEqual(first);
});

test("URLs that don't respond hold two of the slots for jobs at most", async () => {
  for (let count = 0; count < 20; count++) await queue((await aReader()).id);
  const queues = await db().execute<{ name: string | null }>(sql`
    select distinct queue_name as name from graphile_worker.jobs where task_identifier = 'post_notices'`);
  expect(queues.map(({ name }) => name).toSorted()).toEqual(["post_notices:0", "post_notices:1"]);
});

test("a failure is shown and retried with backoff, and delays no other URL", async () => {
  const failing = await aReader();
  const working = await aReader();
  await queue(failing.id);
  await queue(failing.id);
  await queue(working.id);
  answers("drop", "drop");
  await postNotices(db(), failing.id, http);
  await postNotices(db(), failing.id, http);
  answers(200);
  await postNotices(db(), working.id, http);

  expect(await waiting(working.id)).toBe(0);
  expect(await waiting(failing.id)).toBe(2);
  const shown = await state(failing.id);
  expect(shown).toMatchObject({ urlFailures: 1, urlError: "ECONNRESET" });
  const delayMs = Date.parse(shown.urlNextAttemptAt) - Date.now();
  expect(delayMs).toBeGreaterThan(15_000);
  const [job] = await db().execute<{ runAt: string }>(sql`
    select run_at::text as "runAt" from graphile_worker._private_jobs
    where key = ${`post_notices:${failing.id}`}`);
  expect(Math.abs(Date.parse(job!.runAt) - Date.parse(shown.urlNextAttemptAt))).toBeLessThan(1_000);

  receiver.script.length = 0;
  await becomeDue(failing.id);
  await postNotices(db(), failing.id, http);
  expect(await waiting(failing.id)).toBe(0);
  expect(await state(failing.id)).toMatchObject({ urlFailures: 0, urlFailingSince: null });
});

test("private addresses are never called", async () => {
  const { id } = await aReader();
  await queue(id);
  await postNotices(db(), id, guarded);
  expect(receiver.received).toEqual([]);
  expect(await state(id)).toMatchObject({ urlError: "private_address" });
});

test("notices are dropped after a day, and when their reader loses access", async () => {
  const late = await aReader();
  await queue(late.id);
  await db()
    .update(noticePosts)
    .set({ createdAt: sql`clock_timestamp() - interval '25 hours'` });
  const disabled = await aReader();
  await queue(disabled.id);
  await db()
    .update(admins)
    .set({ disabledAt: sql`clock_timestamp()` })
    .where(eq(admins.id, disabled.adminId));
  for (const { id } of [late, disabled]) await postNotices(db(), id, http);
  expect(receiver.received).toEqual([]);
  expect(await waiting(late.id)).toBe(0);
  await db().delete(admins).where(eq(admins.id, disabled.adminId));
  expect(await state(disabled.id)).toBeUndefined();
});

test("a URL that responds slowly gives others their turn", async () => {
  const { id } = await aReader();
  for (let count = 0; count < 3; count++) await queue(id);
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const slow: OutgoingHttp = {
    ...http,
    request(options) {
      vi.advanceTimersByTime(6_000);
      return http.request(options);
    },
  };
  await postNotices(db(), id, slow);
  expect(await waiting(id)).toBe(1);
  await postNotices(db(), id, slow);
  expect(await waiting(id)).toBe(0);
});
