import type { Command } from "commander";

import { softwareVersion } from "#server/processes/software-version.ts";

import { print } from "./print.ts";

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
