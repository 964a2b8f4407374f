import { count, eq, sql } from "drizzle-orm";

import { companies, mailboxes } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { listVerifiedDomains } from "#server/core/mailboxes/addresses/list-verified-domains.ts";
import { type ListedUnit, listUnits } from "#server/core/mailboxes/org-units/list-units.ts";

/** What uses an address. */
type Taken =
  | { kind: "mailbox"; unitId: number }
  | { kind: "alias"; mailbox: string }
  /** A group, or anything of another company. */
  | { kind: "other" };

/** Everything that validating an import needs, read at once. */
export type ImportFacts = {
  domains: ReadonlySet<string>;
  units: ListedUnit[];
  /** The quota in MB that applies in a unit, set there or by its nearest ancestor. */
  quotaOfUnit: ReadonlyMap<number, number>;
  defaultQuotaMb: number;
  quotaMbMax: number | null;
  /** Mailboxes left in the plan; null without a limit. */
  room: { left: number; max: number } | null;
  taken: ReadonlyMap<string, Taken>;
  /** Why the company can't create any mailbox. */
  blocked: string | null;
};

/** @param named normalized addresses */
export async function readImportFacts(ctx: Context, named: string[]): Promise<ImportFacts> {
  const [domains, units, [company], [has], taken] = await Promise.all([
    listVerifiedDomains(ctx),
    listUnits(ctx),
    ctx.db.select().from(companies).where(eq(companies.id, ctx.companyId)),
    ctx.db.select({ all: count() }).from(mailboxes).where(eq(mailboxes.companyId, ctx.companyId)),
    readTaken(ctx, named),
  ]);
  const { mailboxesMax: max, quotaMbMax, defaultQuotaMb, subscriptionActive } = company!;
  return {
    ...{ units, defaultQuotaMb, quotaMbMax, taken },
    domains: new Set(domains),
    quotaOfUnit: quotasByUnit(units),
    room: max === null ? null : { max, left: Math.max(max - has!.all, 0) },
    blocked: subscriptionActive
      ? null
      : "The company has no active subscription, so it can't create mailboxes",
  };
}

/** Parents come before their children. */
function quotasByUnit(units: ListedUnit[]): Map<number, number> {
  const quotas = new Map<number, number>();
  for (const { id, parentId, defaultQuotaMb } of units) {
    const quota = defaultQuotaMb ?? (parentId === null ? undefined : quotas.get(parentId));
    if (quota !== undefined) quotas.set(id, quota);
  }
  return quotas;
}

async function readTaken(ctx: Context, named: string[]): Promise<Map<string, Taken>> {
  const rows = await ctx.db.execute<{
    address: string;
    unitId: number | null;
    mailbox: string | null;
  }>(sql`
    select a.address, m.org_unit_id as "unitId", l.mailbox
    from addresses a
      left join mailboxes m on m.address = a.address and m.company_id = ${ctx.companyId}
      left join aliases l on l.address = a.address and a.company_id = ${ctx.companyId}
    where a.address = any(array(
      select jsonb_array_elements_text(${JSON.stringify([...new Set(named)])}::jsonb)))`);
  return new Map(rows.map(({ address, unitId, mailbox }) => [address, toTaken(unitId, mailbox)]));
}

function toTaken(unitId: number | null, mailbox: string | null): Taken {
  if (unitId !== null) return { kind: "mailbox", unitId };
  return mailbox === null ? { kind: "other" } : { kind: "alias", mailbox };
}
