import { Text } from "@mantine/core";

import { enteredHost } from "#app/console/(pages)/domains/entered.ts";
import type { DnsProvider, DomainDetail } from "#app/console/(pages)/domains/queries.ts";
import { CopyButton } from "#app/console/ui/copy-button.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./mail-apps.module.css";

/** The records by which mail apps find their settings from an address alone. Nothing waits for them. */
export function MailApps({
  records,
  provider,
}: {
  records: DomainDetail["mail_app_records"];
  provider: DnsProvider | null;
}) {
  return (
    <Panel title="Mail apps">
      <Text c="dimmed" mb="md">
        With these, people type their address and password, and Outlook, Thunderbird and others find
        the rest. They are optional and not checked. The value of an SRV record is its priority,
        weight, port and target.
      </Text>
      <ul className={classes.records} aria-label="Records for mail apps">
        {records.map((record) => (
          <Record key={record.name} record={record} host={enteredHost(record, provider)} />
        ))}
      </ul>
    </Panel>
  );
}

function Record({
  record: { type, value, purpose },
  host,
}: {
  record: DomainDetail["mail_app_records"][number];
  host: string;
}) {
  return (
    <li className={classes.record}>
      <span className={classes.purpose}>
        {type}: {purpose}
      </span>
      <span className={classes.part}>
        <code>{host}</code>
        <CopyButton value={host} what={`host of ${purpose}`} />
      </span>
      <span className={classes.part}>
        <code>{value}</code>
        <CopyButton value={value} what={`value of ${purpose}`} />
      </span>
    </li>
  );
}
