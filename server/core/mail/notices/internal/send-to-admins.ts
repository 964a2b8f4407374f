import { inArray } from "drizzle-orm";

import { type Admin, emails } from "#drizzle/schema/index.ts";
import { ensurePlatform } from "#server/core/domains/own-domain/own-domain.ts";
import { SECURITY_NOTICE_FIELD } from "#server/core/platform/notices/notify-admins.ts";
import { acceptEmails } from "#server/core/sending/emails/accept-emails.ts";
import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import { acceptanceBlocker } from "#server/core/sending/outbox/queue-depth.ts";
import { wakePump } from "#server/core/sending/outbox/queue-rows.ts";
import { deriveId } from "#server/core/shared/derive-id.ts";
import { escapeMarkup } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";
import type { Language } from "#server/universal/texts/languages.ts";

export type NoticeRecipient = Pick<Admin, "id" | "name" | "email">;

/** What only some notices have. */
type NoticeExtras = Partial<Pick<EmailInput, "replyTo" | "attachments">>;

/**
 * Emails a notice from the appliance's own company, once to each admin: the emails' ids derive from the notice's id.
 *
 * @param noticeId UUIDv7
 * @throws Error if the emails aren't accepted (limit, full disk) or a concurrent run won; retry the job
 */
export async function sendToAdmins(
  db: Db,
  {
    noticeId,
    text,
    extras = {},
    isSecurity = false,
    ...candidates
  }: {
    noticeId: string;
    people: NoticeRecipient[];
    text: NoticeText;
    extras?: NoticeExtras;
    /** Whether the notice is about who can sign in or who receives mail. */
    isSecurity?: boolean;
  },
): Promise<void> {
  const people = await excludeNotified(db, noticeId, candidates.people);
  if (people.length === 0) return;

  const problem = await acceptanceBlocker(db);
  if (problem) throw new Error(problem);
  const platform = await ensurePlatform(db);
  const headers = {
    // Prevents vacation replies (RFC 3834, 5).
    "Auto-Submitted": "auto-generated",
    ...(isSecurity && { [SECURITY_NOTICE_FIELD]: "yes" }),
  };
  const parts = { subject: text.subject, headers, ...renderNotice(text), ...extras };
  const results = await acceptEmails(db, {
    companyId: platform.companyId,
    key: null,
    emails: people.map((person) => emailTo(person, platform.domain, parts)),
    ids: people.map((person) => deriveId(noticeId, person.id)),
    allOrNone: true,
    keyLock: null,
    toAnswer: () => null,
  });
  for (const result of results) if ("refusal" in result) throw result.refusal;
  wakePump(db);
}

async function excludeNotified(
  db: Db,
  noticeId: string,
  people: NoticeRecipient[],
): Promise<NoticeRecipient[]> {
  const ids = people.map((person) => deriveId(noticeId, person.id));
  const sent = await db.select({ id: emails.id }).from(emails).where(inArray(emails.id, ids));
  const sentIds = new Set(sent.map((email) => email.id));
  return people.filter((_, index) => !sentIds.has(ids[index]!));
}

function emailTo(
  { name, email }: NoticeRecipient,
  domain: string,
  parts: Pick<EmailInput, "subject" | "headers" | "text" | "html"> & NoticeExtras,
): EmailInput {
  const sender = { name: "Posthouse", address: `posthouse@${domain}` };
  return {
    replyTo: [],
    attachments: [],
    ...parts,
    from: `${sender.name} <${sender.address}>`,
    fromAddress: sender,
    to: [{ name: name.replace(/\p{Cc}/gu, ""), address: email }],
    cc: [],
    bcc: [],
    tags: [{ name: "kind", value: "notice" }],
    scheduledAt: null,
  };
}

export const renderNotice = ({
  language = "en",
  subject,
  paragraphs,
  listing,
  link,
  footer,
}: NoticeText): {
  text: string;
  html: string;
} => ({
  text: [
    ...paragraphs,
    ...(listing === undefined ? [] : [listing]),
    ...(link ? [`${link.label}: ${link.url}`] : []),
    `-- \n${footer}`,
  ].join("\n\n"),
  html: `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escapeMarkup(subject)}</title></head>
<body style="margin:0;padding:24px;font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:15px;line-height:1.5;color:#1b1b20;background:#ffffff">
<div style="max-width:560px">
<h1 style="font-size:18px;margin:0 0 16px">${escapeMarkup(subject)}</h1>
${paragraphs.map((text) => `<p style="margin:0 0 16px">${escapeMarkup(text)}</p>`).join("\n")}
${listing === undefined ? "" : `<pre style="margin:0 0 16px;font-size:13px;white-space:pre-wrap;overflow-wrap:anywhere">${escapeMarkup(listing)}</pre>`}
${link ? `<p style="margin:24px 0"><a href="${escapeMarkup(link.url)}" style="color:#5239b3">${escapeMarkup(link.label)}</a></p>` : ""}
<p style="margin:0;font-size:13px;color:#62626c">${escapeMarkup(footer)}</p>
</div></body></html>
`,
});

/** The content of a notice. Paragraphs are plain text. */
export type NoticeText = {
  /** English if omitted. */
  language?: Language;
  subject: string;
  paragraphs: string[];
  /** Lines with fixed-width characters, below the paragraphs. */
  listing?: string;
  /** Null for people who can't sign in. */
  link: { label: string; url: string } | null;
  /** Why the admin receives it. */
  footer: string;
};

/** The content of a notice whose footer says where to turn it off. */
export type NoticeContent = Omit<NoticeText, "footer">;
