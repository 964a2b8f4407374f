import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { formatRate } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { changedSearch, navigateInPlace } from "#app/console/ui/url-search.ts";

import {
  countLabels,
  emailCount,
  isUntracked,
  outcomeStatuses,
  RATE_NAMES,
  type RateName,
  rateOf,
  rates,
} from "./metric-labels.ts";
import { CsvButton, domainRows } from "./metrics-csv.tsx";
import classes from "./metrics.module.css";
import { CountLink, emailsLink } from "./outcome-table.tsx";
import type { MetricsAnswer } from "./queries.ts";

const COLUMNS = ["bounced", "complained"] as const;

/** Counts and rates by domain. A domain's name filters the page by it. */
export const DomainMetrics = ({ answer }: { answer: MetricsAnswer }) => (
  <Panel
    title="Domains"
    aside={<CsvButton fileName="emails-by-domain.csv" rowsOf={() => domainRows(answer)} />}
  >
    <div className={classes.scroll} tabIndex={0} role="region" aria-label="Emails by domain">
      <table className={classes.domains}>
        <thead>
          <tr>
            <th scope="col">Domain</th>
            <th scope="col">Emails</th>
            <th scope="col">Delivered</th>
            {COLUMNS.map((name) => (
              <th key={name} scope="col">
                {countLabels[name]}
              </th>
            ))}
            {RATE_NAMES.map((name) => (
              <th key={name} scope="col">
                {rates[name].label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {answer.domains.map((row) => (
            <DomainRow key={row.domainId ?? ""} row={row} answer={answer} />
          ))}
        </tbody>
      </table>
    </div>
  </Panel>
);

type Row = MetricsAnswer["domains"][number];

function DomainRow({ row, answer: { start, end } }: { row: Row; answer: MetricsAnswer }) {
  const { domainId, domainName: name, counts } = row;
  const selection = { start, end, domainId };
  return (
    <tr>
      <th scope="row">
        {domainId === null ? "Deleted domains" : <DomainLink id={domainId} name={name ?? ""} />}
      </th>
      <td data-head="Emails">
        <CountLink count={emailCount(counts)} href={domainId && emailsLink(selection)} />
      </td>
      <td data-head="Delivered">
        <CountLink
          count={counts.outcomes.done}
          href={domainId && emailsLink({ ...selection, statuses: outcomeStatuses.done })}
        />
      </td>
      {COLUMNS.map((event) => (
        <td key={event} data-head={countLabels[event]}>
          <CountLink count={counts[event]} href={domainId && emailsLink({ ...selection, event })} />
        </td>
      ))}
      {RATE_NAMES.map((name) => (
        <td key={name} data-head={rates[name].label}>
          {rowRate(name, row)}
        </td>
      ))}
    </tr>
  );
}

function rowRate(name: RateName, row: Row): string {
  if (isUntracked(name, [row])) return "off";
  const rate = rateOf(name, row.counts);
  return rate === null ? "–" : formatRate(rate);
}

function DomainLink({ id, name }: { id: string; name: string }) {
  const change = { domain: id };
  return (
    <Link
      href={changedSearch(useSearchParams(), change)}
      prefetch={false}
      onNavigate={navigateInPlace(change)}
    >
      {name}
    </Link>
  );
}
