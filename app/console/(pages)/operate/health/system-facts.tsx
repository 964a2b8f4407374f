import { Anchor } from "@mantine/core";
import Link from "next/link";

import { formatBytes, formatCount } from "#app/console/ui/number-format.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/description-list.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { formatDuration } from "./format.ts";
import type { Health } from "./queries.ts";

export function SystemFacts({ health }: { health: Health }) {
  const { database, disk, queue, dovecot } = health;
  const oldest = database.oldest_transaction_seconds;
  return (
    <Panel title="System">
      <DescriptionList>
        <DescriptionItem label="Queue">
          <Anchor component={Link} href="/console/operate/queue">
            {formatCount(queue.waiting)} recipients queued, {formatCount(queue.due)} due
          </Anchor>
        </DescriptionItem>
        <DescriptionItem label="Webhooks">
          {formatCount(health.webhooks_due)} events due
        </DescriptionItem>
        <DescriptionItem label="Jobs">
          {formatCount(health.jobs.waiting)} queued, {formatCount(health.jobs.failing.length)}{" "}
          failing
        </DescriptionItem>
        <DescriptionItem label="Postgres">
          {database.version}, {formatBytes(database.size_bytes)}, {database.connections} of{" "}
          {database.connections_max} connections
          {oldest !== null && `, oldest transaction ${formatDuration(oldest)}`}
        </DescriptionItem>
        <DescriptionItem label="Largest tables">
          {database.tables.map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`).join(", ")}
        </DescriptionItem>
        <DescriptionItem label="Dovecot">
          {dovecot
            ? `Running, ${formatCount(dovecot.sessions)} open connections from ${formatCount(dovecot.accounts)} mailboxes`
            : "Not responding, so mailboxes can’t be opened. Check logs/mail.log."}
        </DescriptionItem>
        <DescriptionItem label="rspamd">
          {health.rspamd ?? "Not running, so incoming mail isn’t checked for spam."}
        </DescriptionItem>
        <DescriptionItem label="Disk">
          {formatBytes(disk.free_bytes)} of {formatBytes(disk.total_bytes)} free
        </DescriptionItem>
        <DescriptionItem label="Certificate">
          {health.certificate ? (
            <>
              {health.certificate.is_self_signed
                ? "Self-signed"
                : `Issued by ${health.certificate.issuer}`}
              , valid until <ExactTime at={health.certificate.valid_until} />
            </>
          ) : (
            "The certificate can’t be read on this host."
          )}
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}
