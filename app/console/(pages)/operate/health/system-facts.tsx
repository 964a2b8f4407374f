import { Anchor } from "@mantine/core";
import Link from "next/link";

import { pluralize, formatBytes, formatCount, formatDuration } from "#app/console/ui/format.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import type { Health } from "./queries.ts";

export function SystemFacts({ health }: { health: Health }) {
  const { database, disk, queue, dovecot } = health;
  const oldest = database.oldestTransactionSeconds;
  return (
    <Panel title="System">
      <DescriptionList>
        <DescriptionItem label="Queue">
          <Anchor component={Link} href="/console/operate/queue">
            {pluralize(queue.waiting, "recipient")} queued, {formatCount(queue.due)} due
          </Anchor>
        </DescriptionItem>
        <DescriptionItem label="Webhooks">
          {pluralize(health.webhooksDue, "event")} due
        </DescriptionItem>
        <DescriptionItem label="Jobs">
          {formatCount(health.jobs.waiting)} queued, {formatCount(health.jobs.failing.length)}{" "}
          failing
        </DescriptionItem>
        <DescriptionItem label="Postgres">
          {database.version}, {formatBytes(database.sizeBytes)}, {database.connections} of{" "}
          {database.connectionsMax} connections
          {oldest !== null && `, oldest transaction ${formatDuration(oldest)}`}
        </DescriptionItem>
        <DescriptionItem label="Largest tables">
          {database.tables.map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`).join(", ")}
        </DescriptionItem>
        <DescriptionItem label="Dovecot">
          {dovecot
            ? `Running, ${pluralize(dovecot.sessions, "open connection")} from ${pluralize(dovecot.accounts, "mailbox", "mailboxes")}`
            : "Not responding, so mailboxes can’t be opened. Check posthouse logs --process mail."}
        </DescriptionItem>
        <DescriptionItem label="rspamd">
          {health.rspamd ?? "Not running, so incoming mail isn’t checked for spam."}
        </DescriptionItem>
        <DescriptionItem label="Disk">
          {formatBytes(disk.freeBytes)} of {formatBytes(disk.totalBytes)} free
        </DescriptionItem>
        <DescriptionItem label="Certificate">
          {health.certificate ? (
            <>
              {health.certificate.isSelfSigned
                ? "Self-signed"
                : `Issued by ${health.certificate.issuer}`}
              , valid until <ExactTime at={health.certificate.validUntil} />
            </>
          ) : (
            "The certificate can’t be read on this host."
          )}
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}
