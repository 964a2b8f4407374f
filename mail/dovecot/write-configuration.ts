// cspell:ignore svbin
import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import type { Certificate } from "#server/core/platform/tls/certificate.ts";
import { giveTo } from "#server/processes/open-no-follow.ts";
import type { ServiceUser } from "#server/processes/service-user.ts";

import { conf23 } from "./conf-23.ts";
import { conf24 } from "./conf-24.ts";
import { dovecotFolders } from "./folders.ts";
import {
  HOSTS_CERTIFICATES,
  HOSTS_CONF,
  hostsConf,
  MAIL_HOST_NAME,
  nameFiles,
  NAMES_CONF,
  namesConf,
  usableNames,
} from "./hosts-conf.ts";
import { JUNK_SCRIPTS } from "./junk/junk-scripts.ts";
import type { DovecotSettings } from "./settings.ts";

/** Creates the folders that Dovecot writes to, owned by its user. */
export async function makeFolders(dataFolder: string, user: ServiceUser): Promise<void> {
  const { mail, etc, state, tmp } = dovecotFolders(dataFolder);
  for (const folder of [dirname(etc), mail, etc, state, tmp]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await takeOver(folder, user);
  }
}

/** A folder restored from a backup may belong to a user of another machine. */
async function takeOver(folder: string, user: ServiceUser): Promise<void> {
  if ((await stat(folder)).uid === user.uid) return;
  await promisify(execFile)("chown", ["-RhP", `${user.uid}:${user.gid}`, folder]);
}

/**
 * Writes Dovecot's configuration, readable by its user only: it contains a database password.
 *
 * @returns the main file
 */
export async function writeConfiguration(
  settings: DovecotSettings,
  { user, baseFolder }: { user: ServiceUser; baseFolder: string },
): Promise<string> {
  const { etc } = dovecotFolders(settings.dataFolder);
  await removeOutdated(etc);
  await writeCertificate(settings, user);
  await writeNamedCertificates(settings, user);
  await writeMailHosts(settings, user);
  const conf = settings.version === "2.3" ? conf23 : conf24;
  const files = { ...conf(settings, { user: user.name, baseFolder }), ...JUNK_SCRIPTS };
  for (const [name, text] of Object.entries(files)) await writePrivate(join(etc, name), text, user);
  return join(etc, "dovecot.conf");
}

/** Removes what another version of Dovecot left: files with a database password, and compiled scripts that this one can't read. */
async function removeOutdated(etc: string): Promise<void> {
  for (const file of await readdir(etc))
    if (/\.(conf\.ext|svbin)$/.test(file)) await rm(join(etc, file));
}

/** Writes the certificate files, which Dovecot reads at its next reload. */
export async function writeCertificate(
  { dataFolder, certificate }: { dataFolder: string; certificate: Certificate },
  user: ServiceUser,
): Promise<void> {
  const { etc } = dovecotFolders(dataFolder);
  await writePrivate(join(etc, "tls.crt"), certificate.certificate, user);
  await writePrivate(join(etc, "tls.key"), certificate.key, user);
}

/** Writes the certificates of further names. Dovecot reads them at its next reload. */
export async function writeNamedCertificates(
  { version, dataFolder, namedCertificates = new Map() }: NamedSettings,
  user: ServiceUser,
): Promise<void> {
  const { etc } = dovecotFolders(dataFolder);
  const folder = join(etc, "names");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  giveTo(user, folder);
  const names = usableNames(namedCertificates.keys());
  for (const name of names) {
    const files = nameFiles(name);
    const pair = namedCertificates.get(name)!;
    await writePrivate(join(etc, files.certificate), pair.certificate, user);
    await writePrivate(join(etc, files.key), pair.key, user);
  }
  await writePrivate(join(etc, NAMES_CONF), namesConf(names, version), user);
  const kept = new Set(
    [...names, MAIL_HOST_NAME].flatMap((name) => Object.values(nameFiles(name))),
  );
  for (const file of await readdir(folder))
    if (!kept.has(`names/${file}`)) await rm(join(folder, file));
}

/** Writes what this mail host knows about the others. Dovecot reads it at its next reload. */
export async function writeMailHosts(
  { version, dataFolder, mailHost }: Pick<DovecotSettings, "version" | "dataFolder" | "mailHost">,
  user: ServiceUser,
): Promise<void> {
  const { etc } = dovecotFolders(dataFolder);
  if (!mailHost) return rm(join(etc, HOSTS_CONF), { force: true });
  const files = nameFiles(MAIL_HOST_NAME);
  await writePrivate(join(etc, files.certificate), mailHost.certificate.certificate, user);
  await writePrivate(join(etc, files.key), mailHost.certificate.key, user);
  const trusted = mailHost.peers.map(({ certificate }) => certificate).join("");
  await writePrivate(join(etc, HOSTS_CERTIFICATES), trusted, user);
  await writePrivate(join(etc, HOSTS_CONF), await hostsConf(mailHost, version), user);
}

type NamedSettings = Pick<DovecotSettings, "version" | "dataFolder" | "namedCertificates">;

async function writePrivate(file: string, text: string, user: ServiceUser): Promise<void> {
  await writeFile(file, text, { mode: 0o600 });
  await chmod(file, 0o600);
  giveTo(user, file);
}
