import { readSenderDomain, readSenderLocalPart } from "./parse-address.ts";

/** RFC 5321, 4.5.3.1.3: 256 octets including the angle brackets. */
const PATH_OCTETS_MAX = 254;

/**
 * Normalizes the return path of MAIL FROM: the local part as `readSenderLocalPart` reads it, but of any length, since lists
 * and forwarders exceed the 64 octets of RFC 5321; the domain in A-labels or as a hostname with underscores or a single label;
 * "" for the null path. Null for paths that can't be sent in a command.
 */
export function readReversePath(text: string): string | null {
  if (text === "") return "";
  const at = text.lastIndexOf("@");
  const localPart = readSenderLocalPart(text.slice(0, Math.max(at, 0)));
  const domain = readSenderDomain(text.slice(at + 1));
  if (!domain || localPart === null) return null;
  const path = `${localPart}@${domain}`;
  return path.length <= PATH_OCTETS_MAX ? path : null;
}
