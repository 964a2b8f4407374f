import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { asServiceUser } from "#server/processes/service-user.ts";

import type { Repository } from "./repository.ts";

type Server = NonNullable<Repository["sftp"]>;

const knownHostsIn = (keysFolder: string) => join(keysFolder, "backup_known_hosts");

/** A server's name in a file of known hosts. */
export const knownHostName = ({ host, port }: Pick<Server, "host" | "port">) =>
  port === "22" ? host : `[${host}]:${port}`;

/** The service user has no home folder, so the keys are in the data folder. */
export function sshCommand({ host, port, user }: Server, keys: string): string {
  const options = [
    "-i",
    `'${join(keys, "backup_ssh_key")}'`,
    "-o",
    "BatchMode=yes",
    "-o",
    `'UserKnownHostsFile=${knownHostsIn(keys)}'`,
    "-o",
    "StrictHostKeyChecking=accept-new",
    "-p",
    port,
  ];
  return ["ssh", ...options, user ? `${user}@${host}` : host, "-s", "sftp"].join(" ");
}

/** Does work that connects to a server, and shows its host key if that was pinned meanwhile. */
export async function showPinnedKey<T>(
  server: Server,
  keysFolder: string,
  work: () => Promise<T>,
): Promise<T> {
  const known = await pinnedKey(server, keysFolder);
  const done = await work();
  const found = known === null ? await pinnedKey(server, keysFolder) : null;
  if (found !== null)
    process.stderr.write(
      `Pinned the host key of ${server.host} in ${knownHostsIn(keysFolder)}: ${found}. ` +
        "Compare it with the output of `ssh-keygen -lf` for the public key in /etc/ssh of that host\n",
    );
  return done;
}

/** The fingerprint of a server's pinned key; null if there is none yet. */
async function pinnedKey(server: Server, keysFolder: string): Promise<string | null> {
  const args = ["-l", "-F", knownHostName(server), "-f", knownHostsIn(keysFolder)];
  const { command, args: own } = await asServiceUser(
    { command: "ssh-keygen", args },
    { paths: [keysFolder], deathSignal: "TERM" },
  );
  const { stdout } = await promisify(execFile)(command, own, { cwd: "/" }).catch(() => ({
    stdout: "",
  }));
  return /SHA256:\S+/.exec(stdout)?.[0] ?? null;
}
