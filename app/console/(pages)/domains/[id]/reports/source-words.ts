import type { DmarcSource } from "#app/console/(pages)/domains/queries.ts";
import type { Meaning } from "#app/console/ui/status.tsx";

/** Services that send for others, by the end of their servers' names. */
const SERVICES: [ending: string, name: string][] = [
  ["google.com", "Google"],
  ["googlemail.com", "Google"],
  ["outlook.com", "Microsoft 365"],
  ["office365.com", "Microsoft 365"],
  ["amazonses.com", "Amazon SES"],
  ["sendgrid.net", "SendGrid"],
  ["mailgun.net", "Mailgun"],
  ["mtasv.net", "Postmark"],
  ["mcsv.net", "Mailchimp"],
  ["rsgsv.net", "Mailchimp"],
  ["mandrillapp.com", "Mailchimp Transactional"],
  ["sparkpostmail.com", "SparkPost"],
  ["mailjet.com", "Mailjet"],
  ["brevo.com", "Brevo"],
  ["sendinblue.com", "Brevo"],
  ["hubspotemail.net", "HubSpot"],
  ["zendesk.com", "Zendesk"],
  ["salesforce.com", "Salesforce"],
  ["exacttarget.com", "Salesforce"],
  ["zoho.com", "Zoho"],
  ["zohomail.com", "Zoho"],
  ["messagelabs.com", "Broadcom Email Security"],
  ["pphosted.com", "Proofpoint"],
  ["mimecast.com", "Mimecast"],
  ["messagingengine.com", "Fastmail"],
  ["yahoo.com", "Yahoo"],
  ["icloud.com", "Apple iCloud"],
];

/** Whose server it is, by its name in the DNS; null where that tells nothing. */
export function serviceOf(host: string | null): string | null {
  if (host === null) return null;
  const name = host.toLowerCase().replace(/\.$/, "");
  return SERVICES.find(([end]) => name === end || name.endsWith(`.${end}`))?.[1] ?? null;
}

type Verdict = { word: string; meaning: Meaning; explanation: string };

/** From this share on a source counts as one that passes: single messages fail for many reasons. */
const PASSES = 0.98;

/** What a source probably is, going by which checks its mail passes. */
export function verdictOf(source: DmarcSource): Verdict {
  const { messages, passed, dkim_passed: dkim, spf_passed: spf } = source;
  if (passed === 0) return unproven(source);
  if (passed < messages * PASSES)
    return {
      word: "Passes in part",
      meaning: "waiting",
      explanation: "Some of it is signed for your domain, some is not: look at what differs.",
    };
  if (spf < messages / 2)
    return {
      word: "Signed",
      meaning: "done",
      explanation:
        "Passes by its DKIM signature: forwarded mail of yours, or a service that signs.",
    };
  if (dkim < messages / 2)
    return {
      word: "Not signed",
      meaning: "waiting",
      explanation:
        "Passes by SPF alone, and fails once somebody forwards it: have it sign with DKIM.",
    };
  return { word: "Yours", meaning: "done", explanation: "Passes SPF and DKIM." };
}

function unproven({ host }: DmarcSource): Verdict {
  const service = serviceOf(host);
  if (service)
    return {
      word: "Not set up",
      meaning: "failed",
      explanation: `If you send with ${service}, set up DKIM for your domain there. If not, somebody pretends to be you.`,
    };
  return {
    word: "Unknown",
    meaning: "failed",
    explanation:
      "Neither signed nor allowed: a server of yours that is missing, or somebody pretending.",
  };
}
