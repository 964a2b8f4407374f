import type { DomainRecordKind } from "#drizzle/schema/index.ts";

/** A problem with a record or a domain's name servers. */
export type Problem = {
  /** Stable: used by tests and links. */
  code: string;
  /** Null if it concerns the whole domain. */
  record: DomainRecordKind | null;
  /** One short sentence without a full stop. */
  title: string;
  /** What it means, in plain words. */
  explanation: string;
  /** What to do, one action each. */
  steps: string[];
  /** The correct value, if there is a single one. */
  expected: string | null;
  /** The current value. */
  found: string | null;
  /** `error`: the record doesn't count. `warning`: it does. */
  severity: "error" | "warning";
};
