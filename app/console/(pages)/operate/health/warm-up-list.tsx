import { ListCell, type ListColumn, ListRow, ListTable } from "#app/console/ui/list-table.tsx";
import { formatCount } from "#app/console/ui/format.ts";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./health.module.css";
import type { Health } from "./queries.ts";

type WarmUp = Health["warmUps"][number];

const columns = {
  name: { area: "name", header: "Warm-up", kind: "name" },
  state: { area: "state", header: "Status", kind: "status" },
  day: { area: "day", header: "Day", kind: "text" },
  used: { area: "used", header: "Recipients today", kind: "text" },
} satisfies Record<string, ListColumn>;

/** The daily quotas of a new server or domain at mail providers; nothing without a warm-up. */
export function WarmUpList({ warmUps }: { warmUps: WarmUp[] }) {
  if (warmUps.length === 0) return null;
  return (
    <ListTable label="Warm-up" columns={columns} grid={classes.warmUps}>
      {warmUps.map((warmUp) => (
        <WarmUpRow key={`${warmUp.from} ${warmUp.provider}`} warmUp={warmUp} />
      ))}
    </ListTable>
  );
}

function WarmUpRow({ warmUp: { from, provider, day, days, used, quota } }: { warmUp: WarmUp }) {
  const name = provider === "other" ? "Other providers" : provider;
  return (
    <ListRow>
      <ListCell column={columns.name}>{from === null ? name : `${name}, from ${from}`}</ListCell>
      <ListCell column={columns.state}>
        {used < quota ? (
          <Status tone="done" label="Sending" />
        ) : (
          <Status tone="waiting" label="Waiting" />
        )}
      </ListCell>
      <ListCell column={columns.day}>
        {day} of {days}
      </ListCell>
      <ListCell column={columns.used}>
        {formatCount(used)} of {formatCount(quota)}
      </ListCell>
    </ListRow>
  );
}
