// cspell:ignore shmem XLOG
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { connect } from "#server/db/client.ts";

import { startEmbeddedPostgres, tunedSettings } from "./embedded-postgres.ts";

const GB = 1024 ** 3;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-tuned-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.each([
  [0.5, { shared_buffers: "64MB", work_mem: "4MB", maintenance_work_mem: "64MB" }],
  [2, { shared_buffers: "256MB", work_mem: "4MB", maintenance_work_mem: "128MB" }],
  [8, { shared_buffers: "256MB", work_mem: "16MB", maintenance_work_mem: "512MB" }],
  [64, { shared_buffers: "256MB", work_mem: "32MB", maintenance_work_mem: "1024MB" }],
])("sizes its memory for a machine with %d GB", (gb, expected) => {
  expect(tunedSettings({ memoryBytes: gb * GB, cpus: 2 })).toMatchObject(expected);
});

test("runs parallel queries on large machines only", () => {
  const workers = (cpus: number) =>
    tunedSettings({ memoryBytes: GB, cpus }).max_parallel_workers_per_gather;
  expect([workers(2), workers(4), workers(8)]).toEqual(["0", "0", "2"]);
});

test("the server accepts the settings, and logs slow statements without their parameters", async () => {
  const lines: string[] = [];
  const server = await startEmbeddedPostgres({
    folder: join(folder, "postgres"),
    onLine: (line) => lines.push(line),
  });
  const connection = connect(server.url, { max: 1 });
  try {
    const [row] = await connection.sql`
      select current_setting('random_page_cost') as cost,
        (select count(*)::int from pg_stat_activity where backend_type ~ 'replication|io worker') as idle,
        (select sum(allocated_size)::int from pg_shmem_allocations where name ~ '^(XLOG Ctl|Aio)') as bytes`;
    expect(row).toEqual({ cost: "1.1", idle: 0, bytes: expect.any(Number) as number });
    // With Postgres' own settings, 17 MB.
    expect(row!.bytes as number).toBeLessThan(5e6);
    await connection.sql`select pg_sleep(1.2), ${"a secret value"}::text`;
    await vi.waitFor(() => expect(lines.join("\n")).toMatch(/duration: 1\d+\.\d+ ms .*pg_sleep/));
    expect(lines.join("\n")).not.toContain("a secret value");
  } finally {
    await connection.close();
    await server.stop();
  }
});
