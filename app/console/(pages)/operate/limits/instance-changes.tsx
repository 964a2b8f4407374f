import { Text } from "@mantine/core";

import { Panel } from "#app/console/ui/panel.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Timeline, TimelineEntry } from "#app/console/ui/details.tsx";

import type { InstanceChange } from "./queries.ts";

export function InstanceChanges({ changes }: { changes: InstanceChange[] }) {
  return (
    <Panel title="Recent changes">
      {changes.length === 0 ? (
        <Text c="dimmed">No changes yet.</Text>
      ) : (
        <Timeline>
          {changes.map((change) => (
            <TimelineEntry
              key={change.id}
              tone="none"
              title={describeChange(change)}
              aside={
                <>
                  {change.actor}, <RelativeTime at={change.createdAt} />
                </>
              }
            />
          ))}
        </Timeline>
      )}
    </Panel>
  );
}

function describeChange({ action, details }: InstanceChange): string {
  const detail = (name: string) => {
    const value = details[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  switch (action) {
    case "setting.changed":
      return `${detail("setting")} changed from ${detail("from")} to ${detail("to")}`;
    case "setting.reset":
      return `${detail("setting")} reset to ${detail("to")}`;
    case "queue.held":
      return `Mail to ${detail("name")} put on hold`;
    case "queue.released":
      return `Mail to ${detail("name")} released`;
    case "queue.retried":
      return `Mail to ${detail("name")} retried (recipients: ${detail("recipients")})`;
    case "queue.dropped":
      return `Mail to ${detail("name")} dropped (recipients: ${detail("recipients")})`;
    default:
      return [action.replaceAll(/[._]/g, " "), detail("name") || detail("email")].join(" ").trim();
  }
}
