"use client";

import { Title } from "@mantine/core";

import { LineByPeriod } from "#app/console/ui/charts/lines.tsx";
import { asRate, changeOfRate } from "#app/console/ui/charts/numbers.ts";
import { NumbersTable } from "#app/console/ui/charts/numbers-table.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./metrics.module.css";
import { judgementOf, type RateName, rateOf, RATES, rates } from "./metric-words.ts";
import type { View } from "./period.ts";
import { periodWord, wordsOf } from "./period-words.ts";
import type { Counts, MetricsAnswer } from "./queries.ts";

/** The rates over time, each in a chart of its own: what is 98% and what is 0.1% share no axis. */
export function Rates({ answer, view }: { answer: MetricsAnswer; view: View }) {
  const { periods, totals, former } = answer;
  const points = periods.map(({ label, counts }) => ({
    ...wordsOf(label, view.granularity, periods.length),
    values: valuesOf(counts),
  }));
  return (
    <Panel title="Rates">
      <div className={classes.rates}>
        {RATES.map((name) => (
          <section key={name} className={classes.rate} aria-label={rates[name].word}>
            <RateHead name={name} totals={totals} former={former.totals} />
            <LineByPeriod
              what={rates[name].word}
              points={points}
              series={{ name, label: rates[name].word, meaning: rates[name].meaning }}
            />
          </section>
        ))}
      </div>
      <NumbersTable
        what="Rates by period"
        first={periodWord[view.granularity]}
        columns={RATES.map((name) => ({ name, label: rates[name].word }))}
        rows={points
          .map(({ label, values }) => ({
            ...{ key: label, head: label },
            cells: Object.fromEntries(
              RATES.map((name) => [name, values[name] === undefined ? "–" : asRate(values[name])]),
            ),
          }))
          .toReversed()}
      />
    </Panel>
  );
}

/** Without those that are none: nothing was sent. */
function valuesOf(counts: Counts): Partial<Record<RateName, number>> & Record<string, number> {
  return Object.fromEntries(
    RATES.flatMap((name) => {
      const rate = rateOf(name, counts);
      return rate === null ? [] : [[name, rate]];
    }),
  );
}

function RateHead({ name, totals, former }: { name: RateName; totals: Counts; former: Counts }) {
  const { word, toWord } = rates[name];
  const rate = rateOf(name, totals);
  const judgement = judgementOf(name, rate);
  const change = changeOfRate(rate, rateOf(name, former));
  return (
    <div className={classes.rateHead}>
      <Title order={3}>{word}</Title>
      <div className={classes.number}>{rate === null ? "–" : asRate(rate)}</div>
      <div className={classes.change}>
        {toWord}
        {change && ` · ${change}`}
      </div>
      <div className={classes.good}>{judgement && <Status {...judgement} />}</div>
    </div>
  );
}
