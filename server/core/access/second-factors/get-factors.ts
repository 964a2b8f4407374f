import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

type StoredPasskey = {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
};

/** A person's second factors. */
export type Factors = {
  hasTotp: boolean;
  passkeys: StoredPasskey[];
  /** Unused recovery codes. */
  recoveryCodesLeft: number;
  /** Whether a company that the person can open requires a second factor. */
  isRequired: boolean;
};

const NONE = { hasTotp: false, recoveryCodesLeft: 0, isRequired: false, passkeys: [] };

/** Reads a person's second factors; none for an unknown address. */
export async function getFactors(db: Db, email: string): Promise<Factors> {
  const [factors] = await db.execute<Factors>(sql`
    select p.totp_secret is not null as "hasTotp",
      (select count(*) from recovery_codes c where c.email = p.email and c.used_at is null)::int
        as "recoveryCodesLeft",
      exists (
        select from admins a join companies c on c.id = a.company_id
        where a.email = p.email and a.disabled_at is null and c.suspended_at is null
          and c.second_factor_required) as "isRequired",
      (select coalesce(json_agg(json_build_object('id', k.id, 'name', k.name,
          'createdAt', k.created_at, 'lastUsedAt', k.last_used_at) order by k.created_at), '[]')
        from passkeys k where k.email = p.email) as passkeys
    from people p where p.email = ${email}`);
  return factors ?? NONE;
}

export const hasSecondFactor = ({ hasTotp, passkeys }: Factors) => hasTotp || passkeys.length > 0;
