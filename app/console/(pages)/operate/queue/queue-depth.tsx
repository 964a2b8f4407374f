import { Anchor, Group } from "@mantine/core";
import Link from "next/link";

import { formatCount } from "#app/console/ui/format.ts";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./queue.module.css";
import type { Queue } from "./queries.ts";

/** Mail due for longer than this means that no worker is leasing it. */
const STUCK_SECONDS = 60;

export function QueueDepth({ depth }: { depth: Queue["depth"] }) {
  const { waiting, due, inFlight, delayed, parked } = depth;
  const oldest = depth.oldestDueSeconds;
  return (
    <>
      <dl className={classes.figures} aria-label="Queue size in recipients">
        <DepthStat name="Queued" value={waiting} />
        <DepthStat name="Due" value={due} />
        <DepthStat name="Delivering" value={inFlight} />
        <DepthStat name="Delayed" value={delayed} />
        <DepthStat name="On hold" value={parked} />
      </dl>
      {oldest !== null && oldest > STUCK_SECONDS && (
        <Group role="status" gap="4px 12px">
          <Status tone="failed" label="Stuck" />
          <span>
            The oldest message has been due for {Math.round(oldest / 60)} min. No worker is
            processing it.
          </span>
          <Anchor component={Link} href="/console/operate/health" underline="always">
            Check Health
          </Anchor>
        </Group>
      )}
    </>
  );
}

function DepthStat({ name, value }: { name: string; value: number }) {
  return (
    <div className={classes.figure}>
      <dt>{name}</dt>
      <dd>{formatCount(value)}</dd>
    </div>
  );
}
