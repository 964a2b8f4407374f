import type { StatusTone } from "#app/console/ui/status.tsx";

import type { Check } from "./queries.ts";

const states: Record<NonNullable<Check["state"]>, { label: string; tone: StatusTone }> = {
  ok: { label: "OK", tone: "done" },
  warning: { label: "Warning", tone: "waiting" },
  failed: { label: "Failed", tone: "failed" },
  unknown: { label: "Unknown", tone: "none" },
};

export const checkStatus = ({ state }: Check): { label: string; tone: StatusTone } =>
  state === null ? { label: "Checking…", tone: "info" } : states[state];

/** "9 of 12 checks passed, 1 failed" */
export function summarizeChecks(checks: Check[]): string {
  const count = (state: Check["state"]) => checks.filter((check) => check.state === state).length;
  const parts = [
    [count("failed"), "failed"],
    [count("warning"), "with warnings"],
    [count("unknown"), "unknown"],
  ] as const;
  const rest = parts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  return [`${count("ok")} of ${checks.length} checks passed`, ...rest].join(", ");
}
