import { and, eq, exists, gt, inArray, isNotNull, isNull, sql } from "drizzle-orm";

import { admins, companies, domains, messages } from "#drizzle/schema/index.ts";
import { listOperators } from "#server/core/access/people/people.ts";
import { ensurePlatformCompany } from "#server/core/domains/own-domain/own-domain.ts";
import { wakeMessages } from "#server/core/sending/messages/messages.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { deriveRepeatIds } from "#server/core/shared/derive-id.ts";
import type { Db } from "#server/db/client.ts";

import { findRepeat, isLooping, makeCopies, readRoutingFields } from "./internal/copies.ts";
import { expandMembers } from "./internal/expand-members.ts";
import { distribute } from "./post-to-group.ts";
import { identifyAuthor, type Post, type Posted } from "./post.ts";

const HOURLY_MESSAGES_MAX = 200;

/**
 * Delivers a message for `postmaster@` or `abuse@` of a company's domain (RFC 5321, 4.5.1; RFC 2142) to the
 * company's owners, or as for the hostname if it has none. The result is committed. Idempotent. Over 200 messages an hour
 * are refused temporarily (4.x.x).
 *
 * @param companyId null for the hostname itself: operators get it, or the owners of the oldest company if there are none
 * @param recipient the address in RCPT TO
 */
export async function postToOwners(
  db: Db,
  companyId: string | null,
  recipient: string,
  post: Post,
): Promise<Posted> {
  const address = recipient.toLowerCase();
  if (isLooping(readRoutingFields(post.message), address))
    return {
      kind: "refused",
      enhancedCode: "5.4.6",
      text: "Mail loop: the message was already delivered here",
    };
  const ids = deriveRepeatIds({ key: post.id, repeatsForMs: post.repeatsForMs }, address);
  const repeated = await findRepeat(db, ids);
  if (repeated) return repeated;
  const asked = await findResponsibleOwners(db, companyId);
  if (!asked) return NO_OWNERS;
  if (!(await isUnderHourlyLimit({ db, companyId: asked.companyId })))
    return {
      kind: "refused",
      enhancedCode: "4.7.1",
      text: "Too much mail for this address. Try again later",
    };

  const members = await expandMembers({ db, companyId: asked.companyId }, asked.owners);
  const copy = post.message.withFields(`Delivered-To: ${address}\r\n`);
  const copies = await makeCopies(db, {
    companyId: asked.companyId,
    address,
    post,
    copy,
    members,
    domainId: await findDomain(db, address),
    author: await identifyAuthor(db, post),
  });
  if (!copies.here && !copies.outside && !copies.groups) return NO_OWNERS;
  const recipients = await distribute(db, ids.id, { copies });
  wakeMessages(db);
  return { kind: "distributed", recipients };
}

const NO_OWNERS = {
  kind: "refused",
  enhancedCode: "5.2.1",
  text: "No owner can receive mail for this address",
} satisfies Posted;

async function findResponsibleOwners(db: Db, companyId: string | null) {
  const owners = companyId === null ? [] : await findOwners({ db, companyId });
  if (companyId !== null && owners.length > 0) return { companyId, owners };
  const operators = await listOperators(db);
  if (operators.length > 0)
    return { companyId: await ensurePlatformCompany(db), owners: operators };
  const host = await findHostCompany(db);
  return host === null
    ? null
    : { companyId: host, owners: await findOwners({ db, companyId: host }) };
}

async function isUnderHourlyLimit(ctx: CompanyScope): Promise<boolean> {
  const taken = await ctx.db.$count(
    messages,
    and(
      eq(messages.companyId, ctx.companyId),
      eq(messages.origin, "group"),
      gt(messages.createdAt, sql`statement_timestamp() - interval '1 hour'`),
      inArray(sql`split_part(${messages.groupAddress}, '@', 1)`, ["postmaster", "abuse"]),
    ),
  );
  return taken < HOURLY_MESSAGES_MAX;
}

async function findDomain(db: Db, address: string): Promise<string | null> {
  const [domain] = await db
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.name, addressDomain(address)), isNotNull(domains.ownershipProvenAt)));
  return domain?.id ?? null;
}

/** Addresses of the company's owners who aren't disabled. */
export async function findOwners(ctx: CompanyScope): Promise<string[]> {
  const rows = await ctx.db
    .select({ email: admins.email })
    .from(admins)
    .where(and(eq(admins.companyId, ctx.companyId), admins.isOwner, isNull(admins.disabledAt)))
    .orderBy(admins.email);
  return rows.map(({ email }) => email);
}

/**
 * The company whose owners are responsible for an appliance without operators: the oldest customer that has an owner, or else
 * the sandbox. Null before setup.
 */
async function findHostCompany(db: Db): Promise<string | null> {
  const isOwned = exists(
    db
      .select({ id: admins.id })
      .from(admins)
      .where(and(eq(admins.companyId, companies.id), admins.isOwner, isNull(admins.disabledAt))),
  );
  const [company] = await db
    .select({ id: companies.id })
    .from(companies)
    .where(and(inArray(companies.purpose, ["customer", "sandbox"]), isOwned))
    .orderBy(sql`${companies.purpose} = 'sandbox'`, companies.createdAt)
    .limit(1);
  return company?.id ?? null;
}
