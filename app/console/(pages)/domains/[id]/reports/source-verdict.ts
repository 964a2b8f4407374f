import type { DmarcSource } from "#app/console/(pages)/domains/queries.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

/** Sending services by the domain of their servers. */
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

/** The service that runs the server with this hostname; null if unknown. */
export function sendingService(host: string | null): string | null {
  if (host === null) return null;
  const name = host.toLowerCase().replace(/\.$/, "");
  return SERVICES.find(([end]) => name === end || name.endsWith(`.${end}`))?.[1] ?? null;
}

type Verdict = { label: string; tone: StatusTone; explanation: string };

/** Some messages always fail, for example because they were forwarded. */
const PASSES = 0.98;

export function sourceVerdict(source: DmarcSource): Verdict {
  const { messages, passed, dkimPassed: dkim, spfPassed: spf } = source;
  if (passed === 0) return failingVerdict(source);
  if (passed < messages * PASSES)
    return {
      label: "Partially passing",
      tone: "waiting",
      explanation: "Only some of its messages are signed for your domain. Find out what differs.",
    };
  if (spf < messages / 2)
    return {
      label: "DKIM only",
      tone: "done",
      explanation: "Passes DKIM: your forwarded mail, or a service that signs for you.",
    };
  if (dkim < messages / 2)
    return {
      label: "SPF only",
      tone: "waiting",
      explanation: "Fails when forwarded. Set up DKIM for this source.",
    };
  return { label: "Authenticated", tone: "done", explanation: "Passes SPF and DKIM." };
}

function failingVerdict({ host }: DmarcSource): Verdict {
  const service = sendingService(host);
  if (service)
    return {
      label: "Not set up",
      tone: "failed",
      explanation: `If you send with ${service}, set up DKIM for your domain there. If not, someone is spoofing your domain.`,
    };
  return {
    label: "Unknown",
    tone: "failed",
    explanation:
      "Fails SPF and DKIM: one of your servers that isn’t set up, or someone spoofing your domain.",
  };
}
