import { Anchor } from "@mantine/core";
import Link from "next/link";

import { inFull } from "#app/console/ui/charts/numbers.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { ExactMoment } from "#app/console/ui/moment.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { formatBytes, formatDuration } from "./format.ts";
import type { Health } from "./queries.ts";

export function SystemFacts({ health }: { health: Health }) {
  const { database, disk, queue, dovecot } = health;
  const oldest = database.oldest_transaction_seconds;
  return (
    <Panel title="System">
      <Facts>
        <Fact name="Queue">
          <Anchor component={Link} href="/console/operate/queue">
            {inFull(queue.waiting)} recipients queued, {inFull(queue.due)} due
          </Anchor>
        </Fact>
        <Fact name="Webhooks">{inFull(health.webhooks_due)} events due</Fact>
        <Fact name="Jobs">
          {inFull(health.jobs.waiting)} queued, {inFull(health.jobs.failing.length)} failing
        </Fact>
        <Fact name="Postgres">
          {database.version}, {formatBytes(database.size_bytes)}, {database.connections} of{" "}
          {database.connections_max} connections
          {oldest !== null && `, oldest transaction ${formatDuration(oldest)}`}
        </Fact>
        <Fact name="Dovecot">
          {dovecot
            ? `Running, ${inFull(dovecot.sessions)} open connections from ${inFull(dovecot.accounts)} mailboxes`
            : "Not responding, so mailboxes can't be opened. Check logs/mail.log."}
        </Fact>
        <Fact name="rspamd">
          {health.rspamd ?? "Not running, so incoming mail isn't checked for spam."}
        </Fact>
        <Fact name="Disk">
          {formatBytes(disk.free_bytes)} of {formatBytes(disk.total_bytes)} free
        </Fact>
        <Fact name="Certificate">
          {health.certificate ? (
            <>
              {health.certificate.is_self_signed
                ? "Self-signed"
                : `Issued by ${health.certificate.issuer}`}
              , valid until <ExactMoment at={health.certificate.valid_until} />
            </>
          ) : (
            "The certificate can't be read on this host."
          )}
        </Fact>
      </Facts>
    </Panel>
  );
}
