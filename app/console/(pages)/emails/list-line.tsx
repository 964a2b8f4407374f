import { Button, Group, Loader, Text } from "@mantine/core";
import { IconArrowUp } from "@tabler/icons-react";

import classes from "./list-line.module.css";

type Progress = {
  goesOn: boolean;
  isStopped: boolean;
  at: string | null;
  stop: () => void;
  resume: () => void;
};

const dayFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" });

/** Over the list: how far a search has come, and what has come in meanwhile. */
export function ListLine({
  progress,
  waiting,
  onShow,
}: {
  progress: Progress;
  waiting: number;
  onShow: () => void;
}) {
  return (
    <div className={classes.line}>
      <Searching {...progress} />
      <span role="status">
        {waiting > 0 && (
          <Button
            size="xs"
            variant="light"
            leftSection={<IconArrowUp size={14} />}
            onClick={onShow}
          >
            {waiting === 1 ? "Show 1 new email" : `Show ${waiting} new emails`}
          </Button>
        )}
      </span>
    </div>
  );
}

function Searching({ goesOn, isStopped, at, stop, resume }: Progress) {
  if (!goesOn && !isStopped)
    return (
      <Text size="sm" c="dimmed">
        Newest first. New emails come in by themselves.
      </Text>
    );
  const back = at === null ? "" : ` back to ${dayFormat.format(new Date(at))}`;
  return (
    <Group gap="xs" role="status">
      {goesOn && <Loader size={14} aria-hidden="true" />}
      <Text size="sm">{goesOn ? `Searching${back}` : `Searched${back}, and stopped.`}</Text>
      <Button size="compact-xs" variant="default" onClick={goesOn ? stop : resume}>
        {goesOn ? "Stop" : "Search further back"}
      </Button>
    </Group>
  );
}
