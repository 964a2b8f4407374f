import { ChartDataTable } from "#app/console/ui/charts/series.tsx";

import { CountLink } from "./count-link.tsx";
import { emailsLink } from "./emails-link.ts";
import { outcomeSeries, outcomeStatuses } from "./metric-labels.ts";
import type { View } from "./period.ts";
import { granularityLabels, periodLabels } from "./period-labels.ts";
import type { MetricsAnswer } from "./queries.ts";

/** Emails by outcome as a table, newest period first. Each number links to its emails. */
export function OutcomeTable({ answer: { periods }, view }: { answer: MetricsAnswer; view: View }) {
  return (
    <ChartDataTable
      label="Emails by outcome and period"
      rowHeader={granularityLabels[view.granularity]}
      columns={outcomeSeries}
      rows={periods
        .map(({ label, start, end, counts }) => ({
          key: label,
          head: periodLabels(label, view.granularity, periods.length).label,
          cells: Object.fromEntries(
            outcomeSeries.map(({ name }) => [
              name,
              <CountLink
                key={name}
                count={counts.outcomes[name]}
                href={emailsLink({
                  start,
                  end,
                  domainId: view.domainId,
                  statuses: outcomeStatuses[name],
                })}
              />,
            ]),
          ),
        }))
        .toReversed()}
    />
  );
}
