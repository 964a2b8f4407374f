import type { DnsFinding } from "#drizzle/schema/index.ts";
import { NO_TOP_LEVEL } from "#server/gateways/zone-dns.ts";

/**
 * For automatic checks: treats the answers of a resolver that denies everything, as behind a captive portal,
 * as failures.
 */
export function rejectUnreliableDenials(answers: DnsFinding[]): DnsFinding[] {
  return answers.map((answer) =>
    answer.reason === NO_TOP_LEVEL ? { ...answer, kind: "failed" } : answer,
  );
}
