"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import {
  type DomainDetail,
  type ReportDays,
  tlsQuery,
  type TlsReports,
} from "#app/console/(pages)/domains/queries.ts";
import type { Series } from "#app/console/ui/charts/series.ts";
import { CodeBlock } from "#app/console/ui/code-block.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { Days } from "./days.tsx";
import { ReportsSkeleton } from "./dmarc.tsx";
import { Figures, inWords, shareOf } from "./figures.tsx";
import classes from "./reports.module.css";
import { tlsTypeInWords } from "./tls-words.ts";

const SERIES: Series = [
  { name: "successful", label: "Encrypted", meaning: "done" },
  { name: "failed", label: "Failed", meaning: "failed" },
];

/** Whether mail to the domain arrives over encrypted connections, as other servers report it. */
export function Tls({ domain, days }: { domain: DomainDetail; days: ReportDays }) {
  const reports = useQuery(tlsQuery(domain.id, days));
  return (
    <Panel title="Encrypted delivery to you (TLS)">
      <QueryView query={reports} what="the TLS reports" skeleton={<ReportsSkeleton />}>
        {(reports) =>
          reports.reporters.length === 0 ? (
            <NoReports domain={domain} days={days} />
          ) : (
            <Summary reports={reports} />
          )
        }
      </QueryView>
    </Panel>
  );
}

function Summary({ reports }: { reports: TlsReports }) {
  const { sessions, successful, failures, reporters } = reports;
  return (
    <>
      <Figures
        figures={[
          ["Connections", inWords(sessions)],
          ["Encrypted", shareOf(successful, sessions)],
        ]}
      />
      <Days days={reports.days} series={SERIES} what="Connections by day" />
      {failures.length > 0 && <Failures failures={failures} />}
      <Text size="sm" c="dimmed" mt="md">
        Reported by {reporters.join(", ")}.
      </Text>
    </>
  );
}

function Failures({ failures }: Pick<TlsReports, "failures">) {
  return (
    <>
      <Text fw={600} component="h3" mt="xl" id="tls-failures">
        What failed
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
          {failures.map(({ type, sessions, mail_hosts: hosts, reasons }) => (
            <tr key={type}>
              <th scope="row">
                {tlsTypeInWords(type)}
                <span className={classes.quiet}>{[type, ...hosts, ...reasons].join(" · ")}</span>
              </th>
              <td className={classes.number}>{inWords(sessions)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function NoReports({ domain, days }: { domain: DomainDetail; days: ReportDays }) {
  const record = domain.records.find(({ kind }) => kind === "tls_rpt");
  return (
    <div className={classes.empty}>
      <Text>No report arrived in the last {days} days.</Text>
      {record && !record.is_verified && (
        <>
          <Text c="dimmed">
            With this record at <code>{record.name}</code> other mail servers tell once a day how
            their deliveries to you were encrypted:
          </Text>
          <CodeBlock code={record.value} what="TLS-RPT record" />
        </>
      )}
    </div>
  );
}
