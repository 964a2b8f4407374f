"use client";

import { Anchor, Button, Text } from "@mantine/core";
import Link from "next/link";

import { RelativeTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { queueUrl } from "./queue-url.ts";
import classes from "./queue.module.css";
import { type Hold, useReleaseMail } from "./queries.ts";

export function HoldList({ holds }: { holds: Hold[] }) {
  if (holds.length === 0) return null;
  return (
    <Panel title="On hold">
      <ul className={classes.holds}>
        {holds.map((hold) => (
          <li key={`${hold.kind} ${hold.subject}`} className={classes.hold}>
            <div>
              <Anchor component={Link} href={queueUrl(hold)}>
                {hold.kind === "company" ? `Mail from ${hold.name}` : `Mail to ${hold.name}`}
              </Anchor>
              <Text size="sm" c="dimmed">
                {hold.reason && `${hold.reason} · `}
                {!hold.isSuspension && `${hold.heldBy} · `}
                <RelativeTime at={hold.createdAt} />
              </Text>
            </div>
            {!hold.isSuspension && <ReleaseButton hold={hold} />}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function ReleaseButton({ hold }: { hold: Hold }) {
  const release = useReleaseMail(hold);
  return (
    <Button
      variant="default"
      aria-label={`Release mail ${hold.kind === "company" ? "from" : "to"} ${hold.name}`}
      aria-busy={release.isPending}
      onClick={() => release.start()}
    >
      Release
    </Button>
  );
}
