import type { Task } from "graphile-worker";

import { type JobName, type JobPayload, jobs } from "#server/jobs/catalogue.ts";

/**
 * The task of one job of the catalogue. Its payload is checked before `run` sees it; what cron adds to
 * it (`_cron`) is left out.
 */
export function defineTask<Name extends JobName>(
  name: Name,
  run: (payload: JobPayload<Name>) => Promise<void>,
): Task {
  return (payload) => run(jobs[name].payload.parse(payload));
}
