import type { Scan } from "#server/gateways/rspamd.ts";

/**
 * rspamd's antivirus symbols: CLAM_VIRUS, SOPHOS_VIRUS and so on. Excludes CLAM_VIRUS_FAIL (scanner unavailable) and
 * CLAM_VIRUS_ENCRYPTED (couldn't scan), which aren't viruses.
 */
const VIRUS_SYMBOL = /^[A-Z0-9_]+_VIRUS$/;

/** rspamd's reject message for viruses, even if an operator renamed the symbol. */
const VIRUS_TEXT = /: virus found: /;

// Symbols are written into a header field.
const SYMBOL = /^[\w.-]{1,64}$/;

/**
 * The action that an operator's own rspamd rule forces, whatever the score. rspamd's thresholds and greylisting are
 * ignored in favor of our own.
 */
export function actionByRule({
  action,
  score,
  rejectScore,
}: Scan): "deliver" | "quarantine" | "reject" {
  if (action === "quarantine" || action === "discard") return "quarantine";
  if (action === "reject" && rejectScore !== null && score < rejectScore) return "reject";
  return "deliver";
}

/** Names of symbols against the message, strongest first. */
export function listFindings({ symbols }: Scan): string[] {
  // Virus symbols have no score but come first.
  const weight = ({ name, score }: Scan["symbols"][number]) =>
    isVirusSymbol(name) ? Infinity : score;
  return symbols
    .filter((symbol) => weight(symbol) > 0 && SYMBOL.test(symbol.name))
    .sort((a, b) => weight(b) - weight(a) || a.name.localeCompare(b.name))
    .map(({ name }) => name);
}

const isVirusSymbol = (name: string) => VIRUS_SYMBOL.test(name);

/** Whether a virus scanner of rspamd found something. */
export function isVirus({ action, symbols, text }: Scan): boolean {
  if (symbols.some(({ name }) => isVirusSymbol(name))) return true;
  return action === "reject" && VIRUS_TEXT.test(text);
}
