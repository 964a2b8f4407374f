import { randomUUID } from "node:crypto";

type Row = { ip?: string; count?: number; dkim?: string; spf?: string; disposition?: string };

type DmarcXml = {
  domain: string;
  orgName?: string;
  reportId?: string;
  /** The start of its day, in days ago. */
  daysAgo?: number;
  rows?: Row[];
};

const DAY_MS = 86_400_000;

/** A DMARC aggregate report about one day, as providers send it. */
export function aDmarcXml(report: DmarcXml): string {
  const { domain, orgName = "google.com", reportId = randomUUID(), daysAgo = 1 } = report;
  const { rows = [{}] } = report;
  const begin = Math.floor((Date.now() - daysAgo * DAY_MS) / 1000);
  const records = rows.map(
    ({ ip = "192.0.2.1", count = 1, dkim = "pass", spf = "pass", disposition = "none" }) =>
      `<record><row><source_ip>${ip}</source_ip><count>${count}</count><policy_evaluated>` +
      `<disposition>${disposition}</disposition><dkim>${dkim}</dkim><spf>${spf}</spf>` +
      `</policy_evaluated></row><identifiers><header_from>${domain}</header_from></identifiers>` +
      `<auth_results><spf><domain>${domain}</domain><result>${spf}</result></spf></auth_results></record>`,
  );
  return (
    `<?xml version="1.0"?><feedback><report_metadata><org_name>${orgName}</org_name>` +
    `<report_id>${reportId}</report_id><date_range><begin>${begin}</begin>` +
    `<end>${begin + 86_399}</end></date_range></report_metadata>` +
    `<policy_published><domain>${domain}</domain><p>none</p></policy_published>` +
    `${records.join("")}</feedback>`
  );
}

type TlsJson = { domain: string; reportId?: string; successful?: number; failed?: number };

/** A TLS report about yesterday. */
export function aTlsJson({ domain, reportId = randomUUID(), ...counts }: TlsJson): string {
  const { successful = 1, failed = 0 } = counts;
  return JSON.stringify({
    "organization-name": "Google Inc.",
    "date-range": {
      "start-datetime": new Date(Date.now() - 2 * DAY_MS).toISOString(),
      "end-datetime": new Date(Date.now() - DAY_MS).toISOString(),
    },
    "report-id": reportId,
    policies: [
      {
        policy: { "policy-type": "sts", "policy-domain": domain },
        summary: {
          "total-successful-session-count": successful,
          "total-failure-session-count": failed,
        },
        "failure-details":
          failed > 0
            ? [{ "result-type": "certificate-expired", "failed-session-count": failed }]
            : [],
      },
    ],
  });
}

/** A message whose whole content is a file, like Google's reports. */
export function messageWithFile(
  content: Buffer | string,
  type = "application/octet-stream",
): Buffer {
  const base64 = Buffer.from(content).toString("base64").replace(/.{76}/g, "$&\r\n");
  return Buffer.from(
    [
      "From: noreply@reporter.test",
      "To: reports@mail.here.test",
      "Subject: Report domain",
      "MIME-Version: 1.0",
      `Content-Type: ${type}; name="report"`,

      'Content-Disposition: attachment; filename="report"',
      "Content-Transfer-Encoding: base64",
      "",
      base64,
      "",
    ].join("\r\n"),
  );
}
