import { type Command, InvalidArgumentError } from "commander";

import { CommandError } from "#server/cli/failures.ts";
import { config } from "#server/config.ts";
import {
  describeSetting,
  type SettingName,
  SETTINGS,
} from "#server/core/platform/settings/settings.ts";
import { pluralize } from "#server/core/shared/text.ts";
import { softwareVersion } from "#server/processes/software-version.ts";

import { print, table } from "./print.ts";

export function addStartCommand(program: Command): void {
  program
    .command("start")
    .description("run the appliance, or the roles in POSTHOUSE_ROLES, until stopped")
    .action(async () => {
      const { start } = await import("#server/cli/start/start.ts");
      await start(config());
    });
}

export function addVersionCommand(program: Command): void {
  program
    .version(softwareVersion(), "-V, --version", "print the version")
    .command("version")
    .description("print the version")
    .option("--json", "print JSON, with the version of Node.js")
    .action(({ json }: { json?: boolean }) => {
      const version = softwareVersion();
      print(json, { version, node: process.versions.node }, version);
    });
}

export function addMigrateCommand(program: Command): void {
  program
    .command("migrate")
    .description("migrate the database to this version's schema (start does this too)")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { migrate } = await import("#server/db/migrate.ts");
      await withDatabase((_db, url) => migrate(url), { mayCreate: true });
      print(json, { migrated: true }, "The database schema is up to date.");
    });
}

export function addMoveDatabaseCommand(program: Command): void {
  program
    .command("move-database")
    .description("copy the embedded database into your own Postgres, while Posthouse is stopped")
    .requiredOption("--to <url>", "connection string of an empty database")
    .option("--json", "print JSON")
    .action(async ({ to, json }: { to: string; json?: boolean }) => {
      const { moveDatabase } = await import("#server/cli/move-database.ts");
      const moved = await moveDatabase(to);
      const rows = `${pluralize(moved.rows, "row")} in ${pluralize(moved.tables, "table")}`;
      print(
        json,
        moved,
        `Copied ${rows}. The row counts match, and ${pluralize(moved.recipients, "recipient is", "recipients are")} accounted for. ` +
          "Set DATABASE_URL to that database, then start Posthouse.",
      );
    });
}

export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("check every part of the running appliance and send an email through it")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { examine } = await import("#server/cli/doctor.ts");
      await examine({ json: json ?? false });
    });
}

export function addSettingsCommand(program: Command): void {
  const command = program
    .command("settings")
    .description("show and change the settings that take effect while the appliance runs");
  command
    .command("list", { isDefault: true })
    .description("list every setting with its value")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { readSettings } = await import("#server/core/platform/settings/read-settings.ts");
      const inForce = await withDatabase((db) => readSettings(db));
      const rows = (Object.keys(SETTINGS) as SettingName[]).map((name) => {
        const { default: standard } = SETTINGS[name];
        const isChanged = inForce[name] !== standard;
        const remark = isChanged ? ` (default ${standard})` : "";
        return [name, String(inForce[name]), `${describeSetting(name)}${remark}`];
      });
      print(json, inForce, table(rows));
    });
  command
    .command("set <name> <value>")
    .description("change a setting; it takes effect within two seconds")
    .option("--json", "print JSON")
    .action(async (name: string, value: string, { json }: { json?: boolean }) => {
      const { withPlatform } = await import("#server/cli/with-database.ts");
      const { changeSettings } = await import("#server/core/platform/settings/change-setting.ts");
      const { readSettings } = await import("#server/core/platform/settings/read-settings.ts");
      const inForce = await withPlatform("settings set", async (ctx) => {
        await changeSettings(ctx, { [name]: value });
        return readSettings(ctx.db);
      });
      const changed = { name, value: inForce[name as SettingName] };
      print(json, changed, `${changed.name} is ${changed.value}`);
    });
}

type LogsOptions = {
  follow?: boolean;
  email?: string;
  process?: string[];
  lines: number;
  json?: boolean;
};

export function addLogsCommand(program: Command): void {
  program
    .command("logs")
    .description("show the logs of the appliance, or everything about one email")
    .option("-f, --follow", "keep showing new lines until Ctrl-C")
    .option("--email <id>", "only this email: its events, and the log lines that contain its ID")
    .option("--process <name...>", "only these processes: web, worker, mail, postgres")
    .option("-n, --lines <number>", "number of recent lines to show first", readLines, 200)
    .option("--json", "print JSON (the default if the output isn't a terminal)")
    .action(async ({ follow, email, process: processes, lines, json }: LogsOptions) => {
      const { findLogSource, showLogs } = await import("#server/cli/show-logs.ts");
      const stopping = new AbortController();
      process.once("SIGINT", () => stopping.abort());
      // The reader of a pipe, such as `head`, is gone.
      process.stdout.once("error", () => stopping.abort());
      await showLogs(
        {
          follow: follow ?? false,
          email: email ?? null,
          processes: processes ?? null,
          lines,
          json: json ?? !process.stdout.isTTY,
        },
        {
          print: (line) => console.log(line),
          signal: stopping.signal,
          source: findLogSource(config().dataFolder),
        },
      );
    });
}

function readLines(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError("Must be a whole number.");
  return Number(text);
}

export function addAlarmsCommand(program: Command): void {
  const command = program
    .command("alarms")
    .description("list the raised alarms, or send a test alarm");
  command
    .command("list", { isDefault: true })
    .description("list the raised alarms")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { listRaisedAlarms } = await import("#server/core/operations/alarms/alarms.ts");
      const alarms = await withDatabase((db) => listRaisedAlarms(db));
      const lines = alarms.map(
        ({ severity, found, advice, raisedAt }) =>
          `${severity} since ${raisedAt.slice(0, 16)}: ${found}. ${advice}`,
      );
      print(json, alarms, lines.join("\n") || "No alarms");
    });
  command
    .command("test")
    .description("send a test alarm through every configured channel")
    .action(async () => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { queueAlarmMessage } =
        await import("#server/core/operations/alarms/alarm-messages.ts");
      const channels = await withDatabase((db) => queueAlarmMessage(db, { kind: "test" }));
      if (channels.length === 0)
        throw new CommandError(
          "No alarm channel is configured. See alarm_email, alarm_webhook_url, alarm_ntfy_url and alarm_slack_url in `posthouse settings list`",
        );
      console.log(
        `Test alarm queued for ${channels.join(", ")}. The running appliance sends it within half a minute. If it doesn't arrive, see \`posthouse logs\``,
      );
    });
}

type TestServerOptions = { domain?: string[]; port?: number };

export function addTestServerCommand(program: Command): void {
  program
    .command("test-server")
    .description(
      "run a temporary instance for automated tests until stopped, and print its URL and a test key as JSON",
    )
    .option(
      "--domain <name>",
      "a domain to send from; repeat it for more",
      (name: string, names?: string[]) => [...(names ?? []), name],
    )
    .option("--port <port>", "port of the API and the console (default: a free one)", readPort)
    .action(async ({ domain: domains = [], port }: TestServerOptions) => {
      const { runTestServer } = await import("#server/cli/test-server/run-test-server.ts");
      await runTestServer({ domains, port });
    });
}

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new InvalidArgumentError("must be a port number from 1 to 65535");
  return port;
}
