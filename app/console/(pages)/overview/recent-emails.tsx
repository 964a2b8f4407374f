import { Anchor, Skeleton } from "@mantine/core";
import Link from "next/link";

import {
  assessRate,
  emailCount,
  isUntracked,
  outcomeSeries,
  outcomeStatuses,
  RATE_NAMES,
  rateOf,
  rates,
} from "#app/console/(pages)/metrics/metric-labels.ts";
import { emailsLink, OutcomeTable } from "#app/console/(pages)/metrics/outcome-table.tsx";
import { parseView, periodLabels } from "#app/console/(pages)/metrics/period.ts";
import { type MetricsAnswer, useMetrics } from "#app/console/(pages)/metrics/queries.ts";
import { BAR_CHART_HEIGHT, BarChart } from "#app/console/ui/charts/charts.tsx";
import { ChartLegend } from "#app/console/ui/charts/series.tsx";
import { formatRate } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { SENDER_RATE_DAYS } from "#server/universal/sender-rates.ts";

import { type AttentionItem, rateAlarms } from "./attention-items.ts";
import classes from "./overview.module.css";

const VIEW = parseView(new URLSearchParams(`period=${SENDER_RATE_DAYS}d`));

/** The same query as `RecentEmails`, so that alarms never contradict its numbers. */
export function useRateAlarms(isEnabled: boolean): AttentionItem[] {
  const { data } = useMetrics(VIEW, { isEnabled });
  return data ? rateAlarms(data.totals) : [];
}

export function RecentEmails() {
  const metrics = useMetrics(VIEW);
  return (
    <Panel
      title="Emails, last 14 days"
      aside={
        <Anchor component={Link} href="/console/metrics?period=14d">
          View metrics
        </Anchor>
      }
    >
      <QueryView
        query={metrics}
        noun="recent emails"
        skeleton={<Skeleton height={BAR_CHART_HEIGHT + 124} />}
      >
        {(answer) =>
          emailCount(answer.totals) === 0 ? (
            <p className={classes.quiet}>No emails in the last 14 days.</p>
          ) : (
            <RecentEmailsChart answer={answer} />
          )
        }
      </QueryView>
    </Panel>
  );
}

function RecentEmailsChart({ answer }: { answer: MetricsAnswer }) {
  const { periods, totals, start, end } = answer;
  const points = periods.map(({ label, counts }) => ({
    ...periodLabels(label, "daily", periods.length),
    values: counts.outcomes,
  }));
  return (
    <>
      <RecentRates answer={answer} />
      <ChartLegend
        series={outcomeSeries}
        totals={totals.outcomes}
        hrefOf={(name) =>
          emailsLink({
            start,
            end,
            statuses: outcomeStatuses[name as keyof typeof outcomeStatuses],
          })
        }
      />
      <BarChart label="Emails by outcome" points={points} series={outcomeSeries} />
      <OutcomeTable answer={answer} view={VIEW} />
    </>
  );
}

/** The rates by which mailbox providers judge senders. */
const RecentRates = ({ answer: { totals, domains } }: { answer: MetricsAnswer }) => (
  <dl className={classes.rates}>
    {RATE_NAMES.map((name) => {
      const rate = rateOf(name, totals);
      const judgement = assessRate(name, totals);
      const isOff = isUntracked(name, domains);
      return (
        <div key={name} className={classes.rate}>
          <dt>{rates[name].label}</dt>
          <dd>
            {isOff ? (
              <span className={classes.quiet}>Tracking is off</span>
            ) : (
              <span className={classes.rateNumber}>{rate === null ? "–" : formatRate(rate)}</span>
            )}
            {judgement && <Status {...judgement} />}
          </dd>
        </div>
      );
    })}
  </dl>
);
