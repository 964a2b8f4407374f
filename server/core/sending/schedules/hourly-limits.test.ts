import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { emails, outbox, sendingSeconds, sendingTotals } from "#drizzle/schema/index.ts";
import { cancelEmail } from "#server/core/sending/emails/scheduled-emails.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { invalidateSettings } from "#server/core/platform/settings/read-settings.ts";
import type { SettingName } from "#server/core/platform/settings/settings.ts";
import { db } from "#server/db/pool.ts";
import { aContext, aSuppression } from "#server/testing/factories.ts";
import { historyOf } from "#server/testing/queued-emails.ts";
import {
  aScheduledEmail,
  aSchedulingCompany,
  type Scheduling,
  totalsOf,
} from "#server/testing/scheduled-emails.ts";
import { waitOutMidnight } from "#server/testing/utc-day.ts";

import { processDueEmails } from "./due-emails.ts";

beforeEach(() => waitOutMidnight());

const DUE = { due: -1 };
const people = (count: number) => Array.from({ length: count }, (_, i) => `r${i}@a.example`);

let sender: Scheduling;
beforeEach(async () => {
  await db().delete(emails);
  await db().delete(sendingTotals);
  await db().delete(sendingSeconds);
  await setLimits(4, 100);
  sender = await aSchedulingCompany();
});
afterEach(() => setLimits(450, 1800));

async function setLimits(company: number, platform: number) {
  const limits: [SettingName, number][] = [
    ["hourly_recipients_company", company],
    ["hourly_recipients_platform", platform],
  ];
  for (const [name, value] of limits) await changeSetting(db(), name, String(value));
  invalidateSettings();
}

const isSent = async (id: string) => (await db().$count(outbox, eq(outbox.emailId, id))) > 0;

/** Seconds until the scheduler checks it again. */
async function waitOf(id: string): Promise<number> {
  const [row] = await db()
    .select({ wait: sql<number>`extract(epoch from due_at - clock_timestamp())::float8` })
    .from(emails)
    .where(eq(emails.id, id));
  return row!.wait;
}
async function makeDue(id: string) {
  await db()
    .update(emails)
    .set({ dueAt: sql`clock_timestamp()` })
    .where(eq(emails.id, id));
}

describe("a due email over the hourly limit", () => {
  test("of its company stays scheduled and waits five minutes", async () => {
    const first = await aScheduledEmail(sender, people(3), DUE);
    const second = await aScheduledEmail(sender, people(2), DUE);

    expect(await processDueEmails(db())).toMatchObject({ sent: 1, waiting: 1 });

    expect(await isSent(first)).toBe(true);
    expect(await isSent(second)).toBe(false);
    expect(await historyOf(second)).toEqual(["scheduled"]);
    expect(await waitOf(second)).toBeGreaterThan(290);
    expect(await waitOf(second)).toBeLessThanOrEqual(300);
    expect(await totalsOf(sender.companyId)).toEqual({ hour: 3, month: 5, scheduled: 2 });
    expect(await auditLedger(db())).toMatchObject({ scheduled: 2, queued: 3, unaccounted: 0 });
  });

  test("is sent once the hour has room again", async () => {
    const first = await aScheduledEmail(sender, people(3), DUE);
    const second = await aScheduledEmail(sender, people(2), DUE);
    await processDueEmails(db());
    // An hour later none of it counts anymore.
    await db().delete(sendingSeconds);
    await db().update(sendingTotals).set({ hourRecipients: 0 });
    await makeDue(second);

    expect(await processDueEmails(db())).toMatchObject({ sent: 1 });

    expect([await isSent(first), await isSent(second)]).toEqual([true, true]);
    expect(await totalsOf(sender.companyId)).toEqual({ hour: 2, month: 5, scheduled: 0 });
  });

  test("waits again if there is still no room", async () => {
    await aScheduledEmail(sender, people(4), DUE);
    const id = await aScheduledEmail(sender, people(1), DUE);
    await processDueEmails(db());
    await makeDue(id);

    expect(await processDueEmails(db())).toMatchObject({ waiting: 1 });

    expect(await waitOf(id)).toBeGreaterThan(290);
  });

  test("can fill the limit to the last recipient", async () => {
    await aScheduledEmail(sender, people(3), DUE);
    const last = await aScheduledEmail(sender, people(1), DUE);

    expect(await processDueEmails(db())).toMatchObject({ sent: 2, waiting: 0 });

    expect(await isSent(last)).toBe(true);
  });

  test("of the platform waits too, whichever company it belongs to", async () => {
    await setLimits(100, 4);
    const first = await aScheduledEmail(sender, people(3), DUE);
    const second = await aScheduledEmail(await aSchedulingCompany(), people(2), DUE);

    expect(await processDueEmails(db())).toMatchObject({ sent: 1, waiting: 1 });

    expect([await isSent(first), await isSent(second)]).toEqual([true, false]);
  });

  test("does not delay other companies", async () => {
    await aScheduledEmail(sender, people(4), DUE);
    const waiting = await aScheduledEmail(sender, people(4), DUE);
    const other = await aScheduledEmail(await aSchedulingCompany(), people(4), DUE);

    await processDueEmails(db());

    expect([await isSent(waiting), await isSent(other)]).toEqual([false, true]);
  });

  test("can still be canceled", async () => {
    await aScheduledEmail(sender, people(4), DUE);
    const id = await aScheduledEmail(sender, people(1), DUE);
    await processDueEmails(db());

    await cancelEmail(aContext(sender.companyId), id);

    expect(await historyOf(id)).toEqual(["scheduled", "canceled"]);
    expect(await totalsOf(sender.companyId)).toEqual({ hour: 4, month: 4, scheduled: 0 });
  });

  test("ends as suppressed if no recipient remains", async () => {
    await aScheduledEmail(sender, people(4), DUE);
    await aSuppression(sender.companyId, { email: "zoe@z.example" });
    const id = await aScheduledEmail(sender, ["zoe@z.example"], DUE);

    expect(await processDueEmails(db())).toMatchObject({ waiting: 0, suppressed: 1 });

    expect(await historyOf(id)).toEqual(["scheduled", "suppressed zoe@z.example"]);
  });
});

test("concurrent schedulers never exceed the limit together", async () => {
  const companies = await Promise.all(Array.from({ length: 6 }, () => aSchedulingCompany()));
  await setLimits(5, 20);
  await Promise.all(
    companies.flatMap((company) =>
      Array.from({ length: 8 }, (_, i) => aScheduledEmail(company, [`r${i}@a.example`], DUE)),
    ),
  );

  await Promise.all(Array.from({ length: 5 }, () => processDueEmails(db())));

  const hours = await Promise.all(
    companies.map(async ({ companyId }) => (await totalsOf(companyId)).hour),
  );
  expect(Math.max(...hours)).toBeLessThanOrEqual(5);
  expect(hours.reduce((sum, hour) => sum + hour)).toBe(20);
  expect(await db().$count(outbox)).toBe(20);
});
