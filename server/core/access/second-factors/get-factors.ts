import { sql } from "drizzle-orm";

import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";

import type { FactorAccount } from "./factor-owner.ts";
import { factorTables } from "./internal/factor-tables.ts";

type StoredPasskey = {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
};

/** The second factors of an admin or a mailbox user. */
export type Factors = {
  hasTotp: boolean;
  passkeys: StoredPasskey[];
  /** Unused recovery codes. */
  recoveryCodesLeft: number;
  /** Whether a company that the admin can open, or the operators' setting, requires a second factor. */
  isRequired: boolean;
};

const NONE = { hasTotp: false, recoveryCodesLeft: 0, isRequired: false, passkeys: [] };

/** Reads the second factors of an account; none for an unknown address. */
export async function getFactors(db: Db, account: FactorAccount): Promise<Factors> {
  const { accounts, passkeys, recoveryCodes } = factorTables(account);
  const { operator_second_factor: ofOperators } = await currentSettings(db);
  const isRequired = sql`(${IS_REQUIRED} or people.is_operator and ${ofOperators === "required"})`;
  const [factors] = await db.execute<Factors>(sql`
    select ${accounts.totpSecret} is not null as "hasTotp",
      (select count(*) from ${recoveryCodes}
        where ${recoveryCodes.email} = ${accounts.email} and ${recoveryCodes.usedAt} is null)::int
        as "recoveryCodesLeft",
      ${account.kind === "person" ? isRequired : sql`false`} as "isRequired",
      (select coalesce(json_agg(json_build_object('id', ${passkeys.id}, 'name', ${passkeys.name},
          'createdAt', ${passkeys.createdAt}, 'lastUsedAt', ${passkeys.lastUsedAt})
          order by ${passkeys.createdAt}), '[]')
        from ${passkeys} where ${passkeys.email} = ${accounts.email}) as passkeys
    from ${accounts} where ${accounts.email} = ${account.email}`);
  return factors ?? NONE;
}

const IS_REQUIRED = sql`exists (
  select from admins a join companies c on c.id = a.company_id
  where a.email = people.email and a.disabled_at is null and c.suspended_at is null
    and c.second_factor_required)`;

export const hasSecondFactor = ({ hasTotp, passkeys }: Factors) => hasTotp || passkeys.length > 0;
