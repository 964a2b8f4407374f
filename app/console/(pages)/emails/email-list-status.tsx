import { Button, Group, Loader, Text } from "@mantine/core";
import { IconArrowUp } from "@tabler/icons-react";

import { dateFormatter, pluralize } from "#app/console/ui/format.ts";

import classes from "./email-list-status.module.css";

type Progress = {
  isSearching: boolean;
  isStopped: boolean;
  at: string | null;
  stop: () => void;
  resume: () => void;
};

const formatDate = dateFormatter({ dateStyle: "long" });

/** The line above the list: search progress, and a button that shows new emails. */
export function EmailListStatus({
  progress,
  isNewestFirst,
  waiting,
  onShow,
}: {
  progress: Progress;
  isNewestFirst: boolean;
  waiting: number;
  onShow: () => void;
}) {
  return (
    <div className={classes.line}>
      <SearchProgress {...progress} isNewestFirst={isNewestFirst} />
      <span role="status">
        {waiting > 0 && (
          <Button
            size="xs"
            variant="light"
            leftSection={<IconArrowUp size={14} />}
            onClick={onShow}
          >
            Show {pluralize(waiting, "new email")}
          </Button>
        )}
      </span>
    </div>
  );
}

function SearchProgress({
  isSearching,
  isStopped,
  at,
  stop,
  resume,
  isNewestFirst,
}: Progress & { isNewestFirst: boolean }) {
  if (!isSearching && !isStopped)
    return (
      <Text size="sm" c="dimmed">
        {isNewestFirst ? "Newest first." : "Oldest first."} Updates automatically.
      </Text>
    );
  const direction = isNewestFirst ? "back to" : "up to";
  const back = at === null ? "" : ` ${direction} ${formatDate(new Date(at))}`;
  return (
    <Group gap="xs" role="status">
      {isSearching && <Loader size={14} aria-hidden="true" />}
      <Text size="sm">
        {isSearching ? `Searching${back}…` : `Search stopped. Searched${back}.`}
      </Text>
      <Button size="compact-xs" variant="default" onClick={isSearching ? stop : resume}>
        {isSearching ? "Stop search" : "Continue search"}
      </Button>
    </Group>
  );
}
