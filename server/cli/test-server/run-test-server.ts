import { fstatSync } from "node:fs";
import { dirname, join } from "node:path";

import { Display } from "#server/cli/display.mjs";
import { CommandError } from "#server/cli/failures.ts";
import { handOverData } from "#server/cli/start/as-root.ts";
import { claimDataFolder } from "#server/cli/start/claim-data-folder.ts";
import { type Parts, partsOf } from "#server/cli/start/parts.ts";
import { startRoles } from "#server/cli/start/start-roles.ts";
import { stopRequest } from "#server/cli/start/stop-request.ts";
import { config } from "#server/config.ts";
import { prepareTestCompany } from "#server/core/operations/sandbox/sandbox.ts";
import { requireInstanceKey } from "#server/core/shared/secrets/require-instance-key.ts";
import { connect } from "#server/db/client.ts";
import { migrate } from "#server/db/migrate.ts";
import { clusterFolder } from "#server/postgres/cluster.ts";
import { embeddedPostgresRun } from "#server/postgres/run-embedded.ts";
import { createFolder } from "#server/processes/open-no-follow.ts";
import { freePort } from "#server/processes/ports.ts";
import { serviceUser } from "#server/processes/service-user.ts";

import {
  createTestFolder,
  deleteAbandonedFolders,
  deleteTestFolder,
  EPHEMERAL,
} from "./test-folder.ts";

type Options = { domains: string[]; port: number | undefined };

/**
 * Runs a temporary instance in test mode until it is asked to stop, then deletes everything it wrote. Prints one line
 * of JSON on standard output once it is ready.
 *
 * @throws Error if the start fails, after the same cleanup
 */
export async function runTestServer({ domains, port }: Options): Promise<void> {
  const stopping = Promise.race([stopRequest(), closedInput()]);
  await using running = new AsyncDisposableStack();
  await deleteAbandonedFolders();
  const folder = await createTestFolder();
  running.defer(() => deleteTestFolder(folder));
  await setTestEnvironment(folder, port);
  const ready = bringUp(running, folder, domains).then(
    (found) => console.log(JSON.stringify(found)),
    (error: unknown) => {
      // One line without a stack, for the test that started this server.
      throw new CommandError(error instanceof Error ? error.message : String(error), {
        cause: error,
      });
    },
  );
  await Promise.race([ready, stopping]);
  await stopping;
}

async function bringUp(running: AsyncDisposableStack, folder: string, domains: string[]) {
  const { runLock, release } = await claimDataFolder(folder);
  running.defer(release);
  const display = new QuietDisplay();
  const parts = partsOf(display, { isShort: true });
  running.defer(() => parts.stop());
  const databaseUrl = await startPostgres(folder, parts);
  // Only then can the settings be read: without the mail role, they need a database.
  process.env.DATABASE_URL = databaseUrl;
  await migrate(databaseUrl);
  await handOverData(folder);
  const company = await prepare(databaseUrl, domains);
  await startRoles(config(), databaseUrl, { parts, runLock }, display);
  const { apiKey, owner } = company;
  const { baseUrl: url, hostname } = config();
  return {
    url,
    api_key: apiKey,
    domains: company.domains,
    test_domain: `test.${hostname}`,
    console: { url: `${url}/console`, ...owner },
    pid: process.pid,
  };
}

async function startPostgres(folder: string, parts: Parts): Promise<string> {
  let url = "";
  const postgres = parts.keep(
    "postgres",
    embeddedPostgresRun({
      folder: clusterFolder(folder),
      settings: EPHEMERAL,
      onLine: parts.log("postgres"),
      onUrl: (running) => (url = running),
    }),
  );
  await postgres.started;
  return url;
}

async function prepare(databaseUrl: string, domains: string[]) {
  const connection = connect(databaseUrl, { max: 2 });
  try {
    await requireInstanceKey(connection.db);
    return await prepareTestCompany(connection.db, domains);
  } finally {
    await connection.close();
  }
}

/**
 * Resolves when standard input closes, if it is a pipe: then the process that started this one has ended. Never for a terminal or
 * `/dev/null`, which shells give to background commands.
 */
function closedInput(): Promise<string> {
  return new Promise((resolve) => {
    const input = fstatSync(0);
    if (!input.isFIFO() && !input.isSocket()) return;
    process.stdin.once("end", () => resolve("standard input closed"));
    process.stdin.once("error", () => resolve("standard input closed"));
    process.stdin.resume();
  });
}

/** Shows problems only, on standard error: standard output is for programs. */
class QuietDisplay extends Display {
  constructor() {
    super(process.stderr);
  }

  override async step(_title: string, work: () => Promise<unknown>): Promise<void> {
    await work();
  }
}

const ROOT = join(import.meta.dirname, "../../..");

/** The user's settings that a test server keeps. Any other could make it use data outside its folder. */
const KEPT = new Set(["POSTHOUSE_BIND", "POSTHOUSE_PRIVATE_WEBHOOKS"]);

/** Replaces the settings in this process's environment with those of a test server. Call it before `config()`. */
async function setTestEnvironment(folder: string, port: number | undefined): Promise<void> {
  // Empty counts as unset.
  for (const name of Object.keys(process.env))
    if (/^(POSTHOUSE_|DATABASE_URL$|([A-Z0-9]+_)?PORT$)/.test(name) && !KEPT.has(name))
      process.env[name] = "";
  process.env.POSTHOUSE_DATA = folder;
  process.env.POSTHOUSE_ROLES = "web,worker";
  process.env.PORT = String(port ?? (await freePort()));
  const cache = await codeCache();
  if (cache) process.env.NODE_COMPILE_CACHE = cache;
}

/** Compiled code is kept between test servers: it makes starts twice as fast. Null if it can't be stored. */
async function codeCache(): Promise<string | null> {
  const isRoot = process.getuid!() === 0;
  const folder = isRoot
    ? "/var/cache/posthouse/test-server"
    : join(ROOT, "node_modules/.cache/posthouse");
  try {
    createFolder(dirname(folder), { mode: 0o755 });
    createFolder(folder, { owner: await serviceUser(), mode: 0o755 });
    return folder;
  } catch {
    return null;
  }
}
