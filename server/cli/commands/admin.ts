import type { Command } from "commander";

import { print } from "./print.ts";

type Options = { email: string; withoutSecondFactor?: boolean; json?: boolean };

export function addAdminCommand(program: Command): void {
  const admin = program.command("admin").description("people who sign in at /console");
  addResetPassword(admin);
}

function addResetPassword(adminCommand: Command): void {
  adminCommand
    .command("reset-password")
    .description("print a link that leads a person to a new password once, within an hour")
    .requiredOption("--email <address>", "the address the person signs in with")
    .option(
      "--without-second-factor",
      "also remove the person's authenticator app, passkeys and recovery codes, and end their sessions",
    )
    .option("--json", "answer as JSON")
    .action(async ({ email: typed, withoutSecondFactor = false, json }: Options) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { requireInstanceKey } =
        await import("#server/core/shared/secrets/require-instance-key.ts");
      const { createResetLinkAtServer: makeResetLinkAtServer } =
        await import("#server/core/access/people/reset-at-server.ts");
      const { email, link } = await withDatabase(async (db) => {
        await requireInstanceKey(db);
        return makeResetLinkAtServer(db, typed, { withoutSecondFactor });
      });
      const factors = withoutSecondFactor ? " Second factors were removed." : "";
      print(
        json,
        { email, link },
        `New password for ${email}, once, within an hour:${factors}\n${link}`,
      );
    });
}
