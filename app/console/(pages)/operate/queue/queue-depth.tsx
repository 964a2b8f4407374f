import { Anchor, Group } from "@mantine/core";
import Link from "next/link";

import { inFull } from "#app/console/ui/charts/numbers.ts";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./queue.module.css";
import type { Queue } from "./queries.ts";

/** Due for longer, mail is taken by no worker. */
const STUCK_SECONDS = 60;

/** How much waits, and whether it moves. */
export function QueueDepth({ depth }: { depth: Queue["depth"] }) {
  const { waiting, due, in_flight: inFlight, delayed, parked } = depth;
  const oldest = depth.oldest_due_seconds;
  return (
    <>
      <dl className={classes.figures} aria-label="The queue in recipients">
        <DepthStat name="Waiting" value={waiting} />
        <DepthStat name="Due" value={due} />
        <DepthStat name="Being delivered" value={inFlight} />
        <DepthStat name="Delayed" value={delayed} />
        <DepthStat name="Held" value={parked} />
      </dl>
      {oldest !== null && oldest > STUCK_SECONDS && (
        <Group role="status" gap="4px 12px">
          <Status meaning="failed" word="Stuck" />
          <span>
            The oldest has been due for {Math.round(oldest / 60)} min: no worker takes mail.
          </span>
          <Anchor component={Link} href="/console/operate/health" underline="always">
            Look at Health
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
      <dd>{inFull(value)}</dd>
    </div>
  );
}
