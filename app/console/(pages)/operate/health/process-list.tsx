import { Text } from "@mantine/core";

import { Cell, type Column, ListRow, ListTable } from "#app/console/ui/list-table.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { formatBytes, toSentence, formatDuration } from "./format.ts";
import classes from "./health.module.css";
import type { Process } from "./queries.ts";

const columns = {
  name: { area: "name", head: "Process", kind: "name" },
  state: { area: "state", head: "State", kind: "status" },
  up: { area: "up", head: "Runs for", kind: "text", isExtra: true },
  memory: { area: "memory", head: "Memory", kind: "text" },
  delay: { area: "delay", head: "Late by, worst", kind: "text", isExtra: true },
  heard: { area: "heard", head: "Heard from", kind: "moment" },
} satisfies Record<string, Column>;

const ROLES = ["web", "worker", "mail"] as const;
/** A loop that is later than this makes everybody wait. */
const LATE_MS = 500;

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
            Start {missing.length === 1 ? "it" : "them"} with <code>posthouse start</code>; logs/
            {missing[0]}.log says why {missing.length === 1 ? "it" : "each"} stopped.
          </Text>
        </div>
      )}
    </div>
  );
}

function ProcessRow({ process }: { process: Process }) {
  const { role, host, pid, is_alive: isAlive, loop_delay_p99_ms: late } = process;
  const slow = isAlive && late > LATE_MS;
  const runs = { word: slow ? "Slow" : "Runs", meaning: slow ? "waiting" : "done" } as const;
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
        {isAlive ? <Status {...runs} /> : <Status meaning="failed" word="Not heard" />}
      </Cell>
      <Cell of={columns.up}>
        {formatDuration((Date.parse(process.heard_at) - Date.parse(process.started_at)) / 1_000)}
      </Cell>
      <Cell of={columns.memory}>{formatBytes(process.rss_bytes)}</Cell>
      <Cell of={columns.delay}>
        {late} ms, {process.loop_delay_max_ms} ms
      </Cell>
      <Cell of={columns.heard}>
        <RelativeMoment at={process.heard_at} />
      </Cell>
    </ListRow>
  );
}
