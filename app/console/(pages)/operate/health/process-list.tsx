import { ListCell, type ListColumn, ListRow, ListTable } from "#app/console/ui/list-table.tsx";
import { formatBytes, formatDuration } from "#app/console/ui/format.ts";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./health.module.css";
import type { Process } from "./queries.ts";

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

export function ProcessList({ processes }: { processes: Process[] }) {
  return (
    <ListTable label="Processes" columns={columns} grid={classes.processes}>
      {processes.map((process) => (
        <ProcessRow key={process.id} process={process} />
      ))}
    </ListTable>
  );
}

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
