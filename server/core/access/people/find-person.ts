import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** Somebody who may sign in at the console. */
export type PersonAtTheDoor = {
  email: string;
  passwordHash: string | null;
  /** The admin they are in the company they come back to. */
  adminId: string;
  companyId: string;
};

/**
 * The person of that address who may enter a company at this moment: the one they opened last, else the
 * first by name. Null for an unknown address and for somebody who is shut out everywhere.
 */
export async function findPerson(db: Db, email: string): Promise<PersonAtTheDoor | null> {
  const [found] = await db.execute<PersonAtTheDoor>(sql`
    select p.email, p.password_hash as "passwordHash", a.id as "adminId",
      a.company_id as "companyId"
    from people p join admins a on a.email = p.email join companies c on c.id = a.company_id
    where p.email = ${email} and a.disabled_at is null and c.suspended_at is null
    order by c.id = p.last_company_id desc nulls last, c.name, c.id limit 1`);
  return found ?? null;
}
