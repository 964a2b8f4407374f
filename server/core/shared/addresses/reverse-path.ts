import { readDomain } from "./parse-address.ts";

/** RFC 5321, 4.5.3.1.3: a path has 256 octets, its brackets among them. */
const PATH_OCTETS_MAX = 254;
/** dot-atom text of RFC 5322, 3.2.3. Lists and forwarders write longer ones than the 64 octets of RFC 5321. */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+$/;

/**
 * The reverse path of MAIL FROM in normal form, "" for none: as it was written before the @, since
 * that is its owner's business, the domain in A-labels. Null for what cannot be put into a command
 * again: quoted local parts and text beyond ASCII.
 */
export function readReversePath(text: string): string | null {
  if (text === "") return "";
  const at = text.lastIndexOf("@");
  const localPart = text.slice(0, Math.max(at, 0));
  const domain = readDomain(text.slice(at + 1));
  if (!domain || !LOCAL_PART.test(localPart)) return null;
  const path = `${localPart}@${domain}`;
  return path.length <= PATH_OCTETS_MAX ? path : null;
}
