import { type SQL, sql } from "drizzle-orm";

import { eraseFromAudit } from "#server/core/shared/audit/erase-from-audit.ts";
import type { Db } from "#server/db/client.ts";

import type { Person } from "./person.ts";

/** Erases a person from lists and logs. Returns the number of rows by what they are. */
export async function eraseFromLists(
  db: Db,
  { address, pseudonym, pattern }: Person,
  { keepsSuppressions }: { keepsSuppressions: boolean },
): Promise<Record<string, number>> {
  const statements: Record<string, SQL> = {
    ...(!keepsSuppressions && {
      suppressions: sql`delete from suppressions where email = ${address} returning 1`,
    }),
    contacts: sql`delete from mailbox_contacts where lower(contact) = ${address} returning 1`,
    "group members": sql`delete from group_members where member = ${address} returning 1`,
    "failing group members": sql`delete from failing_members where member = ${address} returning 1`,
    "suspended forwards": sql`delete from forward_suspensions where target = ${address} returning 1`,
    "deleted items": eraseFromDeleted({ address, pseudonym, pattern }),
    invitations: sql`delete from invitations where email = ${address} returning 1`,
    greylist: sql`
      delete from greylist where lower(sender) = ${address} or lower(recipient) = ${address} returning 1`,
    "sign-in attempts": sql`delete from sign_in_attempts where email = ${address} returning 1`,
    "mail log entries": sql`
      delete from mail_log where lower(sender) = ${address} or lower(recipient) = ${address} returning 1`,
    "API requests": sql`
      update request_log set endpoint = regexp_replace(endpoint, ${pattern}, ${pseudonym}, 'gi')
      where endpoint ~* ${pattern} returning 1`,
  };
  const erased: Record<string, number> = {};
  for (const [what, statement] of Object.entries(statements))
    erased[what] = (await db.execute(statement)).length;
  erased["audit entries"] = await eraseFromAudit(db, { pattern, pseudonym });
  return erased;
}

/** What a deleted mailbox, group or domain would bring back: group members, contacts, suspended forwards. */
const eraseFromDeleted = ({ address, pseudonym, pattern }: Person): SQL => sql`
  update deleted_items set deleted_by = regexp_replace(deleted_by, ${pattern}, ${pseudonym}, 'gi'),
    contents = (
      select jsonb_object_agg(kept.key, (
        select coalesce(jsonb_agg(entry), '[]'::jsonb) from jsonb_array_elements(kept.value) entry
        where lower(coalesce(entry ->> 'member', entry ->> 'contact', entry ->> 'target', ''))
          <> ${address}))
      from jsonb_each(contents) kept)
  where contents::text ~* ${pattern} or deleted_by ~* ${pattern} returning 1`;
