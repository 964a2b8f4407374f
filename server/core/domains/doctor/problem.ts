import type { DomainRecordKind } from "#drizzle/schema/index.ts";

/** Something that keeps a record of a domain from doing its work, told to whoever runs its DNS. */
export type Problem = {
  /** Never changes: for tests and for links. */
  code: string;
  /** Null when it is about the domain as a whole. */
  record: DomainRecordKind | null;
  /** One short sentence without a full stop. */
  title: string;
  /** What it means, in plain words. */
  explanation: string;
  /** What to do, one act each. */
  steps: string[];
  /** What should be there, where that can be said in one value. */
  expected: string | null;
  /** What is there instead. */
  found: string | null;
  /** `error`: the record does not count. `warning`: it does, and yet something is wrong. */
  severity: "error" | "warning";
};
