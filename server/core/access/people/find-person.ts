import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** A person who can sign in at the console. */
export type SignInCandidate = {
  email: string;
  passwordHash: string | null;
  /** Their admin id in the company they last opened. */
  adminId: string;
  companyId: string;
  /** All companies they can open require sign-in with an identity provider. */
  isProviderRequired: boolean;
};

/**
 * Finds the person with this address, in the company they last opened, or else the first one by name. Null if
 * the address is unknown or the person can't open any company.
 *
 * @param providerId finds them in this identity provider's company. Without it, companies that require their provider come
 *   last
 */
export async function findPerson(
  db: Db,
  email: string,
  { providerId = null }: { providerId?: string | null } = {},
): Promise<SignInCandidate | null> {
  const isRequired = sql`(coalesce(i.required_for_admins, false) and ${providerId}::uuid is null)`;
  const [found] = await db.execute<SignInCandidate>(sql`
    select p.email, p.password_hash as "passwordHash", a.id as "adminId",
      a.company_id as "companyId", ${isRequired} as "isProviderRequired"
    from people p join admins a on a.email = p.email join companies c on c.id = a.company_id
      left join identity_providers i on i.company_id = c.id
    where p.email = ${email} and a.disabled_at is null and c.suspended_at is null
      and (${providerId}::uuid is null or i.id = ${providerId}::uuid)
    order by ${isRequired}, c.id = p.last_company_id desc nulls last, c.name, c.id limit 1`);
  return found ?? null;
}
