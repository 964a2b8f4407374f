"use client";

import { BarChart } from "#app/console/ui/charts/bar-chart.tsx";
import { ChartLegend } from "#app/console/ui/charts/chart-legend.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { CsvButton } from "./csv-button.tsx";
import { periodRows } from "./csv-rows.ts";
import { emailsLink } from "./emails-link.ts";
import { outcomeSeries, outcomeStatuses } from "./metric-labels.ts";
import { OutcomeTable } from "./outcome-table.tsx";
import type { View } from "./period.ts";
import { periodLabels } from "./period-labels.ts";
import type { MetricsAnswer } from "./queries.ts";

export function OutcomeChart({ answer, view }: { answer: MetricsAnswer; view: View }) {
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
            ...{ start, end, domainId: view.domainId },
            statuses: outcomeStatuses[name as keyof typeof outcomeStatuses],
          })
        }
      />
      <BarChart label="Emails by outcome" points={points} series={outcomeSeries} />
      <OutcomeTable answer={answer} view={view} />
    </Panel>
  );
}
