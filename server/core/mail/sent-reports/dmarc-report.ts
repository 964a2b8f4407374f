import { escapeMarkup } from "#server/core/shared/escape-markup.ts";

import type { DmarcCount } from "./dmarc-counts.ts";
import { periodOf } from "./queue-report.ts";

type Facts = {
  day: string;
  domain: string;
  /** The hostname. */
  organization: string;
  reportId: string;
  /** The domain's DMARC record. */
  record: string;
};

/** Writes a DMARC aggregate report (RFC 7489, appendix C). */
export function dmarcReport(counts: DmarcCount[], facts: Facts): Buffer {
  const { day, domain, organization, reportId, record } = facts;
  const { begin, end } = periodOf(day);
  const p = tagOf(record, "p") ?? "none";
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n${element("feedback", [
      element("version", "1.0"),
      element("report_metadata", [
        element("org_name", organization),
        element("email", `postmaster@${organization}`),
        element("report_id", reportId),
        element("date_range", [element("begin", `${begin}`), element("end", `${end}`)]),
      ]),
      element("policy_published", [
        element("domain", domain),
        element("adkim", tagOf(record, "adkim") === "s" ? "s" : "r"),
        element("aspf", tagOf(record, "aspf") === "s" ? "s" : "r"),
        element("p", p),
        element("sp", tagOf(record, "sp") ?? p),
        element("pct", tagOf(record, "pct") ?? "100"),
      ]),
      ...counts.map(rowOf),
    ])}`,
  );
}

function rowOf({ sourceIp, count, result }: DmarcCount): string {
  const { headerFrom, disposition, dkim, spf, spfResult, signatures } = result;
  return element("record", [
    element("row", [
      element("source_ip", sourceIp),
      element("count", `${count}`),
      element("policy_evaluated", [
        element("disposition", disposition),
        element("dkim", dkim),
        element("spf", spf),
      ]),
    ]),
    element("identifiers", [
      ...(spfResult?.scope === "mfrom" ? [element("envelope_from", spfResult.domain)] : []),
      element("header_from", headerFrom),
    ]),
    element("auth_results", [
      ...signatures.map((one) =>
        element("dkim", [
          element("domain", one.domain),
          element("selector", one.selector),
          element("result", one.result),
        ]),
      ),
      element("spf", [
        element("domain", spfResult?.domain ?? headerFrom),
        element("scope", spfResult?.scope ?? "mfrom"),
        element("result", spfResult?.result ?? "none"),
      ]),
    ]),
  ]);
}

const tagOf = (record: string, name: string): string | undefined =>
  new RegExp(`;\\s*${name}\\s*=\\s*([a-z0-9]+)`, "i").exec(record)?.[1]?.toLowerCase();

const element = (name: string, content: string | string[]): string =>
  `<${name}>${Array.isArray(content) ? content.join("") : escapeMarkup(content)}</${name}>\n`;
