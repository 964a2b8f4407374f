import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

/** A file of each required Debian package. */
const PACKAGE_FILES = {
  "dovecot-core": "/usr/lib/dovecot/auth",
  "dovecot-imapd": "/usr/lib/dovecot/imap",
  "dovecot-pop3d": "/usr/lib/dovecot/pop3",
  "dovecot-lmtpd": "/usr/lib/dovecot/lmtp",
  "dovecot-pgsql": "/usr/lib/dovecot/modules/libdriver_pgsql.so",
  "dovecot-sieve": "/usr/lib/dovecot/modules/lib90_sieve_plugin.so",
  "dovecot-managesieved": "/usr/lib/dovecot/managesieve",
};

const installCommand = (packages: string[]) =>
  `apt-get install -y --no-install-recommends ${packages.join(" ")}`;

/**
 * Finds the Dovecot of this machine.
 *
 * @param path folders to search, as in PATH; /usr/sbin is always searched
 * @throws Error with the install command if it is missing, incomplete or not 2.3; the configuration of 2.4 is
 *   incompatible
 */
export async function findDovecot(path = process.env.PATH ?? ""): Promise<string> {
  const binary = await findBinary([...path.split(delimiter), "/usr/sbin"]);
  const all = Object.keys(PACKAGE_FILES);
  if (!binary) throw new Error(`Dovecot is not installed. Run: ${installCommand(all)}`);
  const { stdout } = await promisify(execFile)(binary, ["--version"]);
  const version = stdout.trim();
  if (!version.startsWith("2.3."))
    throw new Error(
      `Dovecot ${version} is installed, but 2.3 is needed (Debian 12 has it). Run there: ${installCommand(all)}`,
    );
  const missing = await missingPackages();
  if (missing.length > 0)
    throw new Error(`Parts of Dovecot are missing. Run: ${installCommand(missing)}`);
  return binary;
}

async function findBinary(folders: string[]): Promise<string | null> {
  for (const folder of folders.filter((folder) => folder !== ""))
    if (await exists(join(folder, "dovecot"))) return join(folder, "dovecot");
  return null;
}

async function missingPackages(): Promise<string[]> {
  const missing: string[] = [];
  for (const [name, file] of Object.entries(PACKAGE_FILES))
    if (!(await exists(file))) missing.push(name);
  return missing;
}

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );
