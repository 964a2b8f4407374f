import { createTtlCache } from "#server/core/shared/ttl-cache.ts";

/** Who runs the recipient's mail server. A fixed set, because each is a time series. */
export type MailOperator =
  "google" | "microsoft" | "yahoo" | "apple" | "gmx" | "proton" | "local" | "other";

const DOMAINS: Record<string, MailOperator> = {
  ...named("google", "gmail.com googlemail.com"),
  ...named("microsoft", "outlook.com hotmail.com live.com msn.com outlook.de hotmail.co.uk"),
  ...named("yahoo", "yahoo.com ymail.com rocketmail.com aol.com yahoo.co.uk yahoo.fr yahoo.de"),
  ...named("apple", "icloud.com me.com mac.com"),
  ...named("gmx", "gmx.de gmx.net gmx.at gmx.ch web.de mail.com gmx.com"),
  ...named("proton", "proton.me protonmail.com pm.me"),
};

/** Suffixes of mail hosts, which also serve domains of other companies. */
const HOSTS: [suffix: string, operator: MailOperator][] = [
  [".google.com", "google"],
  [".googlemail.com", "google"],
  [".outlook.com", "microsoft"],
  [".yahoodns.net", "yahoo"],
  [".icloud.com", "apple"],
  [".gmx.net", "gmx"],
  [".web.de", "gmx"],
  [".kundenserver.de", "gmx"],
  [".protonmail.ch", "proton"],
];

// A destination's operator is known once a mail host of it has replied.
const learned = createTtlCache<MailOperator>({ max: 5_000, ttlMs: 24 * 3_600_000 });

/**
 * The operator of a destination.
 *
 * @param host the mail host that replied, if one did
 */
export function mailOperator(destination: string, host?: string | null): MailOperator {
  const known = DOMAINS[destination] ?? learned.get(destination);
  if (known) return known;
  if (!host) return "other";
  const name = host.toLowerCase().replace(/\.$/, "");
  const operator = HOSTS.find(([suffix]) => name.endsWith(suffix))?.[1] ?? "other";
  if (operator !== "other") learned.set(destination, operator);
  return operator;
}

function named(operator: MailOperator, domains: string): Record<string, MailOperator> {
  return Object.fromEntries(domains.split(" ").map((domain) => [domain, operator]));
}
