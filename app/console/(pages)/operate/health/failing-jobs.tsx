import { Panel } from "#app/console/ui/panel.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Timeline, TimelineEntry } from "#app/console/ui/timeline.tsx";

import type { Health } from "./queries.ts";

export function FailingJobs({ jobs }: { jobs: Health["jobs"]["failing"] }) {
  if (jobs.length === 0) return null;
  return (
    <Panel title="Failing jobs">
      <Timeline>
        {jobs.map((job) => (
          <TimelineEntry
            key={`${job.task} ${job.run_at}`}
            tone="waiting"
            title={`${job.task}, ${job.attempts} ${job.attempts === 1 ? "attempt" : "attempts"}`}
            quote={job.error}
            aside={
              <>
                Next attempt <RelativeTime at={job.run_at} />
              </>
            }
          />
        ))}
      </Timeline>
    </Panel>
  );
}
