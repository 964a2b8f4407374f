import {
  findPasswordLink,
  LINK_DAYS,
  passwordLink,
} from "#server/core/mailboxes/sign-in/password-link.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import type { JobPayload } from "#server/jobs/catalogue.ts";

import type { NoticeText } from "./notice-text.ts";

type LinkNotice = Extract<JobPayload<"send_notice">["notice"], { kind: "password_link" }>;
type Names = { baseUrl: string; companyName: string };

/** The first mail to a new mailbox user, at a private address; null once the link no longer works. */
export async function preparePasswordLink(
  { db, companyId }: CompanyScope,
  { mailbox, to, sentBy, sealedToken }: LinkNotice,
  names: Names,
) {
  const token = unseal("password_link", sealedToken);
  const found = await findPasswordLink(db, token);
  if (found?.address !== mailbox || found.companyId !== companyId) return null;
  return {
    text: passwordLinkNotice({ mailbox, sentBy, link: passwordLink(token) }, names),
    // There is one recipient, who needs no id but the address.
    people: [{ id: to, name: "", email: to }],
    extras: { replyTo: [{ name: "", address: sentBy }] },
  };
}

function passwordLinkNotice(
  { mailbox, sentBy, link }: { mailbox: string; sentBy: string; link: string },
  { baseUrl, companyName }: Names,
): NoticeText {
  const { host } = new URL(baseUrl);
  return {
    subject: `Your new email address ${mailbox}`,
    paragraphs: [
      `${sentBy} created the mailbox ${mailbox} for you at ${companyName}. Open the link below to choose your password.`,
      `The link works once and expires after ${LINK_DAYS} days, or when you get a newer one. Don’t share it: anyone who opens it can set your password.`,
      `Next, sign in at ${baseUrl}/account to connect your mail app.`,
    ],
    link: { label: "Choose your password", url: link },
    footer: `You’re receiving this email because ${sentBy} entered your address at ${host}. Your reply goes to them. If you don’t know them, ignore this email.`,
  };
}
