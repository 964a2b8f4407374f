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
import { readWebhookTrouble } from "./read-webhook-trouble.ts";
import { webhookNotice } from "./webhook-notice.ts";
import { writeNotice } from "./write-notice.ts";

type Owner = Pick<Admin, "id" | "name" | "email">;

/**
 * Sends a notice to each owner of its company, as the appliance's own company. Does nothing when what it
 * tells of is over. Run any number of times, also at once, it sends each owner one email: their ids are
 * known before, and none is taken twice.
 *
 * @throws Error while the emails are refused, for a limit or a full disk, and when another run was
 *   faster: the job is to be run again
 */
export async function sendNotice(
  db: Db,
  { id, companyId, notice }: JobPayload<"send_notice">,
): Promise<void> {
  const trouble = await readWebhookTrouble(db, companyId, notice);
  const [company] = await db
    .select({ name: companies.name })
    .from(companies)
    .where(eq(companies.id, companyId));
  if (!trouble || !company) return;
  const owners = await notYetTold(db, id, await ownersOf(db, companyId));
  if (owners.length === 0) return;

  const text = webhookNotice(notice.kind, trouble, {
    baseUrl: config().baseUrl,
    companyName: company.name,
  });
  const problem = await whyNotNow(db);
  if (problem) throw new Error(problem);
  const platform = await ensurePlatform(db);
  const parts = { subject: text.subject, ...writeNotice(text) };
  const results = await acceptEmails(db, {
    companyId: platform.companyId,
    key: null,
    emails: owners.map((owner) => emailTo(owner, platform.domain, parts)),
    ids: owners.map((owner) => emailIdOf(id, owner.id)),
    allOrNone: true,
    claim: null,
    answerOf: () => null,
  });
  for (const result of results) if ("refusal" in result) throw result.refusal;
  wakePump(db);
}

const ownersOf = (db: Db, companyId: string): Promise<Owner[]> =>
  db
    .select({ id: admins.id, name: admins.name, email: admins.email })
    .from(admins)
    .where(
      and(eq(admins.companyId, companyId), eq(admins.isOwner, true), isNull(admins.disabledAt)),
    )
    .orderBy(asc(admins.createdAt));

async function notYetTold(db: Db, noticeId: string, owners: Owner[]): Promise<Owner[]> {
  const ids = owners.map((owner) => emailIdOf(noticeId, owner.id));
  const sent = await db.select({ id: emails.id }).from(emails).where(inArray(emails.id, ids));
  const told = new Set(sent.map((email) => email.id));
  return owners.filter((_, index) => !told.has(ids[index]!));
}

function emailTo(
  { name, email }: Owner,
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
