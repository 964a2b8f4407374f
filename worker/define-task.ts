import type { Task } from "graphile-worker";

import { type JobName, type JobPayload, jobs } from "#server/jobs/catalogue.ts";

/**
 * Defines the task of a job in the catalogue. Its payload is validated before `run`, without the `_cron`
 * field that graphile-worker adds.
 *
 * @param run `attempt` is 1 the first time
 */
export function defineTask<Name extends JobName>(
  name: Name,
  run: (payload: JobPayload<Name>, attempt: number) => Promise<void>,
): Task {
  return (payload, { job }) => run(jobs[name].payload.parse(payload), job.attempts);
}
