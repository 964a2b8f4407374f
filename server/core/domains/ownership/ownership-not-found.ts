import { and, eq } from "drizzle-orm";

import { type DnsFinding, type Domain, domainFindings } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { ownershipValue } from "#server/core/domains/records/domain-records.ts";
import { relevantFindings } from "#server/core/domains/records/evaluate-findings.ts";
import { ownershipPlace } from "#server/core/domains/records/record-place.ts";
import { joinTxtStrings } from "#server/core/domains/records/tag-list.ts";

/** Found texts to show; some domains publish dozens. */
const SHOWN_MAX = 3;
const SHOWN_CHARACTERS = 100;

/** The error with where the record belongs, its value, and what the last check found instead. */
export async function ownershipNotFound(ctx: Context, domain: Domain): Promise<Refusal> {
  const [finding] = await ctx.db
    .select({ answers: domainFindings.answers })
    .from(domainFindings)
    .where(and(eq(domainFindings.domainId, domain.id), eq(domainFindings.record, "ownership")));
  const { name, type } = ownershipPlace(domain);
  return new Refusal(
    "invalid",
    `The ownership record was not found. Expected: a ${type} record at ${name} with the value ${ownershipValue(domain)}. Found: ${foundInstead(finding?.answers ?? [])}. New records can take a while to reach all servers. Verify again later`,
  );
}

function foundInstead(answers: DnsFinding[]): string {
  const counted = relevantFindings(answers);
  const texts = new Set(counted.flatMap(({ records }) => records.map(joinTxtStrings)));
  if (texts.size > 0)
    return [...texts]
      .slice(0, SHOWN_MAX)
      .map((text) => JSON.stringify(text.slice(0, SHOWN_CHARACTERS)))
      .join(", ");
  if (counted.some(({ kind }) => kind !== "failed")) return "no such record";
  const reasons = [...new Set(counted.map(({ reason }) => reason ?? "no answer"))];
  return `no answer from the name servers (${reasons.join(", ") || "none known"})`;
}
