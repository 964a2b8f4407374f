import type { Command } from "commander";

import { type SettingName, SETTINGS } from "#server/core/platform/settings/settings.ts";

import { print, table } from "./print.ts";

type Options = { json?: boolean };

export function addSettingsCommand(program: Command): void {
  const command = program
    .command("settings")
    .description("show and change the settings that take effect while the appliance runs");
  command
    .command("list", { isDefault: true })
    .description("list every setting with its value")
    .option("--json", "print JSON")
    .action(async ({ json }: Options) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { readSettings } = await import("#server/core/platform/settings/read-settings.ts");
      const inForce = await withDatabase((db) => readSettings(db));
      const rows = (Object.keys(SETTINGS) as SettingName[]).map((name) => {
        const { default: standard, meaning } = SETTINGS[name];
        const isChanged = inForce[name] !== standard;
        const remark = isChanged ? `${meaning} (default ${standard})` : meaning;
        return [name, String(inForce[name]), remark];
      });
      print(json, inForce, table(rows));
    });
  command
    .command("set <name> <value>")
    .description("change a setting; it takes effect within two seconds")
    .option("--json", "print JSON")
    .action(async (name: string, value: string, { json }: Options) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const { createContext } = await import("#server/core/shared/context.ts");
      const { changeSettingAudited } =
        await import("#server/core/platform/settings/change-setting.ts");
      const { ensurePlatformCompany } =
        await import("#server/core/domains/own-domain/own-domain.ts");
      const changed = await withDatabase(async (db) => {
        const companyId = await ensurePlatformCompany(db);
        const actor = { kind: "system", task: "posthouse settings set" } as const;
        const ctx = createContext(db, companyId, actor);
        return changeSettingAudited(ctx, name, value);
      });
      print(json, changed, `${changed.name} is ${changed.value}`);
    });
}
