"use client";

import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import {
  type DmarcReports,
  dmarcQuery,
  type DomainDetail,
  type ReportDays,
} from "#app/console/(pages)/domains/queries.ts";
import type { Series } from "#app/console/ui/charts/series.tsx";
import { CodeBlock } from "#app/console/ui/code.tsx";
import { formatCount } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { DailyChart } from "./daily-chart.tsx";
import { dmarcAdvice, withPolicy } from "./dmarc-advice.ts";
import { DmarcSources } from "./dmarc-sources.tsx";
import { ReportFigures, formatShare } from "./report-figures.tsx";
import classes from "./reports.module.css";

const SERIES: Series = [
  { name: "passed", label: "Passed", tone: "done" },
  { name: "failed", label: "Failed", tone: "failed" },
];

export function DmarcPanel({ domain, days }: { domain: DomainDetail; days: ReportDays }) {
  const reports = useQuery(dmarcQuery(domain.id, days));
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

export function ReportsSkeleton() {
  return (
    <>
      <Skeleton height={32} width={240} mb={28} />
      <Skeleton height={220} />
    </>
  );
}
