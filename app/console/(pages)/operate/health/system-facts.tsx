import { Anchor } from "@mantine/core";
import Link from "next/link";

import { inFull } from "#app/console/ui/charts/numbers.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { ExactMoment } from "#app/console/ui/moment.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { formatBytes, formatDuration } from "./format.ts";
import type { Health } from "./queries.ts";

/** What the processes stand on. */
export function SystemFacts({ health }: { health: Health }) {
  const { database, disk, queue, dovecot } = health;
  const oldest = database.oldest_transaction_seconds;
  return (
    <Panel title="Parts">
      <Facts>
        <Fact name="Queue">
          <Anchor component={Link} href="/console/operate/queue">
            {inFull(queue.waiting)} recipients wait, {inFull(queue.due)} of them due
          </Anchor>
        </Fact>
        <Fact name="Webhooks">{inFull(health.webhooks_due)} events due</Fact>
        <Fact name="Jobs">
          {inFull(health.jobs.waiting)} wait, {inFull(health.jobs.failing.length)} fail
        </Fact>
        <Fact name="Postgres">
          {database.version}, {formatBytes(database.size_bytes)}, {database.connections} of{" "}
          {database.connections_max} connections
          {oldest !== null && `, oldest transaction ${formatDuration(oldest)}`}
        </Fact>
        <Fact name="Dovecot">
          {dovecot
            ? `Answers, ${inFull(dovecot.sessions)} open connections of ${inFull(dovecot.accounts)} mailboxes`
            : "Does not answer: mailboxes cannot be opened. logs/mail.log says why."}
        </Fact>
        <Fact name="rspamd">{health.rspamd ?? "Is not there: no mail is judged as spam."}</Fact>
        <Fact name="Disk">
          {formatBytes(disk.free_bytes)} of {formatBytes(disk.total_bytes)} free
        </Fact>
        <Fact name="Certificate">
          {health.certificate ? (
            <>
              {health.certificate.is_self_signed
                ? "Self-signed"
                : `By ${health.certificate.issuer}`}
              , valid until <ExactMoment at={health.certificate.valid_until} />
            </>
          ) : (
            "Cannot be read on this machine."
          )}
        </Fact>
      </Facts>
    </Panel>
  );
}
