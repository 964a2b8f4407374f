import { Command } from "commander";

import { addAdminCommand } from "./commands/admin.ts";
import { addAlarmsCommand } from "./commands/alarms.ts";
import { addAuditCommand } from "./commands/audit.ts";
import { addBackupCommand } from "./commands/backup.ts";
import { addCompanyCommand } from "./commands/company.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addEraseCommand } from "./commands/erase.ts";
import { addExportCommand } from "./commands/export.ts";
import { addImportCommand } from "./commands/import.ts";
import { addInstallCommands } from "./commands/install.ts";
import { addKeyCommand } from "./commands/key.ts";
import { addLedgerCommand } from "./commands/ledger.ts";
import { addLogsCommand } from "./commands/logs.ts";
import { addMailboxCommand } from "./commands/mailbox.ts";
import { addMigrateCommand } from "./commands/migrate.ts";
import { addMoveDatabaseCommand } from "./commands/move-database.ts";
import { addOperatorCommand } from "./commands/operator.ts";
import { addReceiptCommand } from "./commands/receipt.ts";
import { addRestoreCommand } from "./commands/restore.ts";
import { addSettingsCommand } from "./commands/settings.ts";
import { addStartCommand } from "./commands/start.ts";
import { addTestServerCommand } from "./commands/test-server.ts";
import { addUpgradeCommand } from "./commands/upgrade.ts";
import { addVersionCommand } from "./commands/version.ts";
import { terminalText } from "./display.mjs";
import { explainFailure } from "./explain-failure.ts";

// Commands import their modules when they run: loading everything takes half a second.
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

// Without an error listener, Node exits when its output can't be written (closed pipe, full disk). The
// appliance must survive that.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

try {
  await program.parseAsync();
} catch (error) {
  const message = explainFailure(error);
  if (message !== null) console.error(`posthouse: ${terminalText(message)}`);
  process.exitCode = 1;
}
// Handles left open by a failed start must not keep a finished command alive.
process.exit();
