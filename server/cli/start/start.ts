import { Display } from "#server/cli/display.mjs";
import { ShownFailure } from "#server/cli/shown-failure.ts";
import type { Config } from "#server/config.ts";

import { claimDataFolder } from "./claim-data-folder.ts";
import { requireFreePorts } from "./require-free-ports.ts";
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

/** Light checks first, then everything that takes longer to load. */
async function bringUp(
  config: Config,
  display: Display,
  running: AsyncDisposableStack,
): Promise<void> {
  const since = performance.now();
  await display.step("Data folder", async () => {
    running.defer(await claimDataFolder(config.dataFolder));
    return config.dataFolder;
  });
  await display.step("Ports", async () => (await requireFreePorts(config)).join(", ") || "none");
  const { runAppliance } = await import("./run-appliance.ts");
  await runAppliance(config, display, running);
  const seconds = ((performance.now() - since) / 1000).toFixed(1);
  display.line(display.bold(`Posthouse is ready after ${seconds} s. Ctrl-C stops it.`));
}
