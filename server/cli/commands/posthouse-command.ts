import { Command } from "commander";

import {
  addAdminCommand,
  addCompanyCommand,
  addEraseCommand,
  addKeyCommand,
  addMailboxCommand,
  addOperatorCommand,
} from "./accounts.ts";
import {
  addAlarmsCommand,
  addDoctorCommand,
  addLogsCommand,
  addMigrateCommand,
  addMoveDatabaseCommand,
  addSettingsCommand,
  addStartCommand,
  addTestServerCommand,
  addVersionCommand,
} from "./appliance.ts";
import { addBackupCommand, addRestoreCommand } from "./backup.ts";
import { addExportCommand, addImportCommand } from "./import.ts";
import { addInstallCommands, addUpgradeCommand } from "./install.ts";
import { addAuditCommand, addLedgerCommand, addReceiptCommand } from "./proofs.ts";

/**
 * The `posthouse` command with all its subcommands. They import their modules when they run: loading everything takes
 * half a second.
 */
export function posthouseCommand(): Command {
  const program = new Command("posthouse")
    .description(
      "Self-hosted mail appliance: transactional email API, company mailboxes and a web console",
    )
    .showHelpAfterError("(run posthouse --help for usage)");

  addInstallCommands(program);
  addStartCommand(program);
  addDoctorCommand(program);
  addLedgerCommand(program);
  addAuditCommand(program);
  addLogsCommand(program);
  addAlarmsCommand(program);
  addBackupCommand(program);
  addRestoreCommand(program);
  addUpgradeCommand(program);
  addMigrateCommand(program);
  addMoveDatabaseCommand(program);
  addSettingsCommand(program);
  addEraseCommand(program);
  addMailboxCommand(program);
  addImportCommand(program);
  addExportCommand(program);
  addCompanyCommand(program);
  addAdminCommand(program);
  addKeyCommand(program);
  addReceiptCommand(program);
  addTestServerCommand(program);
  addOperatorCommand(program);
  addVersionCommand(program);
  return program;
}
