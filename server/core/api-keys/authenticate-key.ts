import { and, eq, isNull, lt, or, sql } from "drizzle-orm";

import { admins, apiKeys, companies, type Company } from "#drizzle/schema/index.ts";
import { type Privilege, privilegesOf } from "#server/core/privileges.ts";
import { Refusal } from "#server/core/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { isInRanges } from "./is-in-ranges.ts";
import { hashOfToken, isKeyToken } from "./key-token.ts";

/** An accepted API key with the rights its creator has at this moment. */
export type KeyCaller = {
  keyId: string;
  keyName: string;
  permission: "full_access" | "sending_access";
  /** The only domain the key may send from, or null. */
  domainId: string | null;
  companyId: string;
  adminId: string;
  privileges: ReadonlySet<Privilege>;
  company: Pick<Company, "subscriptionActive" | "overdueInvoice">;
};

/**
 * Accepts an API key, checking in this order: the key itself, the company's service switch, the
 * caller's address.
 *
 * @throws Refusal `invalid_api_key`, `service_disabled` or `ip_not_allowed`
 */
export async function authenticateKey(
  db: Db,
  { token, address, now }: { token: string; address: string; now: Date },
): Promise<KeyCaller> {
  const minuteAgo = new Date(now.getTime() - 60_000).toISOString();
  const found = isKeyToken(token) ? await findKey(db, token, minuteAgo) : undefined;
  if (!found) throw new Refusal("invalid_api_key", "This API key is not valid");
  const { key, company, creator, isUseDue } = found;
  if (!company.serviceEnabled)
    throw new Refusal("service_disabled", "The email service is switched off for this company");
  if (company.allowedAddresses.length > 0 && !isInRanges(address, company.allowedAddresses))
    throw new Refusal(
      "ip_not_allowed",
      `Calls from ${address} are not on the company's allow-list`,
    );

  if (isUseDue) await noteUse(db, key.id, minuteAgo);
  return {
    keyId: key.id,
    keyName: key.name,
    permission: key.permission,
    domainId: key.domainId,
    companyId: company.id,
    adminId: creator.id,
    privileges: privilegesOf(creator),
    company,
  };
}

/**
 * Refuses while an invoice is overdue. Apart from the key's own checks, since those come before the
 * request rate is counted and this one after.
 */
export function requireNoOverdueInvoice({ company }: KeyCaller): void {
  if (!company.overdueInvoice) return;
  const { number, paymentUrl } = company.overdueInvoice;
  throw new Refusal("account_suspended", `Invoice ${number} is overdue. Pay it at ${paymentUrl}`);
}

/** The statement of every call, built once for each pool. */
const statements = new WeakMap<Db, ReturnType<typeof prepareFindKey>>();

async function findKey(db: Db, token: string, minuteAgo: string) {
  let statement = statements.get(db);
  if (!statement) statements.set(db, (statement = prepareFindKey(db)));
  const [found] = await statement.execute({ hash: hashOfToken(token), minuteAgo });
  return found;
}

const prepareFindKey = (db: Db) =>
  db
    .select({
      key: {
        id: apiKeys.id,
        name: apiKeys.name,
        permission: apiKeys.permission,
        domainId: apiKeys.domainId,
      },
      company: {
        id: companies.id,
        serviceEnabled: companies.serviceEnabled,
        allowedAddresses: companies.allowedAddresses,
        subscriptionActive: companies.subscriptionActive,
        overdueInvoice: companies.overdueInvoice,
      },
      creator: { id: admins.id, isOwner: admins.isOwner, privileges: admins.privileges },
      isUseDue: sql<boolean>`coalesce(${apiKeys.lastUsedAt} < ${sql.placeholder("minuteAgo")}, true)`,
    })
    .from(apiKeys)
    .innerJoin(companies, eq(companies.id, apiKeys.companyId))
    .innerJoin(admins, eq(admins.id, apiKeys.creatorId))
    .where(
      and(
        eq(apiKeys.secretHash, sql.placeholder("hash")),
        isNull(apiKeys.revokedAt),
        isNull(companies.suspendedAt),
        isNull(admins.disabledAt),
      ),
    )
    .prepare("find_key");

/** At most one write a minute and key, however many calls it makes. */
async function noteUse(db: Db, keyId: string, minuteAgo: string) {
  await db
    .update(apiKeys)
    .set({ lastUsedAt: sql`clock_timestamp()` })
    .where(
      and(eq(apiKeys.id, keyId), or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, minuteAgo))),
    );
}
