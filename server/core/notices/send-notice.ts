import { and, asc, eq, inArray, isNull } from "drizzle-orm";

import { type Admin, admins, companies, emails } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { acceptEmails } from "#server/core/emails/accept-emails.ts";
import type { EmailInput } from "#server/core/emails/email-input.ts";
import { wakePump } from "#server/core/outbox/wake-pump.ts";
import { whyNotNow } from "#server/core/outbox/why-not-now.ts";
import { ensurePlatform } from "#server/core/platform/ensure-platform.ts";
import type { Db } from "#server/db/client.ts";
import type { JobPayload } from "#server/jobs/catalogue.ts";

import { emailIdOf } from "./email-id.ts";
import { heldSendingNotice } from "./held-sending-notice.ts";
import { keepersOf } from "./keepers-of.ts";
import type { NoticeText } from "./notice-text.ts";
import type { Notice } from "./notify-owners.ts";
import { readHeldSending } from "./read-held-sending.ts";
import { readWebhookTrouble } from "./read-webhook-trouble.ts";
import { webhookNotice } from "./webhook-notice.ts";
import { writeNotice } from "./write-notice.ts";

type Person = Pick<Admin, "id" | "name" | "email">;

/**
 * Sends a notice to those of its company whom it concerns, as the appliance's own company. Does nothing when what it
 * tells of is over. Run any number of times, also at once, it sends each person one email: their ids are
 * known before, and none is taken twice.
 *
 * @throws Error while the emails are refused, for a limit or a full disk, and when another run was
 *   faster: the job is to be run again
 */
export async function sendNotice(
  db: Db,
  { id, companyId, notice }: JobPayload<"send_notice">,
): Promise<void> {
  const [company] = await db
    .select({ name: companies.name })
    .from(companies)
    .where(eq(companies.id, companyId));
  if (!company) return;
  const told = await whatToTell(db, { companyId, companyName: company.name, notice });
  if (!told) return;
  const people = await notYetTold(db, id, told.people);
  if (people.length === 0) return;

  const { text } = told;
  const problem = await whyNotNow(db);
  if (problem) throw new Error(problem);
  const platform = await ensurePlatform(db);
  const parts = { subject: text.subject, ...writeNotice(text) };
  const results = await acceptEmails(db, {
    companyId: platform.companyId,
    key: null,
    emails: people.map((person) => emailTo(person, platform.domain, parts)),
    ids: people.map((person) => emailIdOf(id, person.id)),
    allOrNone: true,
    claim: null,
    answerOf: () => null,
  });
  for (const result of results) if ("refusal" in result) throw result.refusal;
  wakePump(db);
}

/** Null when there is nothing to tell any more. */
async function whatToTell(
  db: Db,
  { companyId, companyName, notice }: { companyId: string; companyName: string; notice: Notice },
): Promise<{ text: NoticeText; people: Person[] } | null> {
  const names = { baseUrl: config().baseUrl, companyName };
  if (notice.kind === "sending_held") {
    const held = await readHeldSending(db, companyId, notice.mailbox);
    if (!held) return null;
    const people = await keepersOf(db, companyId, held.orgUnitId);
    return { text: heldSendingNotice(held, names), people };
  }
  const trouble = await readWebhookTrouble(db, companyId, notice);
  if (!trouble) return null;
  const people = await ownersOf(db, companyId);
  return { text: webhookNotice(notice.kind, trouble, names), people };
}

const ownersOf = (db: Db, companyId: string): Promise<Person[]> =>
  db
    .select({ id: admins.id, name: admins.name, email: admins.email })
    .from(admins)
    .where(
      and(eq(admins.companyId, companyId), eq(admins.isOwner, true), isNull(admins.disabledAt)),
    )
    .orderBy(asc(admins.createdAt));

async function notYetTold(db: Db, noticeId: string, people: Person[]): Promise<Person[]> {
  const ids = people.map((person) => emailIdOf(noticeId, person.id));
  const sent = await db.select({ id: emails.id }).from(emails).where(inArray(emails.id, ids));
  const told = new Set(sent.map((email) => email.id));
  return people.filter((_, index) => !told.has(ids[index]!));
}

function emailTo(
  { name, email }: Person,
  domain: string,
  parts: { subject: string; text: string; html: string },
): EmailInput {
  const sender = { name: "Posthouse", address: `posthouse@${domain}` };
  return {
    ...parts,
    from: `${sender.name} <${sender.address}>`,
    fromAddress: sender,
    to: [{ name: name.replace(/\p{Cc}/gu, ""), address: email }],
    cc: [],
    bcc: [],
    replyTo: [],
    // RFC 3834, 5: no vacation message answers it.
    headers: { "Auto-Submitted": "auto-generated" },
    tags: [{ name: "kind", value: "notice" }],
    scheduledAt: null,
    attachments: [],
  };
}
