import { readTags } from "./tag-list.ts";

const POLICIES = ["none", "quarantine", "reject"] as const;
type DmarcPolicy = (typeof POLICIES)[number];

/** What matters of a DMARC record. */
export type DmarcRecord = { policy: DmarcPolicy; reportUris: string[] };

/** Whether the text means to be a DMARC record, valid or not. */
export const looksLikeDmarc = (text: string) => /^\s*v\s*=\s*DMARC1\b/i.test(text);

/**
 * Reads a DMARC record as receivers do (RFC 7489 §6.3, §6.6.3): the version comes first; without a
 * valid policy it counts as `none` if it asks for reports, and not at all otherwise. Null for those.
 */
export function readDmarc(text: string): DmarcRecord | null {
  const tags = readTags(text);
  if (!tags || tags.get("v") !== "DMARC1" || tags.keys().next().value !== "v") return null;
  const reportUris = (tags.get("rua") ?? "")
    .split(",")
    .map((uri) => uri.trim())
    .filter((uri) => /^[a-z][a-z0-9+.-]*:/i.test(uri));
  const asked = tags.get("p")?.toLowerCase();
  const policy = POLICIES.find((known) => known === asked);
  if (!policy && reportUris.length === 0) return null;
  return { policy: policy ?? "none", reportUris };
}
