import type { DnsFinding, SpfReading } from "#drizzle/schema/index.ts";
import { joinTxtStrings } from "#server/core/domains/records/tag-list.ts";
import { followSpf } from "#server/core/domains/spf/follow-spf.ts";
import { isSpf } from "#server/core/domains/spf/read-spf.ts";
import type { Resolver } from "#server/gateways/dns.ts";

type Question = { domain: string; hostname: string; resolver: Resolver };

/**
 * Adds to each finding a receiver's evaluation of its SPF record. Evaluates each distinct text once; findings
 * without exactly one SPF record stay as they are.
 */
export async function addSpfReadings(
  findings: DnsFinding[],
  { domain, hostname, resolver }: Question,
): Promise<DnsFinding[]> {
  if (!findings.some((finding) => onlySpf(finding) !== null)) return findings;
  const host = await findHostAddresses(resolver, hostname);
  const readings = new Map<string, Promise<SpfReading>>();
  const follow = (text: string) => {
    const resolve = (name: string, rrtype: string) => resolver.resolve(name, rrtype);
    const question = { domain, hostname, hostAddresses: host.addresses, resolve };
    const reading = readings.get(text) ?? followSpf(text, question);
    readings.set(text, reading);
    return reading;
  };
  return Promise.all(
    findings.map(async (finding) => {
      const text = onlySpf(finding);
      if (text === null) return finding;
      const spf = await follow(text);
      // If the appliance's own address lookup failed, a "no" may be wrong.
      const isOpen = !host.isCertain && spf.authorizes === "no" && spf.error === null;
      return { ...finding, spf: isOpen ? { ...spf, authorizes: "open" } : spf };
    }),
  );
}

function onlySpf({ records }: DnsFinding): string | null {
  const [text, second] = records.map(joinTxtStrings).filter(isSpf);
  return text !== undefined && second === undefined ? text : null;
}

async function findHostAddresses(resolver: Resolver, hostname: string) {
  const answers = await Promise.all([resolver.a(hostname), resolver.aaaa(hostname)]);
  return {
    addresses: answers.flatMap((answer) => (answer.kind === "found" ? answer.records : [])),
    isCertain: answers.every(({ kind }) => kind !== "failed"),
  };
}
