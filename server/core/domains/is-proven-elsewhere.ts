import { and, eq, ne } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/context.ts";

import { holdsName } from "./ownership-grace.ts";

/**
 * Whether another company has proven that the name is its own, and the proof is still published or was
 * until lately: nobody else can have the name then.
 */
export async function isProvenElsewhere(
  { db, companyId }: Pick<Context, "db" | "companyId">,
  name: string,
): Promise<boolean> {
  const [other] = await db
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.name, name), holdsName, ne(domains.companyId, companyId)));
  return other !== undefined;
}
