import { InlineCode } from "#app/console/ui/inline-code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { toSentence } from "#app/console/ui/server-text.ts";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Timeline, TimelineEntry } from "#app/console/ui/timeline.tsx";

import type { Health } from "./queries.ts";

/** The raised alarms, also shown in `posthouse alarms`. */
export function AlarmList({ alarms }: { alarms: Health["alarms"] }) {
  if (alarms.length === 0) return null;
  return (
    <Panel title="Alarms">
      <Timeline>
        {alarms.map(({ name, severity, found, advice, raised_at }) => (
          <TimelineEntry
            key={name}
            tone={severity === "critical" ? "failed" : "waiting"}
            title={<InlineCode text={toSentence(found)} />}
            aside={<RelativeTime at={raised_at} />}
          >
            {advice && <InlineCode text={toSentence(advice)} />}
          </TimelineEntry>
        ))}
      </Timeline>
    </Panel>
  );
}
