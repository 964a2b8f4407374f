import type { Command } from "commander";

import { config } from "#server/config.ts";

export function addStartCommand(program: Command): void {
  program
    .command("start")
    .description("run the appliance, or the roles in POSTHOUSE_ROLES, until stopped")
    .action(async () => {
      const { start } = await import("#server/cli/start/start.ts");
      await start(config());
    });
}
