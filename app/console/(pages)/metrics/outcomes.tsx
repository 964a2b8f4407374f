"use client";

import Link from "next/link";

import { BarsByPeriod, NumbersTable } from "#app/console/ui/charts/chart.tsx";
import { Legend } from "#app/console/ui/charts/legend.tsx";
import { inFull } from "#app/console/ui/charts/numbers.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import { CsvButton } from "./csv-button.tsx";
import { periodRows } from "./csv-rows.ts";
import { emailsLink } from "./emails-link.ts";
import { outcomeSeries, statesOfOutcome } from "./metric-words.ts";
import type { View } from "./period.ts";
import { periodWord, wordsOf } from "./period-words.ts";
import type { MetricsAnswer } from "./queries.ts";

type OutcomeName = keyof typeof statesOfOutcome;

/** What became of the emails, each in one bar of its period. */
export function Outcomes({ answer, view }: { answer: MetricsAnswer; view: View }) {
  const { periods, totals, start, end } = answer;
  const points = periods.map(({ label, counts }) => ({
    ...wordsOf(label, view.granularity, periods.length),
    values: counts.outcomes,
  }));
  const leadTo = (range: { start: string; end: string }, name: string) =>
    emailsLink({
      ...{ start: range.start, end: range.end, domainId: view.domainId },
      states: statesOfOutcome[name as OutcomeName],
    });
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
        hrefOf={(name) => leadTo({ start, end }, name)}
      />
      <BarsByPeriod points={points} series={outcomeSeries} />
      <NumbersTable
        what="What became of the emails, by period"
        first={periodWord[view.granularity]}
        columns={outcomeSeries}
        rows={periods
          .map((period, i) => ({
            key: period.label,
            head: points[i]!.label,
            cells: Object.fromEntries(
              outcomeSeries.map(({ name }) => [
                name,
                <Count
                  key={name}
                  count={period.counts.outcomes[name as OutcomeName]}
                  href={leadTo(period, name)}
                />,
              ]),
            ),
          }))
          .toReversed()}
      />
    </Panel>
  );
}

function Count({ count, href }: { count: number; href: string }) {
  return count === 0 ? "0" : <Link href={href}>{inFull(count)}</Link>;
}
