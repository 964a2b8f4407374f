import { type SQL, sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/**
 * Changes a person's preferences in one statement, so that simultaneous changes don't lose each other.
 *
 * @param changed returns the entries to set, as JSON, given the current ones
 */
export async function changePreferences(
  db: Db,
  email: string,
  changed: (choices: SQL) => SQL,
): Promise<void> {
  await db.execute(sql`
    insert into preferences (email, choices) values (${email}, ${changed(sql`'{}'::jsonb`)})
    on conflict (email) do update
    set choices = preferences.choices || ${changed(sql`preferences.choices`)}`);
}
