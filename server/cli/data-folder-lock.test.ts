import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { connect } from "#server/db/client.ts";
import { clusterFolder } from "#server/postgres/cluster.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "#server/postgres/embedded-postgres.ts";
import { type Ran, runPosthouse } from "#server/testing/run-posthouse.ts";

import { claimDataFolder } from "./start/claim-data-folder.ts";

// Each command is a separate process, slow to start on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), "posthouse-data-lock-"));
const dataFolder = join(folder, "data");
const cluster = clusterFolder(dataFolder);
const env = { DATABASE_URL: undefined, POSTHOUSE_DATA: dataFolder };

let server: EmbeddedPostgres;
let giveBack: () => void;

// Simulates an appliance: locks its data folder and runs its database.
beforeAll(async () => {
  expect(await runPosthouse(["migrate"], env)).toMatchObject({ code: 0, stderr: "" });
  giveBack = (await claimDataFolder(dataFolder)).release;
  server = await startEmbeddedPostgres({ folder: cluster });
});

afterAll(async () => {
  await server.stop();
  giveBack();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a program that can't see the test's processes, as in another container. */
function elsewhere(args: string[]): Promise<Ran> {
  const asSelf = process.getuid!() === 0 ? [] : ["--map-current-user"];
  return runPosthouse(args, env, ["unshare", ...asSelf, "--pid", "--fork", "--mount-proc"]);
}

async function countSettings(): Promise<number> {
  const connection = connect(server.url, { max: 1 });
  try {
    return (await connection.sql`select from settings`).length;
  } finally {
    await connection.close();
  }
}

test("a command in the same container uses the database of the appliance", async () => {
  const set = await runPosthouse(["settings", "set", "requests_in_progress", "99"], env);
  expect(set).toMatchObject({ code: 0, stderr: "" });
  expect(await countSettings()).toBe(1);
});

test.each([[["settings", "list"]], [["migrate"]], [["doctor"]], [["ledger", "--json"]]])(
  "%j in another PID namespace doesn't touch the database and says where to run it",
  async (command) => {
    const pidFile = readFileSync(join(cluster, "postmaster.pid"), "utf8");
    const { code, stdout, stderr } = await elsewhere(command);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(`pid ${process.pid} on `);
    expect(stderr).toContain("docker compose exec posthouse posthouse");
    expect(readFileSync(join(cluster, "postmaster.pid"), "utf8")).toBe(pidFile);
    expect(await countSettings()).toBe(1);
  },
);

test("a start in another PID namespace fails", async () => {
  const { code, stdout } = await elsewhere(["start"]);
  expect(code).toBe(1);
  expect(stdout).toContain(`already runs there (pid ${process.pid} on `);
  expect(await countSettings()).toBe(1);
});

test("after kill -9 of the supervisor alone, no second server can start", async () => {
  giveBack();
  const { code, stderr } = await elsewhere(["settings", "list"]);
  expect(code).toBe(1);
  expect(stderr).toContain("docker compose exec posthouse posthouse");
  expect(await countSettings()).toBe(1);
  giveBack = (await claimDataFolder(dataFolder)).release;
});

test("two concurrent commands without an appliance run one after the other", async () => {
  const alone = { ...env, POSTHOUSE_DATA: join(folder, "alone") };
  expect(await runPosthouse(["migrate"], alone)).toMatchObject({ code: 0 });
  const both = await Promise.all([
    runPosthouse(["settings", "set", "requests_in_progress", "98"], alone),
    runPosthouse(["settings", "set", "request_rate_per_second", "97"], alone),
  ]);
  expect(both).toMatchObject([
    { code: 0, stderr: "" },
    { code: 0, stderr: "" },
  ]);
});
