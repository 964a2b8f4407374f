import type { Command } from "commander";

export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("check every part of the running appliance and send an email through it")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { examine } = await import("#server/cli/doctor/examine.ts");
      await examine({ json: json ?? false });
    });
}
