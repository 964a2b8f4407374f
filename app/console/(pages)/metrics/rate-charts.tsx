import { Anchor, Text, Title } from "@mantine/core";
import Link from "next/link";

import { LineChart } from "#app/console/ui/charts/charts.tsx";
import { ChartDataTable } from "#app/console/ui/charts/series.tsx";
import { describeRateChange, formatRate } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { usePrivileges } from "#app/console/session.ts";

import {
  assessRate,
  isUntracked,
  RATE_NAMES,
  type RateName,
  rateOf,
  rates,
} from "./metric-labels.ts";
import classes from "./metrics.module.css";
import { granularityLabels, type MetricsView, periodLabels } from "./period.ts";
import type { Counts, MetricsAnswer } from "./queries.ts";

/** One chart per rate, since 98% and 0.1% can't share an axis. */
export function RateCharts({ answer, view }: { answer: MetricsAnswer; view: MetricsView }) {
  const { periods, totals, former, domains } = answer;
  const { has } = usePrivileges();
  const points = periods.map(({ label, counts }) => ({
    ...periodLabels(label, view.granularity, periods.length),
    values: rateValues(counts),
  }));
  return (
    <Panel title="Rates">
      <div className={classes.rates}>
        {RATE_NAMES.map((name) => (
          <section key={name} className={classes.rate} aria-label={rates[name].label}>
            {isUntracked(name, domains) ? (
              <>
                <Title order={3}>{rates[name].label}</Title>
                <Text c="dimmed">
                  Tracking is off.
                  {has("api_controls", "domains") && (
                    <>
                      {" "}
                      You can turn it on for each{" "}
                      <Anchor component={Link} href="/console/domains" inherit underline="always">
                        domain
                      </Anchor>
                      .
                    </>
                  )}
                </Text>
              </>
            ) : (
              <>
                <RateHead name={name} totals={totals} former={former.totals} />
                <LineChart
                  label={rates[name].label}
                  points={points}
                  series={{ name, label: rates[name].label, tone: rates[name].tone }}
                />
              </>
            )}
          </section>
        ))}
      </div>
      <ChartDataTable
        label="Rates by period"
        rowHeader={granularityLabels[view.granularity]}
        columns={RATE_NAMES.map((name) => ({ name, label: rates[name].label }))}
        rows={points
          .map(({ label, values }) => ({
            key: label,
            head: label,
            cells: Object.fromEntries(
              RATE_NAMES.map((name) => [
                name,
                values[name] === undefined ? "–" : formatRate(values[name]),
              ]),
            ),
          }))
          .toReversed()}
      />
    </Panel>
  );
}

/** The rates that are defined. */
function rateValues(counts: Counts): Partial<Record<RateName, number>> & Record<string, number> {
  return Object.fromEntries(
    RATE_NAMES.flatMap((name) => {
      const rate = rateOf(name, counts);
      return rate === null ? [] : [[name, rate]];
    }),
  );
}

function RateHead({ name, totals, former }: { name: RateName; totals: Counts; former: Counts }) {
  const { label, denominatorLabel } = rates[name];
  const rate = rateOf(name, totals);
  const assessment = assessRate(name, totals);
  const change = describeRateChange(rate, rateOf(name, former));
  return (
    <div className={classes.rateHead}>
      <Title order={3}>{label}</Title>
      <div className={classes.number}>{rate === null ? "–" : formatRate(rate)}</div>
      <div className={classes.change}>
        {denominatorLabel}
        {change && ` · ${change}`}
      </div>
      <div className={classes.good}>{assessment && <Status {...assessment} />}</div>
    </div>
  );
}
