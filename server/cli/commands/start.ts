import { type Command, Option } from "commander";

import { config } from "#server/config.ts";

export function addStartCommand(program: Command): void {
  program
    .command("start")
    .description("run the appliance, or the roles in POSTHOUSE_ROLES, until stopped")
    .addOption(new Option("--short", "print short lines, as in a terminal, and no JSON").hideHelp())
    .action(async ({ short = false }: { short?: boolean }) => {
      const { start } = await import("#server/cli/start/start.ts");
      await start(config(), { isShort: short });
    });
}
