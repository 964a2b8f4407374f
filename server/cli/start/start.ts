import { Display } from "#server/cli/display.mjs";
import { ShownFailure } from "#server/cli/failures.ts";
import type { Config } from "#server/config.ts";
import { enableCodeCache } from "#server/cli/bootstrap/code-cache.mjs";

import { claimDataFolder, type DataFolderClaim } from "./claim-data-folder.ts";
import { requireFreePorts } from "./require-free-ports.ts";
import { stopRequest } from "./stop-request.ts";
import { createRollback } from "./rollback.ts";

/** What to stop again. The data folder is missing until it is claimed. */
type Started = {
  running: AsyncDisposableStack;
  claim?: DataFolderClaim;
  isStopping: boolean;
};

/**
 * Runs the appliance until it is asked to stop, then stops all of it and releases the data folder last.
 *
 * @throws Error if a step of the start fails, after stopping what had started
 */
export async function start(config: Config): Promise<void> {
  const display = new Display();
  const stopping = stopRequest();
  await using running = new AsyncDisposableStack();
  const run: Started = { running, isStopping: false };
  const broughtUp = bringUp(config, display, run);
  await Promise.race([broughtUp, stopping]).catch((error: unknown) => {
    throw display.wasShown(error) ? new ShownFailure() : error;
  });
  const reason = await stopping;
  run.isStopping = true;

  display.abandonSteps();
  broughtUp.catch(() => {
    // An interrupted start fails at its current step; that error no longer matters.
  });
  const since = performance.now();
  display.line(`Stopping (${reason})`);
  run.claim?.recordStopping();
  await running.disposeAsync();
  display.line(`Stopped after ${((performance.now() - since) / 1000).toFixed(1)} s`);
}

/** Runs the quick checks first, then loads the rest. */
async function bringUp(config: Config, display: Display, run: Started): Promise<void> {
  const since = performance.now();
  await display.step("Data folder", async () => {
    run.claim = await claimDataFolder(config.dataFolder);
    run.running.defer(run.claim.release);
    return config.dataFolder;
  });
  await display.step("Ports", async () => (await requireFreePorts(config)).join(", ") || "none");
  enableCodeCache(config.dataFolder);
  const { runAppliance } = await import("./run-appliance.ts");
  const rollback = createRollback(config.dataFolder, display);
  run.running.defer(() => rollback.afterStop());
  const { running } = run;
  const { runLock } = run.claim!;
  try {
    await runAppliance(config, display, { running, runLock, rollback });
  } catch (error) {
    // A start that is interrupted fails too, but not because of this version.
    if (!run.isStopping) rollback.fail(error instanceof Error ? error.message : String(error));
    throw error;
  }
  const seconds = ((performance.now() - since) / 1000).toFixed(1);
  display.line(display.bold(`Posthouse is ready after ${seconds} s. Ctrl-C stops it.`));
}
