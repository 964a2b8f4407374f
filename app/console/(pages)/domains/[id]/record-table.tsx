import { hostField, valueField } from "#app/console/(pages)/domains/provider-fields.ts";
import { recordLabel } from "#app/console/(pages)/domains/domain-labels.ts";
import type {
  DnsProvider,
  DomainRecord,
  RecordProblem,
} from "#app/console/(pages)/domains/queries.ts";
import { CopyButton } from "#app/console/ui/code.tsx";

import { RecordStatus } from "./record-status.tsx";
import classes from "./record-table.module.css";

/** The records to publish, with hosts and values formatted for the DNS provider. */
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
  const fields = provider?.fields ?? GENERAL_FIELDS;
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
          <th role="columnheader">{fields.host}</th>
          <th role="columnheader">{fields.value}</th>
          {hasPriority && <th role="columnheader">Priority</th>}
          <th role="columnheader">Status</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {records.map((record) => (
          <RecordRow
            key={`${record.kind} ${record.type}`}
            record={record}
            problems={problems}
            provider={provider}
            fields={fields}
            hasPriority={hasPriority}
          />
        ))}
      </tbody>
    </table>
  );
}

/** What most providers call them. */
const GENERAL_FIELDS: DnsProvider["fields"] = { host: "Host", value: "Value" };

type RowProps = {
  fields: DnsProvider["fields"];
  record: DomainRecord;
  problems: RecordProblem[] | null;
  provider: DnsProvider | null;
  hasPriority: boolean;
};

function RecordRow({ record, problems, provider, fields, hasPriority }: RowProps) {
  const { label, purpose } = recordLabel(record);
  return (
    <tr role="row" className={classes.row}>
      <td role="cell" className={classes.record}>
        <span className={classes.label}>{label}</span>
        <span className={classes.purpose}>{purpose}</span>
      </td>
      <td role="cell" className={classes.type}>
        <RecordColumnLabel>Type</RecordColumnLabel>
        {record.type}
      </td>
      <td role="cell" className={classes.copied}>
        <RecordColumnLabel>{fields.host}</RecordColumnLabel>
        <RecordField
          value={hostField(record, provider)}
          label={`host of ${label}`}
          emptyText="Leave empty"
        />
      </td>
      <td role="cell" className={classes.copied}>
        <RecordColumnLabel>{fields.value}</RecordColumnLabel>
        <RecordField
          value={valueField(record, provider)}
          label={`value of ${label}`}
          emptyText="Generating key…"
        />
      </td>
      {hasPriority && (
        <td role="cell" className={classes.priority} data-empty={record.priority === null}>
          <RecordColumnLabel>Priority</RecordColumnLabel>
          {record.priority}
        </td>
      )}
      <td role="cell" className={classes.status}>
        <RecordStatus record={record} problems={problems} />
      </td>
    </tr>
  );
}

function RecordField({
  value,
  label,
  emptyText,
}: {
  value: string;
  label: string;
  emptyText: string;
}) {
  if (value === "") return <span className={classes.none}>{emptyText}</span>;
  return (
    <>
      <code>{value}</code>
      <CopyButton value={value} label={label} />
    </>
  );
}

/** The column's name, for narrow screens, where each row is shown as a card. */
function RecordColumnLabel({ children }: { children: string }) {
  return (
    <span className={classes.columnName} aria-hidden="true">
      {children}
    </span>
  );
}
