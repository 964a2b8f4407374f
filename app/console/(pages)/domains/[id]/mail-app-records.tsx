import { Text } from "@mantine/core";

import { hostField } from "#app/console/(pages)/domains/provider-fields.ts";
import type { DnsProvider, DomainDetail } from "#app/console/(pages)/domains/queries.ts";
import { CopyButton } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./mail-app-records.module.css";

/** Optional records that let mail apps configure themselves from an email address. */
export function MailAppRecords({
  records,
  provider,
}: {
  records: DomainDetail["mailAppRecords"];
  provider: DnsProvider | null;
}) {
  return (
    <Panel title="Mail apps">
      <Text c="dimmed" mb="md">
        These optional records let Outlook, Thunderbird, and other mail apps find their settings
        from an email address and password. Posthouse doesn’t check them. SRV values contain
        priority, weight, port, and target.
      </Text>
      <ul className={classes.records} aria-label="Records for mail apps">
        {records.map((record) => (
          <MailAppRecord key={record.name} record={record} host={hostField(record, provider)} />
        ))}
      </ul>
    </Panel>
  );
}

function MailAppRecord({
  record: { type, value, purpose },
  host,
}: {
  record: DomainDetail["mailAppRecords"][number];
  host: string;
}) {
  return (
    <li className={classes.record}>
      <span className={classes.purpose}>
        {type}: {purpose}
      </span>
      <span className={classes.part}>
        <code>{host}</code>
        <CopyButton value={host} label={`host of ${purpose}`} />
      </span>
      <span className={classes.part}>
        <code>{value}</code>
        <CopyButton value={value} label={`value of ${purpose}`} />
      </span>
    </li>
  );
}
