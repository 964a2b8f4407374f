import { readDmarc } from "#server/core/domains/records/read-dmarc.ts";

/**
 * The DMARC record to publish: the existing one with our report address added or, if there isn't exactly one
 * valid record, one that only requests reports.
 */
export function mergeDmarc(existing: string[], reportAddress: string): string {
  const uri = `mailto:${reportAddress}`;
  const [kept, second] = existing.filter((text) => readDmarc(text) !== null);
  if (kept === undefined || second !== undefined) return `v=DMARC1; p=none; rua=${uri}`;
  const uris = readDmarc(kept)!.reportUris.map((known) => known.replace(/!.*$/, "").toLowerCase());
  if (uris.includes(uri.toLowerCase())) return kept;
  const asked = /(^|;)(\s*rua\s*=\s*)([^;]*?)(\s*)(?=;|$)/i;
  if (uris.length > 0)
    return kept.replace(
      asked,
      (_, start: string, tag: string, list: string, space: string) =>
        `${start}${tag}${list},${uri}${space}`,
    );
  const without = kept.replace(asked, "").replace(/[;\s]+$/, "");
  return `${without}; rua=${uri}`;
}
