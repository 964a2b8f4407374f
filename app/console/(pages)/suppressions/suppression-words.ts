import type { Meaning } from "#app/console/ui/status.tsx";

import type { Origin } from "./queries.ts";

/** Why an address is on the list. */
export const origins: Record<Origin, { word: string; meaning: Meaning }> = {
  bounce: { word: "Bounced", meaning: "failed" },
  complaint: { word: "Complained", meaning: "failed" },
  manual: { word: "Added by hand", meaning: "none" },
};

/** "1 address", "12,040 addresses". */
export const addressesInWords = (count: number): string =>
  `${count.toLocaleString("en")} ${count === 1 ? "address" : "addresses"}`;

/** What stands on lines or between commas, as somebody pastes it. */
export const entriesOf = (text: string): string[] =>
  text
    .split(/[\n\r,;]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
