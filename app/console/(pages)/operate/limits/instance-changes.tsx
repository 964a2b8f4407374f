import { Text } from "@mantine/core";

import { Panel } from "#app/console/ui/panel.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Timeline, TimelineEntry } from "#app/console/ui/timeline.tsx";

import type { InstanceChange } from "./queries.ts";

/** Who changed what of the whole instance, the newest first. */
export function InstanceChanges({ changes }: { changes: InstanceChange[] }) {
  return (
    <Panel title="Changes to the whole instance">
      {changes.length === 0 ? (
        <Text c="dimmed">Nothing was changed yet.</Text>
      ) : (
        <Timeline>
          {changes.map((change) => (
            <TimelineEntry
              key={change.id}
              meaning="none"
              title={describeChange(change)}
              aside={
                <>
                  {change.actor}, <RelativeMoment at={change.created_at} />
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
  const told = (name: string) => {
    const value = details[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  switch (action) {
    case "setting.changed":
      return `${told("setting")} from ${told("from")} to ${told("to")}`;
    case "setting.reset":
      return `${told("setting")} back to ${told("to")}`;
    case "queue.held":
      return `Mail to ${told("name")} held`;
    case "queue.released":
      return `Mail to ${told("name")} released`;
    case "queue.retried":
      return `Mail to ${told("name")} tried at once: ${told("recipients")} recipients`;
    case "queue.dropped":
      return `Mail to ${told("name")} dropped: ${told("recipients")} recipients`;
    default:
      return [action.replaceAll(/[._]/g, " "), told("name") || told("email")].join(" ").trim();
  }
}
