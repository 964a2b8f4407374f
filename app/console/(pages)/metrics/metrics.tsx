"use client";

import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { readerTimeZone } from "#app/console/(pages)/emails/datetime-local.ts";
import { formatCount } from "#app/console/ui/charts/number-format.ts";
import { EmptyState } from "#app/console/ui/empty-state.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { isForbidden, QueryView } from "#app/console/ui/query-view.tsx";

import { DomainMetrics } from "./domain-metrics.tsx";
import { MetricsFilters } from "./metrics-filters.tsx";
import classes from "./metrics.module.css";
import { MetricsSkeleton } from "./metrics-skeleton.tsx";
import { emailCount } from "./metric-labels.ts";
import { OutcomeChart } from "./outcome-chart.tsx";
import { parseView, toMetricsQuery } from "./period.ts";
import { metricsQuery } from "./queries.ts";
import { RateCharts } from "./rate-charts.tsx";
import { MetricTotals } from "./metric-totals.tsx";

const HEAD = {
  title: "Metrics",
  sentence: "Delivery and engagement of the emails your applications sent.",
  help: "bounces",
} as const;

export function Metrics() {
  const view = parseView(useSearchParams());
  const metrics = useQuery(metricsQuery(toMetricsQuery(view, new Date(), readerTimeZone())));
  return (
    <>
      <PageHeader {...HEAD} />
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
      <Text c="dimmed">
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

/** Shown until the search parameters are known. */
export function MetricsPageSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <MetricsSkeleton />
    </>
  );
}
