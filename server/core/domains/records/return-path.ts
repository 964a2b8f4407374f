import { getDomain } from "tldts";

import type { DnsFinding, Domain, DomainFinding, DomainRecordKind } from "#drizzle/schema/index.ts";
import type { Config } from "#server/config.ts";

import { relevantFindings } from "./evaluate-findings.ts";

type RecordFinding = Pick<DomainFinding, "record" | "isVerified" | "missingSince" | "answers">;

/** Leaves room for the local part of an envelope sender: a path has at most 254 octets (RFC 5321, 4.5.3.1.3). */
const NAME_LENGTH_MAX = 190;

/** The name below a domain for the bounces of its emails, if the domain's own mail is received elsewhere. */
export const returnPathName = (domain: string) => `bounces.${domain}`;

/**
 * Decides the domain of envelope senders, so that SPF passes for a domain that DMARC accepts (RFC 7489, 3.1.2): the
 * domain itself if its mail comes here first, otherwise the name below it if that is published. Null if neither
 * leads here or SPF doesn't allow this server; a record that a recheck missed no longer counts.
 */
export function findReturnPath(
  { name, returnPath: before }: Pick<Domain, "name" | "returnPath">,
  findings: RecordFinding[],
  hostname: string,
): string | null {
  if (name.length > NAME_LENGTH_MAX) return null;
  const found = (record: DomainRecordKind) =>
    findings.find((one) => one.record === record && one.isVerified && one.missingSince === null);
  const candidates = [
    { path: name, mx: found("mx"), spf: found("spf") },
    { path: returnPathName(name), mx: found("return_path_mx"), spf: found("return_path_spf") },
  ];
  const usable = candidates.find(
    ({ path, mx, spf }) => mx && spf && (isFirst(mx, hostname) ?? before === path),
  );
  return usable?.path ?? null;
}

/**
 * Whether all servers that answered name the host as the first one for mail; null if none answered. One that lacks
 * the record would lose bounces, and some receivers reject senders at names without records.
 */
function isFirst({ answers }: RecordFinding, hostname: string): boolean | null {
  const answered = relevantFindings(answers).filter(({ kind }) => kind !== "failed");
  return answered.length === 0
    ? null
    : answered.every((answer) => isPreferredHost(answer, hostname));
}

/** Where the bounces of a domain's emails return to. */
export type ReturnPath = {
  /** The domain of the envelope senders. */
  name: string;
  /** Whether DMARC accepts SPF for it: both belong to the same registered domain (RFC 7489, 3.1.2, relaxed). */
  isAligned: boolean;
};

/** The return path in use. A smarthost has addresses of its own, which the SPF record may not allow. */
export function returnPathInUse(
  { name, returnPath }: Pick<Domain, "name" | "returnPath">,
  { hostname, relay }: Pick<Config, "hostname" | "relay">,
): ReturnPath {
  const path = relay ? hostname : (returnPath ?? hostname);
  return { name: path, isAligned: registered(path) === registered(name) };
}

const registered = (name: string) => getDomain(name, { allowPrivateDomains: true }) ?? name;

/** Lower case, without the trailing dot. */
export const normalizeHost = (host: string) => host.toLowerCase().replace(/\.$/, "");

/** Whether servers that follow these MX records try this host first (RFC 5321, 5.1). */
export function isPreferredHost({ records }: DnsFinding, hostname: string): boolean {
  const lowest = Math.min(...records.map(([preference]) => Number(preference)));
  const preferred = records.filter(([preference]) => Number(preference) === lowest);
  return (
    preferred.length > 0 && preferred.every(([, host]) => normalizeHost(host ?? "") === hostname)
  );
}
