import type { Verdict } from "#server/core/mail/authentication/verify-message.ts";

/**
 * The Authentication-Results field of a verdict (RFC 8601), folded and terminated by CRLF. Its values were parsed
 * strictly; no text of the message is copied into it.
 */
export function authenticationResults(
  hostname: string,
  { spf, dkim, dmarc, arc }: Pick<Verdict, "spf" | "dkim" | "dmarc" | "arc">,
): string {
  const signatures = dkim.signatures.map(
    ({ result, domain, selector, algorithm, mark }) =>
      `dkim=${result} header.d=${domain}` +
      property("header.s", selector) +
      property("header.a", algorithm) +
      (mark === "" ? "" : ` header.b="${mark}"`),
  );
  const reason = dmarc.override
    ? ` reason="arc=pass as[${dmarc.override.instance}].d=${dmarc.override.sealer}"`
    : "";
  const policy = dmarc.policy === null ? "" : ` (p=${dmarc.policy})`;
  return `${[
    `Authentication-Results: ${hostname}`,
    `spf=${spf.result}${property(`smtp.${spf.identity}`, spf.domain)}`,
    ...(signatures.length > 0 ? signatures : ["dkim=none"]),
    `dmarc=${dmarc.result}${reason}${policy}${property("header.from", dmarc.domain)}`,
    `arc=${arc.result}`,
  ].join(";\r\n\t")}\r\n`;
}

const property = (name: string, value: string | null) => (value ? ` ${name}=${value}` : "");
