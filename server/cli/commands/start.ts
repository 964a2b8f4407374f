import type { Command } from "commander";

import { config } from "#server/config.ts";

export function addStartCommand(program: Command): void {
  program
    .command("start")
    .description("run the appliance: the parts that POSTHOUSE_ROLES names, until it is stopped")
    .action(async () => {
      const { start } = await import("#server/cli/start/start.ts");
      await start(config());
    });
}
