import { v7 as uuidv7 } from "uuid";

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
import { eq } from "drizzle-orm";

import { sendToAdmins } from "./internal/send-to-admins.ts";
import { resetLinkNotice } from "./internal/sign-in-notice.ts";

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
    await sendToAdmins(db, { noticeId: uuidv7(), people: [admin!], text });
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
