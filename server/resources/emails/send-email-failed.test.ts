import { randomBytes } from "node:crypto";

import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { dkimKeys, emailBodies, emails, outbox } from "#drizzle/schema/index.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { db } from "#server/db/pool.ts";
import { anApiSender, historyOf } from "#server/testing/api-sender.ts";
import { call } from "#server/testing/call.ts";

import { emailsApi } from "./api.ts";

const KEY_PROBLEM = "The DKIM key of the sending domain can't be opened";

test("returns 500 for an email that the mail server does not accept, and records it as failed with the reason", async () => {
  const { key, email, domain, companyId } = await anApiSender({ monthlyAllowance: 1 });
  await db().delete(dkimKeys).where(eq(dkimKeys.domainId, domain.id));

  const { status, body } = await call(emailsApi.send, { key, body: email });

  const [failed] = await db().select().from(emails).where(eq(emails.companyId, companyId));
  expect({ status, body }).toEqual({
    status: 500,
    body: {
      statusCode: 500,
      name: "application_error",
      message: expect.stringContaining(failed!.id) as string,
    },
  });
  expect(failed).toMatchObject({ lastEvent: "failed", messageId: null, sentAt: null });
  expect(await historyOf(failed!.id)).toEqual([
    { type: "failed", recipient: null, reason: "The sending domain has no DKIM key" },
  ]);
  expect(await db().$count(outbox, eq(outbox.emailId, failed!.id))).toBe(0);
  expect(await db().$count(emailBodies, eq(emailBodies.emailId, failed!.id))).toBe(0);
  expect(await auditLedger(db())).toMatchObject({ failed: 1, unaccounted: 0 });
});

test("returns 500 for a domain whose DKIM key was sealed with another instance key", async () => {
  const { key, email, domain, companyId } = await anApiSender({});
  const sealedElsewhere = `v1.${randomBytes(64).toString("base64url")}`;
  await db()
    .update(dkimKeys)
    .set({ sealedPrivateKey: sealedElsewhere })
    .where(eq(dkimKeys.domainId, domain.id));

  expect((await call(emailsApi.send, { key, body: email })).status).toBe(500);
  const [failed] = await db().select().from(emails).where(eq(emails.companyId, companyId));
  expect(await historyOf(failed!.id)).toEqual([
    { type: "failed", recipient: null, reason: KEY_PROBLEM },
  ]);
  expect(await db().$count(outbox, eq(outbox.emailId, failed!.id))).toBe(0);
});

test("a failed email does not count toward the monthly allowance", async () => {
  const { key, email, domain } = await anApiSender({ monthlyAllowance: 1 });
  const [dkimKey] = await db().delete(dkimKeys).where(eq(dkimKeys.domainId, domain.id)).returning();
  expect((await call(emailsApi.send, { key, body: email })).status).toBe(500);
  await db().insert(dkimKeys).values(dkimKey!);
  expect((await call(emailsApi.send, { key, body: email })).status).toBe(200);
});
