import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";

import { sendingSeconds, sendingTotals } from "#drizzle/schema/index.ts";
import { PLATFORM } from "#server/core/sending/quotas/totals.ts";
import { SCHEDULES_CHANNEL } from "#server/core/sending/schedules/schedules.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { wakesSent } from "#server/core/shared/wake.ts";
import { db, pool } from "#server/db/pool.ts";
import { anApiSender, emailsOf, withSettings } from "#server/testing/api-sender.ts";

import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import type { EmailRequest } from "./email-request.ts";
import { writeRequests } from "./write-requests.ts";

type Sender = Awaited<ReturnType<typeof anApiSender>>;

const anInput = (sender: Sender, input: Partial<EmailInput> = {}): EmailInput => ({
  from: sender.email.from,
  fromAddress: { name: "Ann", address: `ann@${sender.domain.name}` },
  to: [{ name: "", address: "bob@example.org" }],
  cc: [],
  bcc: [],
  replyTo: [],
  subject: "Hello",
  html: null,
  text: "Hi",
  headers: {},
  tags: [],
  scheduledAt: null,
  attachments: [],
  ...input,
});

const aSubmission = (sender: Sender, inputs: EmailInput[] = [anInput(sender)]): EmailRequest => ({
  companyId: sender.companyId,
  key: { keyId: sender.keyId, domainId: null, isTest: false },
  emails: inputs,
  allOrNone: true,
  keyLock: null,
  toAnswer: () => null,
});

const write = async (request: EmailRequest) => (await writeRequests(db(), [request]))[0]!;

test("concurrent web processes never exceed the hourly limit", async () => {
  const [one, two] = [await anApiSender(), await anApiSender()];
  await withSettings({ hourly_recipients_company: 5, hourly_recipients_platform: 8 });
  // Each call writes one process's group; no other code merges them.
  const outcomes = await Promise.all(
    [one, two].flatMap((sender) => Array.from({ length: 12 }, () => write(aSubmission(sender)))),
  );
  expect(outcomes.filter((outcome) => !(outcome instanceof Refusal))).toHaveLength(8);
  const counts = [await emailsOf(one.companyId), await emailsOf(two.companyId)];
  expect(counts[0]! + counts[1]!).toBe(8);
  expect(Math.max(...counts)).toBeLessThanOrEqual(5);
  const [platform] = await db()
    .select()
    .from(sendingTotals)
    .where(eq(sendingTotals.scope, PLATFORM));
  const seconds = await db()
    .select()
    .from(sendingSeconds)
    .where(eq(sendingSeconds.scope, PLATFORM));
  expect(platform!.hourRecipients).toBe(8);
  expect(seconds.reduce((sum, { recipients }) => sum + recipients, 0)).toBe(8);
});

test("concurrent processes never exceed the monthly allowance and the backlog", async () => {
  await withSettings({ hourly_recipients_company: 450, hourly_recipients_platform: 1_000_000 });
  await withSettings({ scheduled_backlog: 3 });
  const monthly = await anApiSender({ monthlyAllowance: 4 });
  const waiting = await anApiSender();
  const later = { scheduledAt: new Date(Date.now() + 3_600_000) };
  await Promise.all([
    ...Array.from({ length: 10 }, () => write(aSubmission(monthly))),
    ...Array.from({ length: 10 }, () => write(aSubmission(waiting, [anInput(waiting, later)]))),
  ]);
  expect(await emailsOf(monthly.companyId)).toBe(4);
  expect(await emailsOf(waiting.companyId)).toBe(3);
});

test("in a group, each request is counted after the previous one, and a rejected one counts nothing", async () => {
  await withSettings({ hourly_recipients_company: 3 });
  const sender = await anApiSender();
  const three = [anInput(sender), anInput(sender), anInput(sender)];
  const outcomes = await writeRequests(db(), [
    aSubmission(sender),
    aSubmission(sender, three),
    aSubmission(sender, three.slice(0, 2)),
  ]);
  expect(outcomes.map((outcome) => outcome instanceof Refusal)).toEqual([false, true, false]);
  expect(await emailsOf(sender.companyId)).toBe(3);
});

test("writes an attachment together with its email, or neither", async () => {
  await withSettings({ hourly_recipients_company: 450 });
  const sender = await anApiSender();
  const attachments = [
    { filename: "\0", contentType: null, contentId: null, content: Buffer.from("x") },
  ];
  await expect(write(aSubmission(sender, [anInput(sender, { attachments })]))).rejects.toThrow();
  expect(await emailsOf(sender.companyId)).toBe(0);
  const [totals] = await db()
    .select()
    .from(sendingTotals)
    .where(eq(sendingTotals.scope, sender.companyId));
  expect(totals?.hourRecipients ?? 0).toBe(0);
});

test("accepting a scheduled email wakes the scheduler, and no other email does", async () => {
  const sender = await anApiSender();
  const woken = vi.fn();
  const listening = await pool().sql.listen(SCHEDULES_CHANNEL, woken);
  await write(aSubmission(sender));
  await wakesSent();
  const scheduledAt = new Date(Date.now() + 60_000);
  await write(aSubmission(sender, [anInput(sender, { scheduledAt })]));
  await vi.waitFor(() => expect(woken).toHaveBeenCalledOnce());
  await listening.unlisten();
});
