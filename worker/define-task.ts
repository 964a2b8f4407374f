import type { Task } from "graphile-worker";

import { type JobName, type JobPayload, jobs } from "#server/jobs/catalogue.ts";

/**
 * Defines the task of a job in the catalogue. Its payload is validated before `run`, without the `_cron`
 * field that graphile-worker adds.
 */
export function defineTask<Name extends JobName>(
  name: Name,
  run: (payload: JobPayload<Name>) => Promise<void>,
): Task {
  return (payload) => run(jobs[name].payload.parse(payload));
}
