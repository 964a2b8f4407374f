"use client";

import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import {
  type DmarcReports,
  dmarcQuery,
  type DomainDetail,
  type ReportDays,
} from "#app/console/(pages)/domains/queries.ts";
import type { Series } from "#app/console/ui/charts/series.ts";
import { CodeBlock } from "#app/console/ui/code-block.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { Days } from "./days.tsx";
import { adviceOf, withPolicy } from "./dmarc-advice.ts";
import { DmarcSources } from "./dmarc-sources.tsx";
import { Figures, inWords, shareOf } from "./figures.tsx";
import classes from "./reports.module.css";

const SERIES: Series = [
  { name: "passed", label: "Passed", meaning: "done" },
  { name: "failed", label: "Failed", meaning: "failed" },
];

/** Who sends in the domain's name, and what of it passes. */
export function Dmarc({ domain, days }: { domain: DomainDetail; days: ReportDays }) {
  const reports = useQuery(dmarcQuery(domain.id, days));
  return (
    <Panel title="Mail in your name (DMARC)">
      <QueryView query={reports} what="the DMARC reports" skeleton={<ReportsSkeleton />}>
        {(reports) =>
          reports.reporters.length === 0 ? (
            <NoReports domain={domain} days={days} />
          ) : (
            <Summary domain={domain} reports={reports} />
          )
        }
      </QueryView>
    </Panel>
  );
}

const POLICIES = {
  none: "none (nothing happens to it)",
  quarantine: "quarantine (it goes to spam)",
  reject: "reject (it is refused)",
};

function Summary({ domain, reports }: { domain: DomainDetail; reports: DmarcReports }) {
  const { messages, passed, policy, reporters } = reports;
  return (
    <>
      <Figures
        figures={[
          ["Messages", inWords(messages)],
          ["Passed", shareOf(passed, messages)],
          ["Senders", inWords(reports.source_count)],
        ]}
      />
      <Advice domain={domain} reports={reports} />
      <Days days={reports.days} series={SERIES} what="Messages by day" />
      <DmarcSources sources={reports.sources} />
      <Text size="sm" c="dimmed" mt="md">
        Policy for mail that fails: {policy ? POLICIES[policy] : "not told"}. Reported by{" "}
        {reporters.join(", ")}.
      </Text>
    </>
  );
}

function Advice({ domain, reports }: { domain: DomainDetail; reports: DmarcReports }) {
  const { title, text, policy } = adviceOf(reports);
  const record = domain.records.find(({ kind }) => kind === "dmarc");
  return (
    <div className={classes.advice}>
      <Text fw={600} component="h3">
        {title}
      </Text>
      <Text>{text}</Text>
      {policy && record && (
        <CodeBlock code={withPolicy(record.value, policy)} what="DMARC record with that policy" />
      )}
    </div>
  );
}

function NoReports({ domain, days }: { domain: DomainDetail; days: ReportDays }) {
  const record = domain.records.find(({ kind }) => kind === "dmarc");
  return (
    <div className={classes.empty}>
      <Text>No report arrived in the last {days} days.</Text>
      {record && (
        <>
          <Text c="dimmed">
            {record.is_verified
              ? "Mailbox providers send one a day for the mail they received in your name: the first comes about a day after your first emails. The DMARC record has to name this server's address for reports:"
              : "Mailbox providers send one a day to the address that the DMARC record names. Publish it, and the first comes about a day after your first emails:"}
          </Text>
          <CodeBlock code={record.value} what="DMARC record" />
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
