import { createHash, randomInt } from "node:crypto";

import { sql } from "drizzle-orm";

import type { ApiKey, Company } from "#drizzle/schema/index.ts";
import { adminRolesSql } from "#server/core/access/privileges/grants.ts";
import {
  type AdminGrants,
  effectivePrivileges,
  type HeldPrivileges,
} from "#server/core/access/privileges/privileges.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";
import { gathering } from "#server/db/gathering.ts";

import { isInRanges } from "./ip-ranges.ts";

/** An accepted API key with its creator's current privileges. */
export type KeyCaller = HeldPrivileges & {
  keyId: string;
  keyName: string;
  permission: ApiKey["permission"];
  /** Whether it is a test key. */
  isTest: boolean;
  /** The only domain the key can send from, or null. */
  domainId: string | null;
  companyId: string;
  adminId: string;
  company: Pick<Company, "subscriptionActive" | "overdueInvoice" | "logsRequestBodies">;
};

/** A request with a valid API key, from an address that an allow-list doesn't contain. */
export class BlockedAddress extends Refusal {
  readonly key: Pick<KeyCaller, "keyId" | "companyId">;

  constructor(message: string, key: BlockedAddress["key"]) {
    super("ip_not_allowed", message);
    this.key = key;
  }
}

/**
 * Authenticates an API key. Checks, in this order, the key, the company's service switch, and the caller's
 * address against the company's and the key's allow-lists.
 *
 * @throws Refusal `invalid_api_key` or `service_disabled`
 * @throws BlockedAddress
 */
export async function authenticateKey(
  db: Db,
  { token, address }: { token: string; address: string },
): Promise<KeyCaller> {
  const found = isKeyToken(token) ? await findKey(db, hashKeyToken(token)) : undefined;
  if (!found) throw new Refusal("invalid_api_key", "This API key is not valid");
  const { key, company, creator, isUseDue } = found;
  if (!company.serviceEnabled)
    throw new Refusal("service_disabled", "The email service is turned off for this company");
  const lists = { "the company's": company.allowedAddresses, "the key's": key.allowedAddresses };
  for (const [whose, list] of Object.entries(lists))
    if (list.length > 0 && !isInRanges(address, list))
      throw new BlockedAddress(`${address} is not on ${whose} allow-list`, {
        keyId: key.id,
        companyId: company.id,
      });

  if (isUseDue) await recordUse(db, key.id);
  return {
    keyId: key.id,
    keyName: key.name,
    permission: key.permission,
    isTest: key.permission === "test",
    domainId: key.domainId,
    companyId: company.id,
    adminId: creator.id,
    ...effectivePrivileges(creator),
    company,
  };
}

/**
 * Rejects requests while an invoice is overdue. Separate from `authenticateKey`, because this check comes
 * after the request rate is counted.
 */
export function requireNoOverdueInvoice({ company }: KeyCaller): void {
  if (!company.overdueInvoice) return;
  const { number, paymentUrl } = company.overdueInvoice;
  throw new Refusal("account_suspended", `Invoice ${number} is overdue. Pay it at ${paymentUrl}`);
}

type FoundKey = {
  hash: string;
  key: {
    id: string;
    name: string;
    permission: KeyCaller["permission"];
    domainId: string | null;
    allowedAddresses: string[];
  };
  company: KeyCaller["company"] & {
    id: string;
    serviceEnabled: boolean;
    allowedAddresses: string[];
  };
  creator: AdminGrants & { id: string };
  /** Whether the last recorded use is at least a minute old. */
  isUseDue: boolean;
};

/** Not cached, so that revoking a key or suspending a company takes effect at once. */
const findKey = gathering(async (db, hashes) => {
  const rows = await db.execute<FoundKey>(sql`
    select k.secret_hash as hash,
      json_build_object('id', k.id, 'name', k.name, 'permission', k.permission,
        'domainId', k.domain_id, 'allowedAddresses', k.allowed_addresses) as key,
      json_build_object('id', c.id, 'serviceEnabled', c.service_enabled,
        'allowedAddresses', c.allowed_addresses, 'subscriptionActive', c.subscription_active,
        'overdueInvoice', c.overdue_invoice, 'logsRequestBodies', c.logs_request_bodies) as company,
      json_build_object('id', a.id, 'isOwner', a.is_owner, 'privileges', a.privileges,
        'roles', ${adminRolesSql(sql`a.id`)}) as creator,
      coalesce(k.last_used_at < statement_timestamp() - interval '1 minute', true) as "isUseDue"
    from api_keys k
      join companies c on c.id = k.company_id and c.suspended_at is null
      join admins a on a.id = k.creator_id and a.disabled_at is null
    where k.revoked_at is null and k.secret_hash = any(array(
      select jsonb_array_elements_text(${JSON.stringify(hashes)}::jsonb)))`);
  return new Map(rows.map((row) => [row.hash, row]));
});

/** Writes at most once a minute per key. */
async function recordUse(db: Db, keyId: string) {
  await db.execute(sql`
    update api_keys set last_used_at = clock_timestamp()
    where id = ${keyId}
      and coalesce(last_used_at < statement_timestamp() - interval '1 minute', true)`);
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const PREFIX = "ph_";
const TEST_PREFIX = "ph_test_";
const TOKEN = /^ph_(test_)?[A-Za-z0-9]{8}_[A-Za-z0-9]{32}$/;

const letters = (count: number) =>
  Array.from({ length: count }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

/**
 * Creates an API key: `ph_`, or `ph_test_` for people to tell test keys apart, an 8-character id that can be displayed
 * later, and a 32-character secret.
 */
export function newKeyToken(isTest = false): { token: string; prefix: string } {
  const prefix = `${isTest ? TEST_PREFIX : PREFIX}${letters(8)}`;
  return { token: `${prefix}_${letters(32)}`, prefix };
}

export const isKeyToken = (text: string) => TOKEN.test(text);

/** Hex SHA-256 of the whole token: all that is stored of it. */
export const hashKeyToken = (token: string) => createHash("sha256").update(token).digest("hex");
