import type { Scan } from "#server/gateways/rspamd.ts";

/**
 * rspamd's antivirus modules call what they find CLAM_VIRUS, SOPHOS_VIRUS and so on. CLAM_VIRUS_FAIL says
 * that the scanner is not there, CLAM_VIRUS_ENCRYPTED that it could not look inside: neither is a virus.
 */
const VIRUS_SYMBOL = /^[A-Z0-9_]+_VIRUS$/;

/** What the modules have rspamd refuse with, also where an operator has given the symbol another name. */
const VIRUS_TEXT = /: virus found: /;

/** Whether the symbol says that a virus scanner has found something. */
export const isVirusSymbol = (name: string) => VIRUS_SYMBOL.test(name);

/** Whether one of rspamd's virus scanners has found something. */
export function isVirus({ action, symbols, text }: Scan): boolean {
  if (symbols.some(({ name }) => isVirusSymbol(name))) return true;
  return action === "reject" && VIRUS_TEXT.test(text);
}
