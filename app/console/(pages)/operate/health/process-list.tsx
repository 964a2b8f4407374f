import { Text } from "@mantine/core";

import { Cell, type Column, ListRow, ListTable } from "#app/console/ui/list-table.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { formatBytes, toSentence, formatDuration } from "./format.ts";
import classes from "./health.module.css";
import type { Process } from "./queries.ts";

const columns = {
  name: { area: "name", head: "Process", kind: "name" },
  state: { area: "state", head: "Status", kind: "status" },
  up: { area: "up", head: "Uptime", kind: "text", isExtra: true },
  memory: { area: "memory", head: "Memory", kind: "text" },
  delay: { area: "delay", head: "Lag (p99, max)", kind: "text", isExtra: true },
  heard: { area: "heard", head: "Last heartbeat", kind: "moment" },
} satisfies Record<string, Column>;

const ROLES = ["web", "worker", "mail"] as const;
/** Event loop delay that slows down all requests. */
const SLOW_MS = 500;

export function ProcessList({ processes }: { processes: Process[] }) {
  const missing = ROLES.filter(
    (role) => !processes.some((process) => process.role === role && process.is_alive),
  );
  return (
    <div>
      <ListTable label="Processes" columns={columns} grid={classes.processes}>
        {processes.map((process) => (
          <ProcessRow key={process.id} process={process} />
        ))}
      </ListTable>
      {missing.length > 0 && (
        <div role="status" className={classes.missing}>
          <Status meaning="failed" word={toSentence(`${missing.join(" and ")} not running`)} />
          <Text c="dimmed">
            Start {missing.length === 1 ? "it" : "them"} with <code>posthouse start</code>. Check
            logs/
            {missing[0]}.log for the cause.
          </Text>
        </div>
      )}
    </div>
  );
}

function ProcessRow({ process }: { process: Process }) {
  const { role, host, pid, is_alive: isAlive, loop_delay_p99_ms: delay } = process;
  const slow = isAlive && delay > SLOW_MS;
  const status = { word: slow ? "Slow" : "Running", meaning: slow ? "waiting" : "done" } as const;
  return (
    <ListRow>
      <Cell of={columns.name}>
        <span
          title={`Process ${pid} on ${host}, Posthouse ${process.version}, Node ${process.node}`}
        >
          {role} on {host}
        </span>
      </Cell>
      <Cell of={columns.state}>
        {isAlive ? <Status {...status} /> : <Status meaning="failed" word="Not responding" />}
      </Cell>
      <Cell of={columns.up}>
        {formatDuration((Date.parse(process.heard_at) - Date.parse(process.started_at)) / 1_000)}
      </Cell>
      <Cell of={columns.memory}>{formatBytes(process.rss_bytes)}</Cell>
      <Cell of={columns.delay}>
        {delay} ms, {process.loop_delay_max_ms} ms
      </Cell>
      <Cell of={columns.heard}>
        <RelativeMoment at={process.heard_at} />
      </Cell>
    </ListRow>
  );
}
