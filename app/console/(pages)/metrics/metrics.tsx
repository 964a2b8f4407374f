"use client";

import { Anchor, Skeleton, Text } from "@mantine/core";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { BAR_CHART_HEIGHT, BarChart, LINE_CHART_HEIGHT } from "#app/console/ui/charts/charts.tsx";
import { ChartLegend } from "#app/console/ui/charts/series.tsx";
import { describeCountChange, formatCount } from "#app/console/ui/format.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { EmptyState, Panel } from "#app/console/ui/panel.tsx";
import { isForbidden, QueryView } from "#app/console/ui/query-view.tsx";

import { DomainMetrics } from "./domain-metrics.tsx";
import {
  countLabels,
  emailCount,
  NOTABLE,
  outcomeSeries,
  outcomeStatuses,
  RATE_NAMES,
} from "./metric-labels.ts";
import { CsvButton, periodRows } from "./metrics-csv.tsx";
import { MetricsFilters } from "./metrics-filters.tsx";
import classes from "./metrics.module.css";
import { emailsLink, OutcomeTable } from "./outcome-table.tsx";
import { type MetricsView, parseView, periodLabels } from "./period.ts";
import { type MetricsAnswer, useMetrics } from "./queries.ts";
import { RateCharts } from "./rate-charts.tsx";

export function Metrics() {
  const view = parseView(useSearchParams());
  const metrics = useMetrics(view);
  return (
    <>
      <PageHeader
        title="Metrics"
        description="Delivery and engagement for your applications’ emails."
        help="bounces"
      />
      {!isForbidden(metrics) && <MetricsFilters view={view} />}
      <QueryView query={metrics} noun="the metrics" skeleton={<MetricsSkeleton />}>
        {(answer) => (
          <div className={classes.parts} aria-busy={metrics.isPlaceholderData}>
            <MetricTotals answer={answer} domainId={view.domainId} />
            {emailCount(answer.totals) === 0 ? (
              <NoEmailsInPeriod previousCount={emailCount(answer.former.totals)} />
            ) : (
              <>
                <OutcomeChart answer={answer} view={view} />
                <RateCharts answer={answer} view={view} />
                <DomainMetrics answer={answer} />
              </>
            )}
          </div>
        )}
      </QueryView>
    </>
  );
}

function NoEmailsInPeriod({ previousCount }: { previousCount: number }) {
  return (
    <EmptyState title="No emails in this period">
      <Text>
        {previousCount > 0
          ? `There were ${formatCount(previousCount)} in the previous period. Choose a longer period to see them.`
          : "Charts appear once your applications send emails. Emails are counted by the time they were sent."}
      </Text>
      <Anchor component={Link} href="/console/emails">
        View emails
      </Anchor>
    </EmptyState>
  );
}

function MetricsSkeleton() {
  return (
    <div className={classes.parts}>
      <div className={classes.totals}>
        {Array.from({ length: 10 }, (_, index) => (
          <div key={index} className={classes.total}>
            <Skeleton height={12} width="60%" my={4} />
            <Skeleton height={24} width="40%" my={4} />
            <Skeleton height={10} width="80%" my={4} />
          </div>
        ))}
      </div>
      <Skeleton height={BAR_CHART_HEIGHT + 134} radius="lg" />
      <div className={classes.rates}>
        {RATE_NAMES.map((name) => (
          <Skeleton key={name} height={LINE_CHART_HEIGHT + 122} radius="lg" />
        ))}
      </div>
    </div>
  );
}

function OutcomeChart({ answer, view }: { answer: MetricsAnswer; view: MetricsView }) {
  const { periods, totals, start, end } = answer;
  const points = periods.map(({ label, counts }) => ({
    ...periodLabels(label, view.granularity, periods.length),
    values: counts.outcomes,
  }));
  return (
    <Panel
      title="Outcomes"
      aside={
        <CsvButton fileName="emails.csv" rowsOf={() => periodRows(answer, view.granularity)} />
      }
    >
      <ChartLegend
        series={outcomeSeries}
        totals={totals.outcomes}
        hrefOf={(name) =>
          emailsLink({
            start,
            end,
            domainId: view.domainId,
            statuses: outcomeStatuses[name as keyof typeof outcomeStatuses],
          })
        }
      />
      <BarChart label="Emails by outcome" points={points} series={outcomeSeries} />
      <OutcomeTable answer={answer} view={view} />
    </Panel>
  );
}

/** All emails of the range with their outcomes, which add up, and some events. Each is compared with the previous range. */
function MetricTotals({ answer, domainId }: { answer: MetricsAnswer; domainId: string | null }) {
  const { totals, former, start, end } = answer;
  const selection = { start, end, domainId };
  return (
    <ul className={classes.totals} aria-label="Emails by outcome and event">
      <MetricTotal
        label="Emails"
        now={emailCount(totals)}
        before={emailCount(former.totals)}
        href={emailsLink(selection)}
      />
      {outcomeSeries.map(({ name, label }) => (
        <MetricTotal
          key={name}
          label={label}
          now={totals.outcomes[name]}
          before={former.totals.outcomes[name]}
          href={emailsLink({ ...selection, statuses: outcomeStatuses[name] })}
        />
      ))}
      {NOTABLE.map((name) => (
        <MetricTotal
          key={name}
          label={countLabels[name]}
          now={totals[name]}
          before={former.totals[name]}
          href={emailsLink({ ...selection, event: name })}
        />
      ))}
    </ul>
  );
}

function MetricTotal({
  label,
  now,
  before,
  href,
}: {
  label: string;
  now: number;
  before: number;
  href: string;
}) {
  return (
    <li className={classes.total}>
      <Link href={href} className={classes.totalLink}>
        <span className={classes.word}>{label}</span>
        <span className={classes.number}>{formatCount(now)}</span>
        <span className={classes.change}>{describeCountChange(now, before) ?? "no change"}</span>
      </Link>
    </li>
  );
}
