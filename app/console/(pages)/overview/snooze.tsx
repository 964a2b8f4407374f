import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconClock } from "@tabler/icons-react";

import { RelativeTime } from "#app/console/ui/time.tsx";

import classes from "./overview.module.css";
import { type OverviewProblem, type SnoozeDays, useEndSnooze, useSnooze } from "./queries.ts";

const SNOOZES: { days: SnoozeDays; label: string }[] = [
  { days: 1, label: "For a day" },
  { days: 7, label: "For a week" },
  { days: 30, label: "For 30 days" },
];

/** @param label names the problem to screen readers */
export function SnoozeMenu({ problem, label }: { problem: OverviewProblem; label: string }) {
  const snooze = useSnooze(problem);
  return (
    <Menu position="bottom-end" returnFocus>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Snooze: ${label}`} title="Snooze">
          <IconClock size={16} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Hide for you until it gets worse, at most</Menu.Label>
        {SNOOZES.map(({ days, label }) => (
          <Menu.Item key={days} onClick={() => snooze.start(days)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

export function EndSnooze({ problem }: { problem: OverviewProblem }) {
  const end = useEndSnooze(problem);
  return (
    <span className={classes.pointActions}>
      <span className={classes.quiet}>
        Comes back <RelativeTime at={problem.snoozedUntil!} />
      </span>
      <Button
        variant="default"
        size="compact-sm"
        aria-busy={end.isPending}
        onClick={() => end.start()}
      >
        End snooze
      </Button>
    </span>
  );
}
