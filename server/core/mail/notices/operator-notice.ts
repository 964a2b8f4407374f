import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import type { NoticeText } from "./internal/notice-text.ts";
import { type NoticeRecipient, renderNotice, sendToAdmins } from "./internal/send-to-admins.ts";

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
