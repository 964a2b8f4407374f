import { join } from "node:path";

import { Display } from "#server/cli/display.mjs";
import { selfCheck } from "#server/cli/self-check/self-check.ts";
import { ShownFailure } from "#server/cli/shown-failure.ts";
import { type Config, ROLES } from "#server/config.ts";
import { ensureSandbox, type Sandbox } from "#server/core/sandbox/ensure-sandbox.ts";
import { connect } from "#server/db/client.ts";

import { claimDataFolder } from "./claim-data-folder.ts";
import { partsOf } from "./parts.ts";
import { readyText } from "./ready-text.ts";
import { requireFreePorts } from "./require-free-ports.ts";
import { startDatabase } from "./start-database.ts";
import { startRoles } from "./start-roles.ts";
import { stopRequest } from "./stop-request.ts";

/**
 * Runs the appliance until it is asked to stop, then stops all of it. The data folder is given back
 * last.
 *
 * @throws Error when a step of the start fails; what had started is stopped before
 */
export async function start(config: Config): Promise<void> {
  const display = new Display();
  const stopping = stopRequest();
  await using running = new AsyncDisposableStack();
  const broughtUp = bringUp(config, display, running);
  await Promise.race([broughtUp, stopping]).catch((error: unknown) => {
    throw display.wasShown(error) ? new ShownFailure() : error;
  });
  const reason = await stopping;

  display.abandonSteps();
  broughtUp.catch(() => {
    // A start that was interrupted fails at the step that was under way: nobody waits for it.
  });
  const since = performance.now();
  display.line(`Stopping (${reason})`);
  await running.disposeAsync();
  display.line(`Stopped after ${((performance.now() - since) / 1000).toFixed(1)} s`);
}

async function bringUp(
  config: Config,
  display: Display,
  running: AsyncDisposableStack,
): Promise<void> {
  const since = performance.now();
  await display.step("Data folder", () => {
    running.defer(claimDataFolder(config.dataFolder));
    return Promise.resolve(config.dataFolder);
  });
  await display.step("Ports", async () => (await requireFreePorts(config)).join(", ") || "none");
  const parts = partsOf(join(config.dataFolder, "logs"), display);
  running.defer(() => parts.stop());

  const databaseUrl = await startDatabase(config, parts, display);
  const connection = connect(databaseUrl, { max: 2 });
  running.defer(() => connection.close());
  const sandbox = config.localMode ? await makeSandbox() : null;
  await startRoles(config, databaseUrl, parts, display);
  if (sandbox && config.roles.size === ROLES.length)
    await selfCheck(connection.db, config, sandbox, display);
  display.line(await readyText(connection.db, config, sandbox, display));
  const seconds = ((performance.now() - since) / 1000).toFixed(1);
  display.line(display.bold(`Posthouse is ready after ${seconds} s. Ctrl-C stops it.`));

  async function makeSandbox(): Promise<Sandbox> {
    let sandbox: Sandbox | undefined;
    await display.step("Sandbox company", async () => {
      sandbox = await ensureSandbox(connection.db, { canSignIn: true });
      return sandbox.domain;
    });
    return sandbox!;
  }
}
