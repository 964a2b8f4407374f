import type { Resolver } from "#server/gateways/dns.ts";

/**
 * The policy id in the domain's TXT record `_mta-sts` (RFC 8461 §3.1). Null if there is no such record,
 * more than one, or no answer: the cached policy then still applies.
 */
export async function findPolicyId(resolver: Resolver, domain: string): Promise<string | null> {
  const answer = await resolver.txt(`_mta-sts.${domain}`);
  const texts = answer.kind === "found" ? answer.records : [];
  const [record, ...others] = texts.filter((text) => /^v=STSv1[ \t]*;/.test(text));
  if (!record || others.length > 0) return null;
  return /;[ \t]*id=([a-z0-9]{1,32})[ \t]*(;|$)/i.exec(record)?.[1] ?? null;
}
