import type { Resolver } from "#server/gateways/dns.ts";

/**
 * Whether a domain is in the DNS. Only NXDOMAIN says no: a name without mail records exists, and while the
 * DNS cannot be asked it counts as existing. Two types are asked for, since some servers answer NXDOMAIN
 * to one that they do not have.
 */
export async function domainExists(
  domain: string,
  resolver: Pick<Resolver, "resolve">,
): Promise<boolean> {
  const answers = await Promise.all(
    ["MX", "A"].map((type) =>
      resolver.resolve(domain, type).then(
        () => true,
        (error: unknown) => !isNoName(error),
      ),
    ),
  );
  return answers.includes(true);
}

const isNoName = (error: unknown) =>
  error instanceof Error && "code" in error && error.code === "ENOTFOUND";
