import { untilReady } from "#server/cli/until-ready.ts";
import { findObstacle, selfCheck } from "#server/cli/self-check/self-check.ts";
import { config } from "#server/config.ts";
import { ensureSandbox, type Sandbox } from "#server/core/operations/sandbox/sandbox.ts";
import { requireInstanceKey } from "#server/core/shared/secrets/require-instance-key.ts";
import { connect, type Connection, type Db } from "#server/db/client.ts";
import { requireDurableCommits } from "#server/db/durable-commits.ts";
import { holdWrites } from "#server/db/hold-writes.ts";
import { migrate } from "#server/db/migrate.ts";

import { POSTGRES_MAJOR } from "#server/postgres/binaries.ts";
import { copyToNewPostgres } from "#server/cli/start/rollback/copy-to-new-postgres.ts";
import { readyText } from "#server/cli/start/ready-text.ts";
import type { TaskName, TaskReport, TaskRequest } from "./messages.ts";
import { RelayedDisplay } from "./relayed-display.ts";

// Runs the one-off work of a start and exits, so that the supervisor, which stays, needs little memory.

const send = (report: TaskReport) => process.send!(report, () => {});
const display = new RelayedDisplay(send);
let connection: Connection | undefined;
let sandbox: Sandbox | null = null;
let releaseWrites: (() => Promise<void>) | null = null;

/** After an upgrade, once every process has started. Generous, for slow machines. */
const READY_TIMEOUT_MS = 60_000;

const tasks: Record<TaskName, (request: TaskRequest) => Promise<void>> = {
  requireDurableCommits: ({ databaseUrl }) => requireDurableCommits(databaseUrl),

  migrate: ({ databaseUrl }) => display.step("Schema", () => migrate(databaseUrl)),

  moveDatabase: ({ databaseUrl, folder }) =>
    display.step(`Move the database to Postgres ${POSTGRES_MAJOR}`, () =>
      copyToNewPostgres(databaseUrl, folder!),
    ),

  async prepare({ databaseUrl }) {
    const { db } = (connection ??= connect(databaseUrl, { max: 2 }));
    await display.step("Instance key", () => requireInstanceKey(db));
    if (!config().localMode) return;
    await display.step("Sandbox company", async () => {
      sandbox = await ensureSandbox(db, { canSignIn: true });
      return sandbox.domain;
    });
  },

  async holdWrites({ databaseUrl }) {
    releaseWrites = await holdWrites(databaseUrl, () => process.exit(1));
  },

  // Writes wait, so deliveries can't make progress.
  awaitReady: () =>
    display.step("Health check", () =>
      untilReady(config(), {
        timeoutMs: READY_TIMEOUT_MS,
        accepted: /^delivery does not respond$/,
      }),
    ),

  async releaseWrites() {
    await releaseWrites?.();
    releaseWrites = null;
  },

  async finish({ databaseUrl, withSelfCheck }) {
    const { db } = (connection ??= connect(databaseUrl, { max: 2 }));
    if (sandbox && withSelfCheck) await checkUnlessOnHold(db, sandbox);
    display.line(await readyText(db, config(), sandbox, display));
  },
};

async function checkUnlessOnHold(db: Db, sandbox: Sandbox): Promise<void> {
  const obstacle = await findObstacle(db, sandbox);
  if (obstacle) display.warning(`Self-check skipped: ${obstacle}`);
  else await selfCheck(db, config(), sandbox, display);
}

process.on("message", (request: TaskRequest) => {
  tasks[request.task](request).then(
    () => send({ type: "done" }),
    (thrown: unknown) => {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      const { message: reason, stack } = error;
      send({ type: "failed", reason, stack, step: display.failedStep(error) });
    },
  );
});
// The supervisor has what it needs, or is gone. Writes wait until the database has stopped, too.
process.once("disconnect", () => {
  if (!releaseWrites) process.exit();
});
