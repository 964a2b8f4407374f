import { once } from "node:events";
import { createServer } from "node:net";

import { CommandError } from "#server/cli/failures.ts";
import type { Config } from "#server/config.ts";
import { findPortHolder } from "#server/processes/ports.ts";

/** The setting behind each port, and the role that listens on it. */
const PORTS: Record<
  keyof Config["ports"] | "http" | "link",
  { variable: string; role: "web" | "mail" }
> = {
  web: { variable: "PORT", role: "web" },
  http: { variable: "HTTP_PORT", role: "web" },
  smtp: { variable: "SMTP_PORT", role: "mail" },
  submission: { variable: "SUBMISSION_PORT", role: "mail" },
  submissions: { variable: "SUBMISSIONS_PORT", role: "mail" },
  imap: { variable: "IMAP_PORT", role: "mail" },
  imaps: { variable: "IMAPS_PORT", role: "mail" },
  pop3: { variable: "POP3_PORT", role: "mail" },
  pop3s: { variable: "POP3S_PORT", role: "mail" },
  sieve: { variable: "SIEVE_PORT", role: "mail" },
  link: { variable: "LINK_PORT", role: "mail" },
};

/**
 * Makes sure that every port of the roles that run here is free. Reports conflicting settings first, since they
 * are wrong whatever else runs on the machine.
 *
 * @returns the ports
 * @throws CommandError with the first port that isn't free, its setting, and the process that uses it
 */
export async function requireFreePorts({
  ports,
  httpPort,
  linkPort,
  mailHost,
  roles,
  bind,
}: Config): Promise<number[]> {
  const all: Record<keyof typeof PORTS, number | null> = {
    ...ports,
    http: httpPort,
    link: mailHost === null ? null : linkPort,
  };
  const seen = new Map<number, string>();
  for (const name of Object.keys(PORTS) as (keyof typeof PORTS)[]) {
    const { variable, role } = PORTS[name];
    const port = all[name];
    if (port === null || !roles.has(role)) continue;
    const twin = seen.get(port);
    if (twin) throw new CommandError(`${variable} and ${twin} are both ${port}`);
    seen.set(port, variable);
  }
  for (const [port, variable] of seen) await requireFree(variable, port, bind);
  return [...seen.keys()];
}

async function requireFree(variable: string, port: number, bind: string): Promise<void> {
  const server = createServer().listen(port, bind);
  try {
    await once(server, "listening");
  } catch (error) {
    throw new CommandError(await explain(error, variable, port, bind), { cause: error });
  }
  server.close();
  await once(server, "close");
}

async function explain(error: unknown, variable: string, port: number, bind: string) {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") {
    const holder = await findPortHolder(port);
    return `port ${port} is in use${holder ? ` by ${holder}` : ""}. Stop that process, or set ${variable} to another port`;
  }
  if (code === "EACCES")
    return `port ${port} needs more privileges than this user has: start as root, or set ${variable} to a port above 1023`;
  if (code === "EADDRNOTAVAIL") return `POSTHOUSE_BIND: this machine has no address ${bind}`;
  return `port ${port} (${variable}) cannot be used: ${String(error)}`;
}
