import type { Meaning } from "#app/console/ui/status.tsx";

import type { Check } from "./queries.ts";

/** What each check is about. */
export const checkTitles: Record<Check["name"], string> = {
  port_out: "Port 25, outwards",
  port_in: "Port 25, inwards",
  reverse_dns: "Reverse DNS",
  certificate: "TLS certificate",
  dns: "DNS resolver",
  notices: "Our own emails to you",
  mail: "Mail server",
  delivery: "Delivery",
  spam: "Spam filter",
  database: "Database",
  keys: "Keys",
  disk: "Disk",
  clock: "Clock",
};

const states: Record<NonNullable<Check["state"]>, { word: string; meaning: Meaning }> = {
  ok: { word: "OK", meaning: "done" },
  warning: { word: "Look at it", meaning: "waiting" },
  failed: { word: "Failed", meaning: "failed" },
  unknown: { word: "Not known", meaning: "none" },
};

export const stateOf = ({ state }: Check): { word: string; meaning: Meaning } =>
  state === null ? { word: "Checking", meaning: "informing" } : states[state];

const ORDER = ["failed", "warning", "unknown", "ok"];

/** What is not known yet comes last. */
export function worstFirst(checks: Check[]): Check[] {
  const rank = ({ state }: Check) => (state === null ? ORDER.length : ORDER.indexOf(state));
  return checks.toSorted((a, b) => rank(a) - rank(b));
}

/** "9 of 12 are well, 1 failed." */
export function inSum(checks: Check[]): string {
  const count = (state: Check["state"]) => checks.filter((check) => check.state === state).length;
  const parts = [
    [count("failed"), "failed"],
    [count("warning"), "to look at"],
    [count("unknown"), "not known"],
  ] as const;
  const rest = parts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  return [`${count("ok")} of ${checks.length} are well`, ...rest].join(", ");
}
