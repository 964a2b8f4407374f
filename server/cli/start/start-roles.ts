import { existsSync } from "node:fs";
import { join } from "node:path";

import type { Display } from "#server/cli/display.mjs";
import type { Config, Role } from "#server/config.ts";
import { codeCacheFolder } from "#server/cli/bootstrap/code-cache.mjs";
import type { FileLock } from "#server/processes/run-lock.ts";
import { startNodeProcess } from "#server/processes/node-process.ts";
import { programFile } from "#server/processes/program-file.ts";
import { asServiceUser, type ServiceCommand } from "#server/processes/service-user.ts";

import type { Parts } from "./parts.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** The entry point of each role. */
const PROGRAMS: Record<Role, string> = {
  web: programFile("server/main.ts"),
  worker: programFile("worker/main.ts"),
  mail: programFile("mail/main.ts"),
};

/** Starts the processes of the roles that run here, all at once, and keeps them running. */
export async function startRoles(
  config: Config,
  databaseUrl: string,
  { parts, runLock }: { parts: Parts; runLock: FileLock },
  display: Display,
): Promise<void> {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: "production",
    DATABASE_URL: databaseUrl,
    POSTHOUSE_DATA: config.dataFolder,
    POSTHOUSE_TLS_CERT: config.tls?.certFile,
    POSTHOUSE_TLS_KEY: config.tls?.keyFile,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? codeCacheFolder(config.dataFolder),
  };
  const starts = [...config.roles].map((role) =>
    display.step(role, async () => {
      const onLine = parts.log(role);
      const part = parts.keep(role, (signal) =>
        startNodeProcess(
          {
            file: PROGRAMS[role],
            env,
            runLock,
            onLine,
            // The service user may have no access to the folder that root is in.
            cwd: ROOT,
            wrap: (command) => withoutRoot(command, role, config),
          },
          signal,
        ),
      );
      await part.started;
      return where(config, role);
    }),
  );
  await Promise.all(starts);
}

/** Makes the process run as the service user if this one runs as root. */
async function withoutRoot(
  command: ServiceCommand,
  role: Role,
  { dataFolder, ports, httpPort }: Config,
): Promise<ServiceCommand> {
  if (process.getuid!() !== 0) return command;
  const { web, ...mail } = ports;
  const webPorts = httpPort === null ? [web] : [web, httpPort];
  const wanted = { web: webPorts, worker: [], mail: Object.values(mail) }[role];
  const pages = join(ROOT, ".next/BUILD_ID");
  return asServiceUser(command, {
    paths: [
      command.command,
      PROGRAMS[role],
      join(dataFolder, "keys"),
      ...(role === "web" && existsSync(pages) ? [pages] : []),
    ],
    deathSignal: "TERM",
    lowPorts: wanted.some((port) => port < 1024),
  });
}

function where({ ports, bind }: Config, role: Role): string {
  const at = bind.includes(":") ? `[${bind}]` : bind;
  if (role === "web") return `${at}:${ports.web}`;
  if (role === "mail")
    return `SMTP on ${at}:${ports.smtp}, IMAP on ${ports.imaps} and ${ports.imap}`;
  return "sending and scheduled jobs";
}
