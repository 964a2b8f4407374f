import { v7 as uuidv7 } from "uuid";

import { findPerson } from "./find-person.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";
import type { PersonalNotice } from "#server/core/platform/notices/notify-owners.ts";

/**
 * Has a person told by email, so that they notice what was not them. Called inside the transaction of the
 * change. Who is shut out everywhere is told nothing.
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
