import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { emailEvents, type EmailEventType, emails, outbox } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aQueuedEmail, aSender, type Sender } from "#server/testing/queued-emails.ts";

import { auditLedger } from "./ledger.ts";

let sender: Sender;
beforeEach(async () => {
  await db().delete(emails);
  sender = await aSender();
});

type Happening = [type: EmailEventType, recipient?: string];

/** An email with this history and these recipients still in the outbox. */
async function anEmail(recipients: string[], history: Happening[], queued: string[] = []) {
  const id = await aQueuedEmail(sender, ...recipients);
  await db().delete(emailEvents).where(eq(emailEvents.emailId, id));
  await db().delete(outbox).where(eq(outbox.emailId, id));
  if (history.length > 0)
    await db()
      .insert(emailEvents)
      .values(
        history.map(([type, recipient = null]) => ({
          emailId: id,
          companyId: sender.companyId,
          type,
          recipient,
        })),
      );
  if (queued.length > 0)
    await db()
      .insert(outbox)
      .values(queued.map((recipient) => ({ emailId: id, recipient, destination: "a.example" })));
  return id;
}

const [ann, bob, cay, dan] = ["ann@a.example", "bob@a.example", "cay@a.example", "dan@a.example"];

test("an empty ledger balances", async () => {
  expect(await auditLedger(db())).toEqual({
    accepted: 0,
    delivered: 0,
    bounced: 0,
    failed: 0,
    queued: 0,
    scheduled: 0,
    canceled: 0,
    suppressed: 0,
    unaccounted: 0,
    examples: [],
  });
});

test("counts each recipient in the state that the evidence shows", async () => {
  await anEmail(
    [ann, bob, cay, dan, "eve@a.example"],
    [
      ["suppressed", dan],
      ["sent"],
      ["delivery_delayed", ann],
      ["delivered", ann],
      ["delivery_delayed", bob],
      ["bounced", cay],
      ["failed", "eve@a.example"],
      ["opened"],
    ],
    [bob],
  );
  await anEmail([ann], [["scheduled"]]);
  await anEmail([ann, bob], [["suppressed", bob], ["scheduled"], ["canceled"]]);
  await anEmail([ann, bob], [["scheduled"], ["queued"], ["failed"]]);
  await anEmail([ann], [["suppressed", ann]]);
  await anEmail([ann], [["scheduled"], ["queued"], ["sent"]], [ann]);

  expect(await auditLedger(db())).toEqual({
    accepted: 12,
    delivered: 1,
    bounced: 1,
    failed: 3,
    queued: 2,
    scheduled: 1,
    canceled: 1,
    suppressed: 3,
    unaccounted: 0,
    examples: [],
  });
});

test("counts a repeated address once, and a late bounce as bounced", async () => {
  const id = await anEmail([ann, ann], [["sent"], ["delivered", ann], ["bounced", ann]]);
  await db()
    .update(emails)
    .set({ cc: [ann] })
    .where(eq(emails.id, id));
  expect(await auditLedger(db())).toMatchObject({ accepted: 1, bounced: 1, unaccounted: 0 });
});

const doubtful: [why: string, history: Happening[], queued: string[]][] = [
  ["sent, but has no outcome", [["sent"]], []],
  ["sent, but has no outcome", [["scheduled"], ["sent"]], []],
  ["sent, but has no outcome", [["sent"], ["delivery_delayed", ann]], []],
  ["has no history", [], []],
  ["queued, but also delivered", [["sent"], ["delivered", ann]], [ann]],
  ["queued twice", [["sent"]], [ann, ann]],
  ["queued, but the email is canceled", [["scheduled"], ["canceled"]], [ann]],
  ["queued, but the email failed", [["failed"]], [ann]],
  ["the email has no sent event", [], [ann]],
  ["the email has no sent event", [["delivered", ann]], []],
  ["recorded as delivered more than once", [["sent"], ["delivered", ann], ["delivered", ann]], []],
  ["canceled, but sent", [["scheduled"], ["canceled"], ["sent"], ["delivered", ann]], []],
];

test.each(doubtful)("unaccounted: %s", async (why, history, queued) => {
  await anEmail([bob], [["sent"], ["delivered", bob]]);
  const id = await anEmail([ann], history, queued);
  expect(await auditLedger(db())).toMatchObject({
    accepted: 2,
    delivered: 1,
    unaccounted: 1,
    examples: [{ emailId: id, recipient: ann, why }],
  });
});

test("lists at most twenty examples and counts all", async () => {
  await anEmail(
    Array.from({ length: 30 }, (_, i) => `r${i}@a.example`),
    [["sent"]],
  );
  const { unaccounted, examples } = await auditLedger(db());
  expect(unaccounted).toBe(30);
  expect(examples).toHaveLength(20);
});
