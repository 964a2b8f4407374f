import { and, eq } from "drizzle-orm";

import { readOneLine } from "#server/core/shared/one-line.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import type { FactorAccount } from "./factor-owner.ts";
import { factorTables } from "./internal/factor-tables.ts";

const NAME_MAX = 60;

/** @throws Refusal `invalid` beginning with `name` */
export const readPasskeyName = (text: string): string =>
  readOneLine(text, "name", { max: NAME_MAX });

/** @throws Refusal `not_found`, `invalid` */
export async function renamePasskey(
  db: Db,
  account: FactorAccount,
  { id, name: typed }: { id: string; name: string },
): Promise<void> {
  const { passkeys } = factorTables(account);
  const renamed = await db
    .update(passkeys)
    .set({ name: readPasskeyName(typed) })
    .where(and(eq(passkeys.id, id), eq(passkeys.email, account.email)))
    .returning({ id: passkeys.id });
  if (renamed.length === 0) throw new Refusal("not_found", "Passkey not found");
}
