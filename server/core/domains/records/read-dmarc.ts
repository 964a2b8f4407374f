const POLICIES = ["none", "quarantine", "reject"] as const;
type DmarcPolicy = (typeof POLICIES)[number];

export type DmarcRecord = { policy: DmarcPolicy; reportUris: string[] };

/** Whether the text is meant as a DMARC record, valid or not. */
export const looksLikeDmarc = (text: string) => /^\s*v\s*=\s*DMARC1\b/i.test(text);

/**
 * Parses a DMARC record like receivers do (RFC 7489 §6.3, §6.6.3): the version comes first; without a valid
 * policy it counts as `none` if it requests reports, and is invalid otherwise (null). Unreadable tags are
 * ignored.
 */
export function readDmarc(text: string): DmarcRecord | null {
  if (!/^\s*v\s*=\s*DMARC1\s*(;|$)/.test(text)) return null;
  const tags = readTags(text);
  const reportUris = (tags.get("rua") ?? "")
    .split(",")
    .map((uri) => uri.trim())
    .filter((uri) => /^[a-z][a-z0-9+.-]*:/i.test(uri));
  const asked = tags.get("p")?.toLowerCase();
  const policy = POLICIES.find((known) => known === asked);
  if (!policy && reportUris.length === 0) return null;
  return { policy: policy ?? "none", reportUris };
}

/** The first of duplicate tags counts. */
function readTags(text: string): Map<string, string> {
  const tags = new Map<string, string>();
  for (const part of text.split(";")) {
    const at = part.indexOf("=");
    const name = part.slice(0, Math.max(at, 0)).trim().toLowerCase();
    if (!tags.has(name)) tags.set(name, part.slice(at + 1).trim());
  }
  return tags;
}
