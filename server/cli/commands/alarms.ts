import type { Command } from "commander";

import { CommandError } from "#server/cli/command-error.ts";

import { print } from "./print.ts";

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
        `Test alarm queued for ${channels.join(", ")}. The running appliance sends it within 20 seconds. If it doesn't arrive, see \`posthouse logs\``,
      );
    });
}
