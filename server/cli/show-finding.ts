import type { Finding } from "#server/core/operations/system-checks/finding.ts";

import { type Display, terminalText } from "./display.mjs";

/** Shows a finding with its advice, one line. */
export function showFinding(display: Display, { part, state, found, advice }: Finding): void {
  const text = terminalText(`${part}: ${found}${advice ? `. ${advice}` : ""}`);
  if (state === "ok") display.line(`${display.green("✓")} ${text}`);
  else if (state !== "failed") display.warning(text);
  else display.failure(text);
}
