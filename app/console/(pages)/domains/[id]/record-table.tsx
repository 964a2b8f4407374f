import { enteredHost, enteredValue } from "#app/console/(pages)/domains/entered.ts";
import { wordsOf } from "#app/console/(pages)/domains/domain-words.ts";
import type {
  DnsProvider,
  DomainRecord,
  RecordProblem,
} from "#app/console/(pages)/domains/queries.ts";
import { CopyButton } from "#app/console/ui/copy-button.tsx";

import { RecordStatus } from "./record-status.tsx";
import classes from "./record-table.module.css";

/** Records to publish, each with its parts to copy. Hosts are written as the provider takes them. */
export function RecordTable({
  records,
  problems,
  provider,
  label,
}: {
  records: DomainRecord[];
  problems: RecordProblem[] | null;
  provider: DnsProvider | null;
  label: string;
}) {
  const hasPriority = records.some(({ priority }) => priority !== null);
  return (
    <table
      role="table"
      className={classes.table}
      aria-label={label}
      data-priority={hasPriority || undefined}
    >
      <thead role="rowgroup">
        <tr role="row" className={classes.columns}>
          <th role="columnheader">Record</th>
          <th role="columnheader">Type</th>
          <th role="columnheader">Host</th>
          <th role="columnheader">Value</th>
          {hasPriority && <th role="columnheader">Priority</th>}
          <th role="columnheader">Status</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {records.map((record) => (
          <Row
            key={`${record.kind} ${record.type}`}
            record={record}
            problems={problems}
            provider={provider}
            hasPriority={hasPriority}
          />
        ))}
      </tbody>
    </table>
  );
}

type RowProps = {
  record: DomainRecord;
  problems: RecordProblem[] | null;
  provider: DnsProvider | null;
  hasPriority: boolean;
};

function Row({ record, problems, provider, hasPriority }: RowProps) {
  const { label, purpose } = wordsOf(record);
  return (
    <tr role="row" className={classes.row}>
      <td role="cell" className={classes.record}>
        <span className={classes.label}>{label}</span>
        <span className={classes.purpose}>{purpose}</span>
      </td>
      <td role="cell" className={classes.type}>
        <Name>Type</Name>
        {record.type}
      </td>
      <td role="cell" className={classes.copied}>
        <Name>Host</Name>
        <Copied
          value={enteredHost(record, provider)}
          what={`host of ${label}`}
          none="Leave empty"
        />
      </td>
      <td role="cell" className={classes.copied}>
        <Name>Value</Name>
        <Copied
          value={enteredValue(record, provider)}
          what={`value of ${label}`}
          none="Being prepared"
        />
      </td>
      {hasPriority && (
        <td role="cell" className={classes.priority} data-empty={record.priority === null}>
          <Name>Priority</Name>
          {record.priority}
        </td>
      )}
      <td role="cell" className={classes.status}>
        <RecordStatus record={record} problems={problems} />
      </td>
    </tr>
  );
}

/** A part to copy into a form. */
function Copied({ value, what, none }: { value: string; what: string; none: string }) {
  if (value === "") return <span className={classes.none}>{none}</span>;
  return (
    <>
      <code>{value}</code>
      <CopyButton value={value} what={what} />
    </>
  );
}

/** The column's name, where there are no columns. */
function Name({ children }: { children: string }) {
  return (
    <span className={classes.columnName} aria-hidden="true">
      {children}
    </span>
  );
}
