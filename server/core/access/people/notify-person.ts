import { v7 as uuidv7 } from "uuid";

import { findPerson } from "./find-person.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";
import type { PersonalNotice } from "#server/core/platform/notices/notify-admins.ts";

/**
 * Enqueues an email about a change to the person's sign-in, so that they notice one they didn't make. Call in
 * the transaction of the change. Does nothing if the person can't open any company.
 */
export async function notifyPerson(
  db: Db,
  { email, what }: { email: string; what: PersonalNotice },
): Promise<void> {
  const person = await findPerson(db, email);
  if (!person) return;
  const notice = { kind: "sign_in_changed", email, what } as const;
  await enqueue(db, "send_notice", { id: uuidv7(), companyId: person.companyId, notice });
}
