import { and, eq, isNotNull, ne } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/context.ts";

/** Whether another company has proven that the name is its own: it is nobody else's then. */
export async function isProvenElsewhere(
  { db, companyId }: Pick<Context, "db" | "companyId">,
  name: string,
): Promise<boolean> {
  const [other] = await db
    .select({ id: domains.id })
    .from(domains)
    .where(
      and(
        eq(domains.name, name),
        isNotNull(domains.ownershipProvenAt),
        ne(domains.companyId, companyId),
      ),
    );
  return other !== undefined;
}
