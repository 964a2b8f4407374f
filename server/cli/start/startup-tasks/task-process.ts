import { Display } from "#server/cli/display.mjs";
import { copyToNewPostgres } from "#server/cli/move-database.ts";
import { untilReady } from "#server/cli/running-appliance.ts";
import { findObstacle, selfCheck } from "#server/cli/self-check.ts";
import { config, type Config } from "#server/config.ts";
import {
  ensureSetupToken,
  isSetUp,
  removeSetupToken,
} from "#server/core/operations/companies/set-up.ts";
import { ensureSandbox, type Sandbox } from "#server/core/operations/sandbox/sandbox.ts";
import { requireInstanceKey } from "#server/core/shared/secrets/require-instance-key.ts";
import { connect, type Connection, type Db } from "#server/db/client.ts";
import { requireDurableCommits } from "#server/db/durable-commits.ts";
import { holdWrites } from "#server/db/hold-writes.ts";
import { migrate } from "#server/db/migrate.ts";
import { appliedSchema } from "#server/db/schema-version.ts";
import { ensureAppRole } from "#server/postgres/app-role.ts";
import { POSTGRES_MAJOR } from "#server/postgres/binaries.ts";

import type { TaskName, TaskReport, TaskRequest } from "./start-task-process.ts";

// Runs one-off startup tasks in a process that exits, which keeps the long-lived supervisor small.

const send = (report: TaskReport) => process.send!(report, () => {});

/** Sends steps and lines to the supervisor, which shows them on its own display. */
export class RelayedDisplay extends Display {
  readonly #send: (report: TaskReport) => void;
  #steps = 0;
  #failed = new WeakMap<object, number>();

  constructor(send: (report: TaskReport) => void) {
    super();
    this.#send = send;
  }

  override async step(title: string, work: () => Promise<unknown>): Promise<void> {
    const step = ++this.#steps;
    this.#send({ type: "step", step, title });
    try {
      const found = await work();
      this.#send({ type: "stepDone", step, found: typeof found === "string" ? found : undefined });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#send({ type: "stepFailed", step, reason });
      if (error instanceof Error) this.#failed.set(error, step);
      throw error;
    }
  }

  override line(text = ""): void {
    this.#send({ type: "line", text });
  }

  /** The step that failed with this error. */
  failedStep(error: Error): number | undefined {
    return this.#failed.get(error);
  }
}

const display = new RelayedDisplay(send);
let connection: Connection | undefined;
let sandbox: Sandbox | null = null;
let releaseWrites: (() => Promise<void>) | null = null;

/** After an upgrade, once every process has started. Generous, for slow machines. */
const READY_TIMEOUT_MS = 60_000;

const tasks: Record<TaskName, (request: TaskRequest) => Promise<unknown>> = {
  requireDurableCommits: ({ databaseUrl }) => requireDurableCommits(databaseUrl),

  appliedSchema: ({ databaseUrl }) => appliedSchema(databaseUrl),

  ensureAppRole: ({ databaseUrl }) => ensureAppRole(databaseUrl),

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
    (found) => send({ type: "done", found: typeof found === "number" ? found : null }),
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

/** The text after a start: URLs, how to sign in, and a first request to try. */
export async function readyText(
  db: Db,
  config: Config,
  sandbox: Sandbox | null,
  display: Display,
): Promise<string> {
  const lines = sandbox ? sandboxLines(config, sandbox) : await serverLines(db, config);
  const rows = lines.map(([name, text]) => `  ${display.bold(name.padEnd(9))} ${text}`);
  return ["", ...rows, ...(sandbox ? ["", curlLine(config, sandbox)] : []), ""].join("\n");
}

type Line = [name: string, text: string];

function sandboxLines(config: Config, sandbox: Sandbox): Line[] {
  const { ports, bind } = config;
  const isLocal = bind.startsWith("127.") || ["::1", "0.0.0.0", "::"].includes(bind);
  const host = isLocal ? "localhost" : bind;
  const { address, password } = sandbox.mailbox;
  return [
    ["Console", `${config.baseUrl}/console`],
    ["", `${sandbox.owner.email}, password ${sandbox.owner.password ?? "set by you"}`],
    ["Mailbox", `${address}, password ${password}`],
    ["", `IMAP ${host}:${ports.imaps} (TLS), SMTP ${host}:${ports.submissions} (TLS)`],
    ["", `${config.baseUrl}/account for settings and app passwords`],
    ["API key", sandbox.apiKey],
    ["Data", config.dataFolder],
  ];
}

async function serverLines(db: Db, config: Config): Promise<Line[]> {
  const console: Line = ["Console", `${config.baseUrl}/console`];
  const data: Line = ["Data", config.dataFolder];
  if (await isSetUp(db)) {
    removeSetupToken(config.dataFolder);
    return [console, data];
  }
  const token = ensureSetupToken(config.dataFolder);
  return [["Set up", `${config.baseUrl}/console/set-up#${token}`], console, data];
}

function curlLine({ baseUrl }: Config, { apiKey, domain, mailbox }: Sandbox): string {
  const email = {
    from: `Posthouse <hello@${domain}>`,
    to: mailbox.address,
    subject: "Hello",
    text: "It works.",
  };
  return [
    `  curl ${baseUrl}/emails \\`,
    `    -H 'Authorization: Bearer ${apiKey}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '${JSON.stringify(email)}'`,
  ].join("\n");
}
