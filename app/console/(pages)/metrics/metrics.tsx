"use client";

import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";

import { PageHeader } from "#app/console/ui/page-header.tsx";
import { isRefused, QueryView } from "#app/console/ui/query-view.tsx";

import { Domains } from "./domains.tsx";
import { Filters } from "./filters.tsx";
import classes from "./metrics.module.css";
import { MetricsSkeleton } from "./metrics-skeleton.tsx";
import { emailsIn } from "./metric-words.ts";
import { NoEmailsThen } from "./no-emails-then.tsx";
import { Outcomes } from "./outcomes.tsx";
import { askedFor, ownZone, viewOf } from "./period.ts";
import { metricsQuery } from "./queries.ts";
import { Rates } from "./rates.tsx";
import { Totals } from "./totals.tsx";

const HEAD = {
  title: "Metrics",
  sentence: "What became of the emails that your applications sent.",
  help: "bounces",
} as const;

export function Metrics() {
  const view = viewOf(useSearchParams());
  const metrics = useQuery(metricsQuery(askedFor(view, new Date(), ownZone())));
  return (
    <>
      <PageHeader {...HEAD} />
      {!isRefused(metrics) && <Filters view={view} />}
      <QueryView query={metrics} what="the metrics" skeleton={<MetricsSkeleton />}>
        {(answer) => (
          <div className={classes.parts} aria-busy={metrics.isPlaceholderData}>
            <Totals answer={answer} domainId={view.domainId} />
            {emailsIn(answer.totals) === 0 ? (
              <NoEmailsThen before={emailsIn(answer.former.totals)} />
            ) : (
              <>
                <Outcomes answer={answer} view={view} />
                <Rates answer={answer} view={view} />
                <Domains answer={answer} />
              </>
            )}
          </div>
        )}
      </QueryView>
    </>
  );
}

/** Until the address is known, which says what to show. */
export function MetricsLoading() {
  return (
    <>
      <PageHeader {...HEAD} />
      <MetricsSkeleton />
    </>
  );
}
