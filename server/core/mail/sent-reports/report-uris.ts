import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";

/** Where a domain wants reports to be sent. */
export type ReportAddress = {
  address: string;
  /** The largest message that it accepts (RFC 7489, 6.2); null without a limit. */
  bytesMax: number | null;
};

const UNITS: Record<string, number> = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };
/** RFC 7489, 6.3 requires two. */
const URIS_MAX = 4;

/** Reads the addresses of a list of URIs; other schemes and invalid ones are skipped. */
export function readReportAddresses(uris: string): ReportAddress[] {
  return splitUris(uris).flatMap((uri) => readMailto(uri) ?? []);
}

/** The URIs of a `rua` tag. */
export const splitUris = (uris: string): string[] =>
  uris
    .split(",")
    .map((uri) => uri.trim())
    .slice(0, URIS_MAX);

function readMailto(uri: string): ReportAddress | null {
  const [, path, digits, unit = ""] =
    /^mailto:([^?!]+)(?:\?[^!]*)?(?:!(\d{1,9})([kmgt]?))?$/i.exec(uri) ?? [];
  const parsed = path ? parseAddress(decode(path)) : null;
  if (!parsed) return null;
  const bytesMax = digits ? Number(digits) * UNITS[unit.toLowerCase()]! : null;
  return { address: parsed.address, bytesMax };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
