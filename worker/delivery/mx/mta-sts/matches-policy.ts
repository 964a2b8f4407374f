/**
 * Whether a policy lists a mail server (RFC 8461 §4.1): `*.` stands for exactly one label.
 *
 * @param host lowercase, without the trailing dot
 */
export function matchesPolicy(host: string, patterns: string[]): boolean {
  const [label = ""] = host.split(".", 1);
  return patterns.includes(host) || patterns.includes(`*${host.slice(label.length)}`);
}
