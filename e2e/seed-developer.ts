import { randomUUID } from "node:crypto";

import { emails, requestLog, suppressions } from "#drizzle/schema/index.ts";
import { createApiKey, revokeApiKey } from "#server/core/access/api-keys/api-keys.ts";
import { db, pool } from "#server/db/pool.ts";
import { aContext } from "#server/testing/factories.ts";

const MINUTE = 60_000;
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * MINUTE).toISOString();

/** A used, a restricted, an unused and a revoked API key. */
export async function seedApiKeys(companyId: string, creatorId: string, domainId: string) {
  const make = (name: string, more: Partial<Parameters<typeof createApiKey>[1]> = {}) =>
    createApiKey(aContext(companyId), {
      creatorId,
      name,
      permission: "full_access",
      domainId: null,
      ...more,
    });
  const shop = await make("Shop", {
    permission: "sending_access",
    domainId,
    allowedAddresses: ["203.0.113.0/24"],
  });
  const billing = await make("Billing and dunning, production");
  await make("Newsletter", { permission: "sending_access" });
  const old = await make("Old till");
  await revokeApiKey(aContext(companyId), old.id);
  await pool().sql`
    update api_keys set last_used_at = now() - interval '3 minutes'
    where id in (${shop.id}, ${billing.id})`;
  return { shop, billing, old };
}

const REQUESTS = [
  ["POST", "/emails", 200, null],
  ["POST", "/emails/batch", 200, null],
  ["GET", "/emails/0190a0b0-1111-7222-8333-444455556666", 404, "not_found"],
  ["POST", "/emails", 403, "domain_not_verified"],
  ["POST", "/emails", 422, "validation_error"],
  ["GET", "/domains", 200, null],
  ["POST", "/emails", 429, "rate_limit_exceeded"],
  ["DELETE", "/mailboxes/ben@northwind.example", 502, "mail_server_error"],
] as const;
const AGENTS = ["resend-node:6.1.2", "Python-urllib/3.12", "curl/8.5.0", null];

/** API requests, one per minute, newest first. */
export async function seedRequests(companyId: string, count: number, apiKeyId: string | null) {
  const rows = Array.from({ length: count }, (_, i) => {
    const [method, endpoint, responseStatus, error] = REQUESTS[i % REQUESTS.length]!;
    const userAgent = AGENTS[i % AGENTS.length]!;
    return { companyId, method, endpoint, responseStatus, error, userAgent, apiKeyId };
  });
  return db()
    .insert(requestLog)
    .values(rows.map((row, i) => ({ ...row, createdAt: minutesAgo(i + 1) })))
    .returning({ id: requestLog.id });
}

/** Enough requests to make a search run out of time. */
export const seedManyRequests = (companyId: string, count: number) =>
  pool().sql`
    insert into request_log (id, company_id, method, endpoint, response_status, created_at)
    select gen_random_uuid(), ${companyId}, 'GET', '/emails', 200,
      now() - interval '1 hour' - i * interval '1 second'
    from generate_series(1, ${count}::int) as i`;

const PEOPLE = ["ben.okafor", "carla.reyes", "dmitri", "eve.lindqvist-bergstroem", "farah", "gus"];
const ORIGINS = ["bounce", "complaint", "manual", "bounce"] as const;

export const suppressionRows = async (companyId: string) =>
  (await db().select().from(suppressions)).filter((row) => row.companyId === companyId);

/** Suppressed addresses, some with the email that caused the suppression. */
export async function seedSuppressions(companyId: string, count: number) {
  const id = randomUUID();
  await db()
    .insert(emails)
    .values({
      id,
      companyId,
      from: "Northwind <hello@northwind.example>",
      to: ["a@example.net"],
      subject: "Your receipt for order 48213",
      lastEvent: "bounced",
    });
  const rows = Array.from({ length: count }, (_, i) => {
    const origin = ORIGINS[i % ORIGINS.length]!;
    const sourceId = origin === "manual" ? null : i % 5 === 0 ? randomUUID() : id;
    const email = `${PEOPLE[i % PEOPLE.length]!}${i}@${i % 3 ? "example.net" : "mail.example.org"}`;
    return { companyId, email, origin, sourceId, createdAt: minutesAgo(i * i * 7 + 1) };
  });
  await db().insert(suppressions).values(rows);
}
