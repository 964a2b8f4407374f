import type { Command } from "commander";

import { print } from "./print.ts";

type Options = { email: string; withoutSecondFactor?: boolean; json?: boolean };

export function addAdminCommand(program: Command): void {
  const admin = program.command("admin").description("manage admins, who sign in at /console");
  addResetPassword(admin);
}

function addResetPassword(adminCommand: Command): void {
  adminCommand
    .command("reset-password")
    .description("print a one-time password reset link, valid for an hour")
    .requiredOption("--email <address>", "the address the admin signs in with")
    .option(
      "--without-second-factor",
      "also remove the admin's authenticator app, passkeys and recovery codes, and end their sessions",
    )
    .option("--json", "print JSON")
    .action(async ({ email: typed, withoutSecondFactor = false, json }: Options) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { requireInstanceKey } =
        await import("#server/core/shared/secrets/require-instance-key.ts");
      const { createResetLinkAtServer: makeResetLinkAtServer } =
        await import("#server/core/access/people/person-passwords.ts");
      const { email, link } = await withDatabase(async (db) => {
        await requireInstanceKey(db);
        return makeResetLinkAtServer(db, typed, { withoutSecondFactor });
      });
      const factors = withoutSecondFactor ? " Second factors were removed." : "";
      print(
        json,
        { email, link },
        `One-time password reset link for ${email}, valid for an hour.${factors}\n${link}`,
      );
    });
}
