import type { AnswerOf } from "#app/console/console-client.ts";
import { pluralize } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

export type SuppressionRow = AnswerOf<"suppressions.list">["data"][number];
export type SuppressionOrigin = SuppressionRow["origin"];

/** The server's limit for one request. */
export const ADDRESSES_PER_REQUEST = 2_000;

/** Why an address is suppressed. */
export const originLabels: Record<SuppressionOrigin, { label: string; tone: StatusTone }> = {
  bounce: { label: "Bounced", tone: "failed" },
  complaint: { label: "Complained", tone: "failed" },
  unsubscribe: { label: "Unsubscribed", tone: "none" },
  manual: { label: "Added manually", tone: "none" },
};

/** "1 address", "12,040 addresses". */
export const addressCount = (count: number): string => pluralize(count, "address", "addresses");

/** Splits pasted text at line breaks, commas and semicolons. */
export const splitEntries = (text: string): string[] =>
  text
    .split(/[\n\r,;]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
