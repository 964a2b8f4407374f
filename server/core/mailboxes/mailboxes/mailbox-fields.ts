import { eq, sql } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { characterCount, isOneLine } from "#server/core/shared/text.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { QUOTA_MB_MAX, QUOTA_MB_MIN } from "#server/universal/mailbox-sizes.ts";

/** Characters. */
export const NAME_MAX = 120;

export const NAME_PART_MAX = 60;

/** The name of a mailbox's user, whole or in parts. */
export type GivenName = {
  name?: string | undefined;
  firstName?: string | undefined;
  lastName?: string | undefined;
};

/**
 * The display name of a new mailbox: the whole name, else first and last name.
 *
 * @throws Refusal `missing_required_field` if there is neither a name nor a first name, `invalid`
 */
export function readNewName({ name, firstName, lastName }: GivenName): string {
  const whole = readText(name ?? "", "name", NAME_MAX);
  const first = readText(firstName ?? "", "first_name", NAME_PART_MAX);
  const last = readText(lastName ?? "", "last_name", NAME_PART_MAX);
  if (whole !== "") return whole;
  if (first === "")
    throw new Refusal("missing_required_field", "Missing required field: name or first_name", {
      fields: [{ path: "name", code: "required", message: "is required" }],
    });
  return [first, last].filter(Boolean).join(" ");
}

/**
 * Trims and validates a display name.
 *
 * @throws Refusal `invalid`
 */
export function readName(text: string): string {
  const name = readText(text, "name", NAME_MAX);
  if (name === "") throw new Refusal("invalid", "name: must not be empty");
  return name;
}

/**
 * Trims and validates a text of at most `max` characters.
 *
 * @throws Refusal `invalid`
 */
export function readText(text: string, field: string, max: number): string {
  const trimmed = text.trim();
  if (characterCount(trimmed) > max)
    throw new Refusal("invalid", `${field}: must have at most ${max} characters`);
  if (!isOneLine(trimmed))
    throw new Refusal("invalid", `${field}: must be on one line, without control characters`);
  // The replacement character: the text was read in another encoding than it was written in.
  if (trimmed.includes("\uFFFD"))
    throw new Refusal("invalid", `${field}: must not contain �. Check the encoding of the text`);
  return trimmed;
}

/** @throws Refusal `invalid` unless it is a whole number within the limits */
export function readQuotaMb(quotaMb: number): number {
  if (Number.isInteger(quotaMb) && quotaMb >= QUOTA_MB_MIN && quotaMb <= QUOTA_MB_MAX)
    return quotaMb;
  throw new Refusal(
    "invalid",
    `quota_mb: must be a whole number from ${QUOTA_MB_MIN} to ${QUOTA_MB_MAX}`,
  );
}

/**
 * The quota in MB of a new or changed mailbox: the requested one, else the default of its unit or nearest
 * ancestor, else the company's; capped by the plan.
 */
export async function resolveQuota(
  ctx: Context,
  { asked, unitId }: { asked: number | undefined; unitId: number },
): Promise<number> {
  const unitDefault = sql<number | null>`(
    with recursive up as (
      select id, parent_id, default_quota_mb, 0 as height from org_units where id = ${unitId}
      union all
      select u.id, u.parent_id, u.default_quota_mb, up.height + 1
      from org_units u join up on u.id = up.parent_id
    )
    select default_quota_mb from up where default_quota_mb is not null order by height limit 1)`;
  const [found] = await ctx.db
    .select({
      unitDefault,
      companyDefault: companies.defaultQuotaMb,
      max: companies.quotaMbMax,
    })
    .from(companies)
    .where(eq(companies.id, ctx.companyId));
  const { unitDefault: ofUnit, companyDefault, max } = found!;
  return Math.min(asked ?? ofUnit ?? companyDefault, max ?? Infinity);
}
