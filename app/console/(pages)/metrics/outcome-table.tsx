import Link from "next/link";

import { ChartDataTable } from "#app/console/ui/charts/series.tsx";
import { readerTimeZone } from "#app/console/ui/datetime-local.ts";
import { formatCount } from "#app/console/ui/format.ts";

import { outcomeSeries, outcomeStatuses } from "./metric-labels.ts";
import { granularityLabels, localDate, type MetricsView, periodLabels } from "./period.ts";
import type { MetricsAnswer } from "./queries.ts";

type OutcomeTableProps = { answer: MetricsAnswer; view: MetricsView };

/** Emails by outcome as a table, newest period first. Each number links to its emails. */
export const OutcomeTable = ({ answer: { periods }, view }: OutcomeTableProps) => (
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

/** A count that links to its emails, if there are any to open. */
export const CountLink = ({ count, href }: { count: number; href: string | null }) =>
  href && count > 0 ? <Link href={href}>{formatCount(count)}</Link> : formatCount(count);

type EmailSelection = {
  statuses?: readonly string[] | undefined;
  /** An event that the emails had at any time. */
  event?: string | undefined;
  /** First and last instant of the range, ISO 8601. */
  start: string;
  end: string;
  domainId?: string | null;
};

/** Links to the list of the emails behind a number. */
export function emailsLink({ statuses = [], event, start, end, domainId }: EmailSelection): string {
  const search = new URLSearchParams();
  if (statuses.length > 0) search.set("status", statuses.join(","));
  if (event !== undefined) search.set("event", event);
  if (domainId) search.set("domain", domainId);
  // The list filters by date in the reader's time zone.
  search.set("from", localDate(Date.parse(start), readerTimeZone()));
  search.set("to", localDate(Date.parse(end), readerTimeZone()));
  return `/console/emails?${search.toString()}`;
}
