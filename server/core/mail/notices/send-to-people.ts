import { inArray } from "drizzle-orm";

import { type Admin, emails } from "#drizzle/schema/index.ts";
import { acceptEmails } from "#server/core/sending/emails/accept-emails.ts";
import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import { wakePump } from "#server/core/sending/outbox/wake-pump.ts";
import { whyNotNow } from "#server/core/sending/outbox/why-not-now.ts";
import { ensurePlatform } from "#server/core/domains/own-domain/ensure-platform.ts";
import type { Db } from "#server/db/client.ts";

import { emailIdOf } from "./email-id.ts";
import type { NoticeText } from "./notice-text.ts";
import { writeNotice } from "./write-notice.ts";

export type Person = Pick<Admin, "id" | "name" | "email">;

/**
 * Sends a text to people as the appliance's own company, once to each: the ids of the emails follow from
 * the notice's.
 *
 * @param noticeId UUIDv7
 * @throws Error while the emails are refused, for a limit or a full disk, and when another run was
 *   faster: the job is to be run again
 */
export async function sendToPeople(
  db: Db,
  { noticeId, text, ...told }: { noticeId: string; people: Person[]; text: NoticeText },
): Promise<void> {
  const people = await notYetTold(db, noticeId, told.people);
  if (people.length === 0) return;

  const problem = await whyNotNow(db);
  if (problem) throw new Error(problem);
  const platform = await ensurePlatform(db);
  const parts = { subject: text.subject, ...writeNotice(text) };
  const results = await acceptEmails(db, {
    companyId: platform.companyId,
    key: null,
    emails: people.map((person) => emailTo(person, platform.domain, parts)),
    ids: people.map((person) => emailIdOf(noticeId, person.id)),
    allOrNone: true,
    claim: null,
    answerOf: () => null,
  });
  for (const result of results) if ("refusal" in result) throw result.refusal;
  wakePump(db);
}

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
