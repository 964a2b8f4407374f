"use client";

import { BarsByPeriod } from "#app/console/ui/charts/bars.tsx";
import { Legend } from "#app/console/ui/charts/legend.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { CsvButton } from "./csv-button.tsx";
import { periodRows } from "./csv-rows.ts";
import { emailsLink } from "./emails-link.ts";
import { outcomeSeries, statesOfOutcome } from "./metric-words.ts";
import { OutcomeNumbers } from "./outcome-numbers.tsx";
import type { View } from "./period.ts";
import { wordsOf } from "./period-words.ts";
import type { MetricsAnswer } from "./queries.ts";

/** What became of the emails, each in one bar of its period. */
export function Outcomes({ answer, view }: { answer: MetricsAnswer; view: View }) {
  const { periods, totals, start, end } = answer;
  const points = periods.map(({ label, counts }) => ({
    ...wordsOf(label, view.granularity, periods.length),
    values: counts.outcomes,
  }));
  return (
    <Panel
      title="What became of them"
      aside={
        <CsvButton fileName="emails.csv" rowsOf={() => periodRows(answer, view.granularity)} />
      }
    >
      <Legend
        series={outcomeSeries}
        sums={totals.outcomes}
        hrefOf={(name) =>
          emailsLink({
            ...{ start, end, domainId: view.domainId },
            states: statesOfOutcome[name as keyof typeof statesOfOutcome],
          })
        }
      />
      <BarsByPeriod what="What became of the emails" points={points} series={outcomeSeries} />
      <OutcomeNumbers answer={answer} view={view} />
    </Panel>
  );
}
