"use client";

import { Anchor, Button, Skeleton, Stack } from "@mantine/core";
import Link from "next/link";

import { useRead } from "#app/console/endpoint-queries.ts";
import { DescriptionList } from "#app/console/ui/details.tsx";
import { formatBytes, formatCount, formatDuration, pluralize } from "#app/console/ui/format.ts";
import { ListCell, type ListColumn, ListRow, ListTable } from "#app/console/ui/list-table.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";

import { FindingList, type Health } from "./finding-list.tsx";
import classes from "./health.module.css";
import { MailHostList, WarmUpList } from "./mail-hosts.tsx";

export function ServerHealth() {
  const health = useRead("operate.getHealth", {}, { refetchInterval: REFRESH_MS });
  return (
    <>
      <PageHeader
        title="Health"
        description={
          health.data
            ? `Posthouse ${health.data.version}. Updates automatically.`
            : "Updates automatically."
        }
        action={
          <Button variant="default" component={Link} href="/console/operate/go-live">
            Go-live steps
          </Button>
        }
      />
      <QueryView query={health} noun="the health status" skeleton={<HealthSkeleton />}>
        {(health) => (
          <Stack gap="md">
            <FindingList health={health} />
            <ProcessList processes={health.processes} />
            <MailHostList />
            <WarmUpList warmUps={health.warmUps} />
            <SystemFacts health={health} />
          </Stack>
        )}
      </QueryView>
    </>
  );
}

const HealthSkeleton = () => (
  <Stack gap="md">
    <Skeleton height={180} />
    <Skeleton height={280} />
    <Skeleton height={280} />
  </Stack>
);

const REFRESH_MS = 5_000;

type Process = Health["processes"][number];

function SystemFacts({ health }: { health: Health }) {
  const { database, disk, queue, dovecot, search } = health;
  const oldest = database.oldestTransactionSeconds;
  return (
    <Panel title="System">
      <DescriptionList
        items={{
          Queue: (
            <Anchor component={Link} href="/console/operate/queue">
              {pluralize(queue.waiting, "recipient")} queued, {formatCount(queue.due)} due
            </Anchor>
          ),
          Webhooks: `${pluralize(health.webhooksDue, "event")} due`,
          Jobs: (
            <>
              {formatCount(health.jobs.waiting)} queued, {formatCount(health.jobs.failing.length)}{" "}
              failing
            </>
          ),
          Postgres: (
            <>
              {database.version}, {formatBytes(database.sizeBytes)}, {database.connections} of{" "}
              {database.connectionsMax} connections
              {oldest !== null && `, oldest transaction ${formatDuration(oldest)}`}
            </>
          ),
          "Largest tables": database.tables
            .map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`)
            .join(", "),
          Dovecot: dovecot
            ? `Running, ${pluralize(dovecot.sessions, "open connection")} from ${pluralize(dovecot.accounts, "mailbox", "mailboxes")}`
            : "Not responding, so mailboxes can’t be opened. Check posthouse logs --process mail.",
          rspamd: health.rspamd ?? "Not running, so incoming mail isn’t checked for spam.",
          "Full-text search": search.mailboxes > 0 && (
            <>
              {formatCount(search.indexed)} of {pluralize(search.mailboxes, "mailbox", "mailboxes")}{" "}
              indexed, {formatBytes(search.bytes)}
            </>
          ),
          Disk: `${formatBytes(disk.freeBytes)} of ${formatBytes(disk.totalBytes)} free`,
          Certificate: health.certificate ? (
            <>
              {health.certificate.isSelfSigned
                ? "Self-signed"
                : `Issued by ${health.certificate.issuer}`}
              , valid until <ExactTime at={health.certificate.validUntil} />
            </>
          ) : (
            "The certificate can’t be read on this host."
          ),
        }}
      />
    </Panel>
  );
}

const columns = {
  name: { area: "name", header: "Process", kind: "name" },
  state: { area: "state", header: "Status", kind: "status" },
  up: { area: "up", header: "Uptime", kind: "text", isOptional: true },
  memory: { area: "memory", header: "Memory", kind: "text" },
  delay: { area: "delay", header: "Lag (p99, max)", kind: "text", isOptional: true },
  heard: { area: "heard", header: "Last heartbeat", kind: "moment" },
} satisfies Record<string, ListColumn>;

/** Event loop delay that slows down all requests. */
const SLOW_MS = 500;

const ProcessList = ({ processes }: { processes: Process[] }) => (
  <ListTable label="Processes" columns={columns} grid={classes.processes}>
    {processes.map((process) => (
      <ProcessRow key={process.id} process={process} />
    ))}
  </ListTable>
);

function ProcessRow({ process }: { process: Process }) {
  const { role, host, pid, isAlive, loopDelayP99Ms: delay } = process;
  const slow = isAlive && delay > SLOW_MS;
  const status = { label: slow ? "Slow" : "Running", tone: slow ? "waiting" : "done" } as const;
  return (
    <ListRow>
      <ListCell column={columns.name}>
        <span
          title={`Process ${pid} on ${host}, Posthouse ${process.version}, Node ${process.node}`}
        >
          {role} on {host}
        </span>
      </ListCell>
      <ListCell column={columns.state}>
        {isAlive ? <Status {...status} /> : <Status tone="failed" label="Not responding" />}
      </ListCell>
      <ListCell column={columns.up}>
        {formatDuration((Date.parse(process.heardAt) - Date.parse(process.startedAt)) / 1_000)}
      </ListCell>
      <ListCell column={columns.memory}>{formatBytes(process.rssBytes)}</ListCell>
      <ListCell column={columns.delay}>
        {delay} ms, {process.loopDelayMaxMs} ms
      </ListCell>
      <ListCell column={columns.heard}>
        <RelativeTime at={process.heardAt} />
      </ListCell>
    </ListRow>
  );
}
