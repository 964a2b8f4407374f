import { join } from "node:path";

import type { Display } from "#server/cli/display.mjs";
import type { Config, Role } from "#server/config.ts";
import type { FileLock } from "#server/processes/file-lock.ts";
import { startNodeProcess } from "#server/processes/node-process.ts";

import type { Parts } from "./parts.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** The program of each role. */
const PROGRAMS: Record<Role, string> = {
  web: join(ROOT, "server/main.ts"),
  worker: join(ROOT, "worker/main.ts"),
  mail: join(ROOT, "mail/main.ts"),
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
  };
  const starts = [...config.roles].map((role) =>
    display.step(role, async () => {
      const onLine = parts.log(role);
      const part = parts.keep(role, (signal) =>
        startNodeProcess({ file: PROGRAMS[role], env, runLock, onLine }, signal),
      );
      await part.started.catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`${reason}. More in ${parts.logFile(role)}`, { cause: error });
      });
      return where(config, role);
    }),
  );
  await Promise.all(starts);
}

function where({ ports, bind }: Config, role: Role): string {
  const at = bind.includes(":") ? `[${bind}]` : bind;
  if (role === "web") return `${at}:${ports.web}`;
  if (role === "mail")
    return `SMTP on ${at}:${ports.smtp}, IMAP on ${ports.imaps} and ${ports.imap}`;
  return "sending and timed work";
}
