import type { DnsFinding } from "#drizzle/schema/index.ts";

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
