import Link from "next/link";

import { NumbersTable } from "#app/console/ui/charts/numbers-table.tsx";
import { inFull } from "#app/console/ui/charts/numbers.ts";

import { emailsLink } from "./emails-link.ts";
import { outcomeSeries, statesOfOutcome } from "./metric-words.ts";
import type { View } from "./period.ts";
import { periodWord, wordsOf } from "./period-words.ts";
import type { MetricsAnswer } from "./queries.ts";

/** What became of emails as a table, the newest period first; each number leads to its emails. */
export function OutcomeNumbers({
  answer: { periods },
  view,
}: {
  answer: MetricsAnswer;
  view: View;
}) {
  return (
    <NumbersTable
      what="What became of the emails, by period"
      first={periodWord[view.granularity]}
      columns={outcomeSeries}
      rows={periods
        .map(({ label, start, end, counts }) => ({
          key: label,
          head: wordsOf(label, view.granularity, periods.length).label,
          cells: Object.fromEntries(
            outcomeSeries.map(({ name }) => [
              name,
              <Count
                key={name}
                count={counts.outcomes[name]}
                href={emailsLink({
                  ...{ start, end, domainId: view.domainId },
                  states: statesOfOutcome[name],
                })}
              />,
            ]),
          ),
        }))
        .toReversed()}
    />
  );
}

function Count({ count, href }: { count: number; href: string }) {
  return count === 0 ? "0" : <Link href={href}>{inFull(count)}</Link>;
}
