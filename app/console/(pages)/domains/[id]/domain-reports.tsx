import { Button, Group, Text } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import {
  type DomainDetail,
  REPORT_DAYS,
  type ReportDays,
  type TlsReports,
} from "#app/console/(pages)/domains/queries.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import type { Series } from "#app/console/ui/charts/series.tsx";
import { CodeBlock } from "#app/console/ui/code.tsx";
import { formatCount } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { navigateInPlace } from "#app/console/ui/url-search.ts";

import { DmarcPanel } from "./dmarc-reports.tsx";
import classes from "./domain-reports.module.css";
import { DailyChart, formatShare, ReportFigures, ReportsSkeleton } from "./report-charts.tsx";

/** DMARC and TLS reports from other mail servers. The period is in the URL. */
export function DomainReports({ domain }: { domain: DomainDetail }) {
  const param = useSearchParams().get("days");
  const days = REPORT_DAYS.find((known) => known === param) ?? "30";
  return (
    <>
      <nav aria-label="Report period" className={classes.spans}>
        <Text c="dimmed">Other mail servers send reports once a day.</Text>
        <Group gap="xs">
          {REPORT_DAYS.map((period) => (
            <PeriodLink key={period} days={period} isCurrent={period === days} />
          ))}
        </Group>
      </nav>
      <DmarcPanel domain={domain} days={days} />
      <TlsPanel domain={domain} days={days} />
    </>
  );
}

function PeriodLink({ days, isCurrent }: { days: ReportDays; isCurrent: boolean }) {
  const href = `?tab=reports&days=${days}`;
  return (
    <Button
      component={Link}
      href={href}
      onNavigate={navigateInPlace(href)}
      size="xs"
      variant={isCurrent ? "light" : "default"}
      aria-current={isCurrent ? "true" : undefined}
    >
      {days} days
    </Button>
  );
}

const SERIES: Series = [
  { name: "successful", label: "Encrypted", tone: "done" },
  { name: "failed", label: "Failed", tone: "failed" },
];

function TlsPanel({ domain, days }: { domain: DomainDetail; days: ReportDays }) {
  const reports = useRead(
    "dns.getTlsReports",
    { params: { id: domain.id }, query: { days } },
    { placeholderData: keepPreviousData },
  );
  return (
    <Panel title="TLS for incoming mail">
      <QueryView query={reports} noun="the TLS reports" skeleton={<ReportsSkeleton />}>
        {(reports) =>
          reports.reporters.length === 0 ? (
            <NoTlsReports domain={domain} days={days} />
          ) : (
            <TlsSummary reports={reports} />
          )
        }
      </QueryView>
    </Panel>
  );
}

function TlsSummary({ reports }: { reports: TlsReports }) {
  const { sessions, successful, failures, reporters } = reports;
  return (
    <>
      <ReportFigures
        figures={[
          ["Connections", formatCount(sessions)],
          ["Encrypted", formatShare(successful, sessions)],
        ]}
      />
      <DailyChart days={reports.days} series={SERIES} what="Connections per day" />
      {failures.length > 0 && <TlsFailures failures={failures} />}
      <Text size="sm" c="dimmed" mt="md">
        Reported by {reporters.join(", ")}.
      </Text>
    </>
  );
}

const TlsFailures = ({ failures }: Pick<TlsReports, "failures">) => (
  <>
    <Text fw={600} component="h3" mt="xl" id="tls-failures">
      Failures
    </Text>
    <table className={classes.table} aria-labelledby="tls-failures">
      <thead>
        <tr>
          <th scope="col">Failure</th>
          <th scope="col" className={classes.number}>
            Connections
          </th>
        </tr>
      </thead>
      <tbody>
        {failures.map(({ type, sessions, mailHosts: hosts, reasons }) => (
          <tr key={type}>
            <th scope="row">
              {FAILURE_TEXTS[type] ?? "The TLS connection failed."}
              <span className={classes.quiet}>{[type, ...hosts, ...reasons].join(" · ")}</span>
            </th>
            <td className={classes.number}>{formatCount(sessions)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </>
);

/** Result types of TLS reports (RFC 8460, 4.3). */
const FAILURE_TEXTS: Record<string, string> = {
  "starttls-not-supported": "This server didn’t offer encryption.",
  "certificate-host-mismatch": "The certificate doesn’t match the mail server’s name.",
  "certificate-expired": "The certificate has expired.",
  "certificate-not-trusted": "The certificate isn’t issued by a trusted authority.",
  "validation-failure": "The TLS connection failed for an unspecified reason.",
  "tlsa-invalid": "The TLSA record (DANE) doesn’t match the certificate.",
  "dnssec-invalid": "The domain’s DNSSEC signatures are invalid.",
  "dane-required": "The sender requires DANE, which the domain doesn’t support.",
  "sts-policy-fetch-error": "The MTA-STS policy couldn’t be fetched.",
  "sts-policy-invalid": "The MTA-STS policy is invalid.",
  "sts-webpki-invalid": "The web server for the MTA-STS policy has no valid certificate.",
};

function NoTlsReports({ domain, days }: { domain: DomainDetail; days: ReportDays }) {
  const record = domain.records.find(({ kind }) => kind === "tls_rpt");
  return (
    <div className={classes.empty}>
      <Text>No reports received in the last {days} days.</Text>
      {record && !record.isVerified && (
        <>
          <Text c="dimmed">
            Publish this record at <code>{record.name}</code> to get daily reports from other mail
            servers about encrypted deliveries to you:
          </Text>
          <CodeBlock code={record.value} label="TLS-RPT record" />
        </>
      )}
    </div>
  );
}
