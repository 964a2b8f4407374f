import type { Resolver } from "#server/gateways/dns.ts";

/**
 * Whether a domain exists in DNS. Only NXDOMAIN counts as nonexistent; DNS failures don't. Queries two types,
 * since some servers answer NXDOMAIN for a type they don't have.
 */
export async function domainExists(
  domain: string,
  resolver: Pick<Resolver, "resolve">,
): Promise<boolean> {
  const answers = await Promise.all(
    ["MX", "A"].map((type) =>
      resolver.resolve(domain, type).then(
        () => true,
        (error: unknown) => !isNxdomain(error),
      ),
    ),
  );
  return answers.includes(true);
}

const isNxdomain = (error: unknown) =>
  error instanceof Error && "code" in error && error.code === "ENOTFOUND";
