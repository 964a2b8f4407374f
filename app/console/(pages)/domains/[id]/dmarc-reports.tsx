import { Text } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";

import {
  type DmarcReports,
  type DmarcSource,
  type DomainDetail,
  type ReportDays,
} from "#app/console/(pages)/domains/queries.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import type { Series } from "#app/console/ui/charts/series.tsx";
import { CodeBlock } from "#app/console/ui/code.tsx";
import { formatCount } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status, type StatusTone } from "#app/console/ui/status.tsx";

import classes from "./domain-reports.module.css";
import { DailyChart, formatShare, ReportFigures, ReportsSkeleton } from "./report-charts.tsx";

const SERIES: Series = [
  { name: "passed", label: "Passed", tone: "done" },
  { name: "failed", label: "Failed", tone: "failed" },
];

export function DmarcPanel({ domain, days }: { domain: DomainDetail; days: ReportDays }) {
  const reports = useRead(
    "dns.getDmarcReports",
    { params: { id: domain.id }, query: { days } },
    { placeholderData: keepPreviousData },
  );
  return (
    <Panel title="Mail from your domain (DMARC)">
      <QueryView query={reports} noun="the DMARC reports" skeleton={<ReportsSkeleton />}>
        {(reports) =>
          reports.reporters.length === 0 ? (
            <NoDmarcReports domain={domain} days={days} />
          ) : (
            <DmarcSummary domain={domain} reports={reports} />
          )
        }
      </QueryView>
    </Panel>
  );
}

const POLICIES = {
  none: "none (delivered as usual)",
  quarantine: "quarantine (delivered to spam)",
  reject: "reject (not delivered)",
};

function DmarcSummary({ domain, reports }: { domain: DomainDetail; reports: DmarcReports }) {
  const { messages, passed, policy, reporters } = reports;
  return (
    <>
      <ReportFigures
        figures={[
          ["Messages", formatCount(messages)],
          ["Passed", formatShare(passed, messages)],
          ["Sources", formatCount(reports.sourceCount)],
        ]}
      />
      <DmarcAdvice domain={domain} reports={reports} />
      <DailyChart days={reports.days} series={SERIES} what="Messages per day" />
      <DmarcSources sources={reports.sources} />
      <Text size="sm" c="dimmed" mt="md">
        Policy for mail that fails: {policy ? POLICIES[policy] : "not reported"}. Reported by{" "}
        {reporters.join(", ")}.
      </Text>
    </>
  );
}

function DmarcAdvice({ domain, reports }: { domain: DomainDetail; reports: DmarcReports }) {
  const { title, text, policy } = dmarcAdvice(reports);
  const record = domain.records.find(({ kind }) => kind === "dmarc");
  return (
    <div className={classes.advice}>
      <Text fw={600} component="h3">
        {title}
      </Text>
      <Text>{text}</Text>
      {policy && record && (
        <CodeBlock code={withPolicy(record.value, policy)} label="DMARC record" />
      )}
    </div>
  );
}

function NoDmarcReports({ domain, days }: { domain: DomainDetail; days: ReportDays }) {
  const record = domain.records.find(({ kind }) => kind === "dmarc");
  return (
    <div className={classes.empty}>
      <Text>No reports received in the last {days} days.</Text>
      {record && (
        <>
          <Text c="dimmed">
            {record.isVerified
              ? "Mailbox providers send daily reports about mail from your domain. The first arrives about a day after your first emails. Make sure your DMARC record contains this server’s report address:"
              : "Mailbox providers send daily reports to the address in your DMARC record. Publish this record. The first report arrives about a day after your first emails:"}
          </Text>
          <CodeBlock code={record.value} label="DMARC record" />
        </>
      )}
    </div>
  );
}

type ReportCounts = Pick<DmarcReports, "messages" | "passed" | "policy">;

type Advice = { title: string; text: string; policy?: "quarantine" | "reject" };

/** Fewer messages don't represent all the services that a company sends with. */
const ENOUGH_MESSAGES = 100;

/** Above this share, failures come from forwarding and spoofing rather than from the company's senders. */
const SAFE_SHARE = 0.98;

/** Recommends the next DMARC policy step based on the reports. */
export function dmarcAdvice({ messages, passed, policy }: ReportCounts): Advice {
  const isSafe = passed >= messages * SAFE_SHARE;
  if (policy === "reject")
    return isSafe
      ? {
          title: "Your domain is protected",
          text: "Receivers reject spoofed mail. Check this page again when you add a service that sends for you.",
        }
      : {
          title: "Some mail from your domain is rejected",
          text: "Your policy rejects mail that fails DMARC. Check below whether any of the failing senders are yours.",
        };
  if (!isSafe)
    return {
      title: "Set up all your senders first",
      text: "More than 2% of messages fail. Set up SPF and DKIM for your senders below before you make the policy stricter.",
    };
  if (messages < ENOUGH_MESSAGES)
    return {
      title: "Wait for more reports",
      text: `No problems so far. Keep the current policy until the reports cover at least ${ENOUGH_MESSAGES} messages.`,
    };
  if (policy === "quarantine")
    return {
      title: "Switch to reject",
      text: "Almost all your mail passes. Publish this record to have spoofed mail rejected instead of delivered to spam:",
      policy: "reject",
    };
  return {
    title: "Switch to quarantine",
    text: "Almost all your mail passes. Publish this record to have spoofed mail delivered to spam:",
    policy: "quarantine",
  };
}

/** Replaces the policy in a DMARC record (RFC 7489, 6.3). */
export const withPolicy = (record: string, policy: string): string =>
  record.replace(/(;\s*)p\s*=\s*\w+/i, (_, start: string) => `${start}p=${policy}`);

const DmarcSources = ({ sources }: { sources: DmarcSource[] }) => (
  <>
    <Text fw={600} component="h3" mt="xl" id="dmarc-sources">
      Sending sources
    </Text>
    <table role="table" className={classes.sources} aria-labelledby="dmarc-sources">
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader">Server</th>
          <th role="columnheader">Assessment</th>
          {NUMBERS.map(({ head }) => (
            <th key={head} role="columnheader" className={classes.number}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {sources.map((source) => (
          <DmarcSourceRow key={source.address} source={source} />
        ))}
      </tbody>
    </table>
  </>
);

const NUMBERS: { head: string; of: (source: DmarcSource) => string }[] = [
  { head: "Messages", of: ({ messages }) => formatCount(messages) },
  { head: "Passed", of: ({ passed, messages }) => formatShare(passed, messages) },
  { head: "DKIM", of: ({ dkimPassed: dkim, messages }) => formatShare(dkim, messages) },
  { head: "SPF", of: ({ spfPassed: spf, messages }) => formatShare(spf, messages) },
  { head: "Blocked", of: blockedCounts },
];

// Explicit roles: on phones, the style sheet turns rows into cards, which drops the implicit ones.
function DmarcSourceRow({ source }: { source: DmarcSource }) {
  const { address, host } = source;
  const { label, tone, explanation } = sourceVerdict(source);
  return (
    <tr role="row">
      <th role="rowheader">
        {sendingService(host) ?? host ?? address}
        <span className={classes.quiet}>{host === null ? "No verified hostname" : address}</span>
      </th>
      <td role="cell" className={classes.verdict}>
        <Status label={label} tone={tone} />
        <span className={classes.quiet}>{explanation}</span>
      </td>
      {NUMBERS.map(({ head, of }) => (
        <td key={head} role="cell" className={classes.number} data-head={head}>
          {of(source)}
        </td>
      ))}
    </tr>
  );
}

function blockedCounts({ quarantined, rejected }: DmarcSource): string {
  const parts = [
    quarantined > 0 && `${formatCount(quarantined)} to spam`,
    rejected > 0 && `${formatCount(rejected)} rejected`,
  ].filter(Boolean);
  return parts.join(", ") || "None";
}

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
