import { Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDownload, IconMail, IconPrinter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { isChecked, recordLabel } from "#app/console/(pages)/domains/domain-labels.ts";
import { hostField, valueField } from "#app/console/(pages)/domains/provider-fields.ts";
import {
  type DnsProvider,
  doctorQuery,
  type DomainDetail,
  type DomainRecord,
  type RecordProblem,
} from "#app/console/(pages)/domains/queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { CopyButton } from "#app/console/ui/code.tsx";
import { onDemand } from "#app/console/ui/on-demand.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./domain.module.css";

type RecordTableProps = {
  records: DomainRecord[];
  problems: RecordProblem[] | null;
  provider: DnsProvider | null;
  label: string;
};

/** The records to publish, with hosts and values formatted for the DNS provider. */
export function RecordTable({ records, problems, provider, label }: RecordTableProps) {
  const hasPriority = records.some(({ priority }) => priority !== null);
  const fields = provider?.fields ?? GENERAL_FIELDS;
  return (
    <table
      role="table"
      className={classes.recordTable}
      aria-label={label}
      data-priority={hasPriority || undefined}
    >
      <thead role="rowgroup">
        <tr role="row" className={classes.recordColumns}>
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

type RecordRowProps = {
  record: DomainRecord;
  problems: RecordProblem[] | null;
  provider: DnsProvider | null;
  fields: DnsProvider["fields"];
  hasPriority: boolean;
};

function RecordRow({ record, problems, provider, fields, hasPriority }: RecordRowProps) {
  const { label, purpose } = recordLabel(record);
  return (
    <tr role="row" className={classes.recordRow}>
      <td role="cell" className={classes.record}>
        <Text span fw={500}>
          {label}
        </Text>
        <Text span size="xs" c="dimmed">
          {purpose}
        </Text>
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

type RecordFieldProps = { value: string; label: string; emptyText: string };

function RecordField({ value, label, emptyText }: RecordFieldProps) {
  if (value === "")
    return (
      <Text span c="dimmed">
        {emptyText}
      </Text>
    );
  return (
    <>
      <code>{value}</code>
      <CopyButton value={value} label={label} />
    </>
  );
}

/** The column's name, for narrow screens, where each row is shown as a card. */
const RecordColumnLabel = ({ children }: { children: string }) => (
  <span className={classes.columnName} aria-hidden="true">
    {children}
  </span>
);

type RecordStatusProps = { record: DomainRecord; problems: RecordProblem[] | null };

/** @param problems of all records; null while loading */
export function RecordStatus({ record, problems }: RecordStatusProps) {
  if (!isChecked(record)) return <Status tone="none" label="Not checked" />;
  if (record.missingSince !== null) return <Status tone="failed" label="No longer found" />;
  if (record.isVerified) return <Status tone="done" label="Verified" />;
  const isIncorrect = problems?.some(
    ({ record: kind, difference }) => kind === record.kind && difference !== null,
  );
  if (isIncorrect) return <Status tone="failed" label="Incorrect" />;
  if (record.answers.length === 0) return <Status tone="none" label="Not checked" />;
  if (record.need === "optional") return <Status tone="none" label="Not published" />;
  return <Status tone="waiting" label="Not found" />;
}

const EmailRecordsDialog = onDemand(() =>
  import("#app/console/(pages)/domains/domain-dialogs.tsx").then(
    (module) => module.EmailRecordsDialog,
  ),
);

/** Exports the records as a zone file, or as instructions by email or on paper for the person who manages the DNS. */
export function ExportRecords({ domain }: { domain: DomainDetail }) {
  const { data: doctor } = useQuery(doctorQuery(domain));
  const mayEmail = usePrivileges().has("domains");
  const [isEmailing, dialog] = useDisclosure();
  return (
    <Group gap="xs">
      {doctor && (
        <Button
          variant="default"
          leftSection={<IconDownload size={14} />}
          onClick={() => downloadText(`${domain.name}.zone`, doctor.zoneFile)}
        >
          Download zone file
        </Button>
      )}
      <Button
        variant="default"
        component={Link}
        href={`/console/domains/${domain.id}/hand-over`}
        leftSection={<IconPrinter size={14} />}
      >
        Print instructions
      </Button>
      {mayEmail && (
        <>
          <Button
            variant="default"
            leftSection={<IconMail size={14} />}
            onPointerEnter={EmailRecordsDialog.preload}
            onFocus={EmailRecordsDialog.preload}
            onClick={dialog.open}
          >
            Email records
          </Button>
          {isEmailing && <EmailRecordsDialog domain={domain} onClose={dialog.close} />}
        </>
      )}
    </Group>
  );
}

function downloadText(name: string, text: string) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/dns" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}

type MailAppRecordsProps = {
  records: DomainDetail["mailAppRecords"];
  provider: DnsProvider | null;
};

/** Optional records that let mail apps configure themselves from an email address. */
export const MailAppRecords = ({ records, provider }: MailAppRecordsProps) => (
  <Panel title="Mail apps">
    <Text c="dimmed" mb="md">
      With these optional records, mail, calendar, and contacts apps find their settings from an
      email address and password. Posthouse doesn’t check them. SRV values contain priority, weight,
      port, and target.
    </Text>
    <ul aria-label="Records for mail apps">
      {records.map((record) => (
        <MailAppRecord key={record.name} record={record} host={hostField(record, provider)} />
      ))}
    </ul>
  </Panel>
);

type MailAppRecordProps = { record: DomainDetail["mailAppRecords"][number]; host: string };

const MailAppRecord = ({ record: { type, value, purpose }, host }: MailAppRecordProps) => (
  <li className={classes.appRecord}>
    <Text span size="sm">
      {type}: {purpose}
    </Text>
    <Group component="span" gap={4} wrap="nowrap" miw={0}>
      <code>{host}</code>
      <CopyButton value={host} label={`host of ${purpose}`} />
    </Group>
    <Group component="span" gap={4} wrap="nowrap" miw={0}>
      <code>{value}</code>
      <CopyButton value={value} label={`value of ${purpose}`} />
    </Group>
  </li>
);
