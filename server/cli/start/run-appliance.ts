import { join } from "node:path";

import type { Display } from "#server/cli/display.mjs";
import { selfCheck } from "#server/cli/self-check/self-check.ts";
import { type Config, ROLES } from "#server/config.ts";
import { requireInstanceKey } from "#server/core/shared/secrets/require-instance-key.ts";
import { ensureSandbox, type Sandbox } from "#server/core/operations/sandbox/ensure-sandbox.ts";
import { checkDisk } from "#server/core/operations/system-checks/check-machine.ts";
import { connect, type Db } from "#server/db/client.ts";
import type { FileLock } from "#server/processes/file-lock.ts";

import { copyCertificate } from "./copy-certificate.ts";
import { handOverData } from "./hand-over-data.ts";
import { partsOf } from "./parts.ts";
import { readyText } from "./ready-text.ts";
import { startDatabase } from "./start-database.ts";
import { startRoles } from "./start-roles.ts";

/**
 * Starts the database, the sandbox and the processes of the roles, runs the self-check in local mode, and
 * prints how to continue.
 *
 * @param running receives what has to be stopped again
 * @param runLock inherited by every process
 */
export async function runAppliance(
  config: Config,
  display: Display,
  { running, runLock }: { running: AsyncDisposableStack; runLock: FileLock },
): Promise<void> {
  const disk = await checkDisk(config);
  if (disk.state !== "ok") display.warning(`Disk: ${disk.found}. ${disk.advice ?? ""}`);
  const parts = partsOf(join(config.dataFolder, "logs"), display);
  running.defer(() => parts.stop());
  const databaseUrl = await startDatabase(config, parts, display);
  const connection = connect(databaseUrl, { max: 2 });
  running.defer(() => connection.close());
  await handOverData(config.dataFolder);
  await display.step("Instance key", () => requireInstanceKey(connection.db));

  const sandbox = config.localMode ? await makeSandbox(connection.db, display) : null;
  const { tls, stop } = await copyCertificate(config, {
    onProblem: (problem) =>
      display.failure(
        `The new certificate is invalid; keeping the current one: ${String(problem)}`,
      ),
  });
  running.defer(stop);
  await startRoles({ ...config, tls }, databaseUrl, { parts, runLock }, display);
  // Below the reserve no email is accepted, so the self-check would fail. The warning above says so.
  if (sandbox && config.roles.size === ROLES.length && disk.state !== "failed")
    await selfCheck(connection.db, config, sandbox, display);
  display.line(await readyText(connection.db, config, sandbox, display));
}

async function makeSandbox(db: Db, display: Display): Promise<Sandbox> {
  let sandbox: Sandbox | undefined;
  await display.step("Sandbox company", async () => {
    sandbox = await ensureSandbox(db, { canSignIn: true });
    return sandbox.domain;
  });
  return sandbox!;
}
