import type { DnsFinding } from "#drizzle/schema/index.ts";
import { NO_TOP_LEVEL } from "#server/gateways/zone-dns.ts";

/**
 * The answers as the appliance takes them that asks by itself: a resolver that denies whatever it is
 * asked, as behind a captive portal, has not answered.
 */
export function rejectUnreliableDenials(answers: DnsFinding[]): DnsFinding[] {
  return answers.map((answer) =>
    answer.reason === NO_TOP_LEVEL ? { ...answer, kind: "failed" } : answer,
  );
}
