import { sql } from "drizzle-orm";

import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";

/** Why a company's inbound addresses can't receive now: a temporary error for the sender. */
export type ReceivingError = { enhancedCode: `4.${number}.${number}`; text: string };

const CACHE_TTL_MS = 5_000;
const ENTRIES_MAX = 10_000;
const OCTETS_PER_MB = 1024 * 1024;

/** Whether the company may receive an email, and how many it received in the last minute if it may. */
type ReceivingCheck = { error: ReceivingError } | { error: null; recent: number };

/** Checks the company's limits on received emails: storage, and emails per minute. */
export const checkReceivingLimits = (scope: CompanyScope): Promise<ReceivingCheck> =>
  check(scope, sumStored);

/** Checks the same limits for each recipient, without adding up all that a company stores each time. */
export class ReceivingEstimate {
  readonly #stored: PromiseCache<number>;

  constructor({ now }: { now?: () => number } = {}) {
    this.#stored = new PromiseCache({ max: ENTRIES_MAX, ttlMs: CACHE_TTL_MS, now });
  }

  /** Like `checkReceivingLimits`, but the storage used may be some seconds old. */
  async findError(scope: CompanyScope): Promise<ReceivingError | null> {
    const stored = () => this.#stored.get(scope.companyId, () => sumStored(scope));
    return (await check(scope, stored)).error;
  }
}

async function check(
  scope: CompanyScope,
  storedOctets: (scope: CompanyScope) => Promise<number>,
): Promise<ReceivingCheck> {
  const settings = await currentSettings(scope.db);
  if ((await storedOctets(scope)) >= settings.received_storage_mb * OCTETS_PER_MB)
    return { error: { enhancedCode: "4.2.2", text: "The storage for received email is full" } };
  const recent = await countRecent(scope);
  if (recent >= settings.received_per_minute)
    return { error: { enhancedCode: "4.7.1", text: "Too many messages, try again in a minute" } };
  return { error: null, recent };
}

/** Octets of all received emails of the company. */
async function sumStored({ db, companyId }: CompanyScope): Promise<number> {
  const [stored] = await db.execute<{ octets: string }>(sql`
    select coalesce(sum(size), 0) as octets from received_emails where company_id = ${companyId}`);
  return Number(stored!.octets);
}

/** Emails that the company received in the last minute. */
async function countRecent({ db, companyId }: CompanyScope): Promise<number> {
  const [recent] = await db.execute<{ emails: number }>(sql`
    select count(*)::int as emails from received_emails
    where company_id = ${companyId} and created_at > statement_timestamp() - interval '1 minute'`);
  return recent!.emails;
}
