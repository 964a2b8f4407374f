"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import {
  type DomainDetail,
  REPORT_DAYS,
  type ReportDays,
  tlsQuery,
  type TlsReports,
} from "#app/console/(pages)/domains/queries.ts";
import { BarChart } from "#app/console/ui/charts/charts.tsx";
import { ChartDataTable, ChartLegend, type Series } from "#app/console/ui/charts/series.tsx";
import { CodeBlock } from "#app/console/ui/code.tsx";
import { dateFormatter, formatCount, numberFormatter } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { navigateInPlace } from "#app/console/ui/url-search.ts";

import { DmarcPanel, ReportsSkeleton } from "./dmarc-reports.tsx";
import classes from "./domain-reports.module.css";

/** DMARC and TLS reports from other mail servers. The period is in the URL. */
export function DomainReports({ domain }: { domain: DomainDetail }) {
  const param = useSearchParams().get("days");
  const days = REPORT_DAYS.find((known) => known === param) ?? "30";
  return (
    <>
      <nav aria-label="Report period" className={classes.spans}>
        <Text c="dimmed">Other mail servers send reports once a day.</Text>
        <div className={classes.links}>
          {REPORT_DAYS.map((period) => (
            <PeriodLink key={period} days={period} isCurrent={period === days} />
          ))}
        </div>
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

const formatPercent = numberFormatter({ style: "percent", maximumFractionDigits: 1 });

/** A percentage that never rounds up to 100% or down to 0%. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return "–";
  const share = part / whole;
  const rounded = formatPercent(share);
  if (rounded === formatPercent(1) && part < whole) return `> ${formatPercent(0.999)}`;
  return rounded === formatPercent(0) && part > 0 ? `< ${formatPercent(0.001)}` : rounded;
}

export function ReportFigures({ figures }: { figures: [name: string, value: string][] }) {
  return (
    <dl className={classes.figures}>
      {figures.map(([name, value]) => (
        <div key={name} className={classes.figure}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export type Day = { day: string } & Record<string, string | number>;

const format = (options: Intl.DateTimeFormatOptions) =>
  dateFormatter({ ...options, timeZone: "UTC" });

const tick = format({ day: "numeric", month: "short" });
const label = format({ weekday: "short", day: "numeric", month: "short", year: "numeric" });

/** Counts per day as a bar chart and a table. */
export function DailyChart({ days, series, what }: { days: Day[]; series: Series; what: string }) {
  const points = days.map((day) => {
    const midnight = new Date(`${day.day}T00:00:00Z`);
    return {
      label: label(midnight),
      tick: tick(midnight),
      values: Object.fromEntries(series.map(({ name }) => [name, Number(day[name])])),
    };
  });
  const sumOf = (name: string) => points.reduce((sum, { values }) => sum + values[name]!, 0);
  return (
    <div>
      <ChartLegend
        series={series}
        totals={Object.fromEntries(series.map(({ name }) => [name, sumOf(name)]))}
      />
      <BarChart label={what} points={points} series={series} />
      <ChartDataTable
        label={what}
        rowHeader="Day"
        columns={series}
        rows={points
          .map(({ label, values }) => ({
            key: label,
            head: label,
            cells: Object.fromEntries(series.map(({ name }) => [name, formatCount(values[name]!)])),
          }))
          .toReversed()}
      />
    </div>
  );
}

const SERIES: Series = [
  { name: "successful", label: "Encrypted", tone: "done" },
  { name: "failed", label: "Failed", tone: "failed" },
];

export function TlsPanel({ domain, days }: { domain: DomainDetail; days: ReportDays }) {
  const reports = useQuery(tlsQuery(domain.id, days));
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

function TlsFailures({ failures }: Pick<TlsReports, "failures">) {
  return (
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
}

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
