import postgres from "postgres";
import { expect, vi } from "vitest";

import { clusterFolder, runningPort, urlAt } from "#server/postgres/cluster.ts";

/** Resolves once the appliance on this data folder has no job of this kind left. */
export async function untilJobsDone(dataFolder: string, task: string): Promise<void> {
  const cluster = clusterFolder(dataFolder);
  const sql = postgres(urlAt(cluster, (await runningPort(cluster))!), { max: 1 });
  try {
    await vi.waitFor(async () => {
      const waiting = await sql`select from graphile_worker.jobs where task_identifier = ${task}`;
      expect(waiting).toHaveLength(0);
    });
  } finally {
    await sql.end();
  }
}
