import { eq, sql } from "drizzle-orm";
import { v7 } from "uuid";

import { admins } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { findPerson } from "#server/core/access/people/people.ts";
import {
  createResetLink,
  deleteResetLink,
  hasMaxResetLinks,
} from "#server/core/access/people/person-passwords.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import type { Db } from "#server/db/client.ts";

import {
  type NoticeRecipient,
  type NoticeText,
  renderNotice,
  sendToAdmins,
} from "./internal/send-to-admins.ts";
import { resetLinkNotice } from "./internal/sign-in-notice.ts";

/** A notice to operators as text and HTML. */
export const renderOperatorNotice = (text: NoticeText): { text: string; html: string } =>
  renderNotice(text);

/** Emails a notice from the appliance's own company, once to each address, however often it is called. */
export const sendOperatorNotice = (
  db: Db,
  notice: { noticeId: string; people: NoticeRecipient[]; text: NoticeText },
): Promise<void> => sendToAdmins(db, notice);

/** The addresses with the names of those that belong to admins. */
export async function listNoticeAddresses(db: Db, addresses: string[]): Promise<NoticeRecipient[]> {
  const rows = await db.execute<{ email: string; name: string }>(sql`
    select distinct on (email) email, name from admins
    where email = any(${`{${addresses.map((address) => `"${address}"`).join(",")}}`}::text[])
    order by email, created_at`);
  const names = new Map(rows.map(({ email, name }) => [email, name]));
  return addresses.map((email) => ({ id: email, email, name: names.get(email) ?? "" }));
}

/**
 * Emails an admin a link to reset their password, at most three an hour. Does nothing for an unknown address or an
 * admin who can't sign in. The other owners are notified if others were given access to that admin's mail lately.
 *
 * @throws Error if the email isn't accepted; retry the job
 */
export async function sendResetLink(db: Db, email: string): Promise<void> {
  const person = await findPerson(db, email);
  if (!person || (await hasMaxResetLinks(db, email))) return;
  const [admin] = await db.select().from(admins).where(eq(admins.id, person.adminId));
  const link = await createResetLink(db, email, { isMailed: true });
  const text = resetLinkNotice({ email, link }, { baseUrl: config().baseUrl });
  try {
    await sendToAdmins(db, { noticeId: v7(), people: [admin!], text });
  } catch (error) {
    await deleteResetLink(db, link);
    throw error;
  }
  const companies = await db
    .select({ companyId: admins.companyId })
    .from(admins)
    .where(eq(admins.email, email));
  for (const { companyId } of companies)
    await notifyAdmins({ db, companyId }, { kind: "sign_in_mail_shared", email, event: "reset" });
}
