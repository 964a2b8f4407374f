import { execFile } from "node:child_process";
import { closeSync, constants, existsSync, fchownSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import type { Config } from "#server/config.ts";
import {
  type Certificate,
  loadCertificate,
  watchCertificate,
} from "#server/core/platform/tls/certificate.ts";
import { clusterFolder, passwordFile } from "#server/postgres/cluster.ts";
import { createFolder, openNoFollow, removeFile } from "#server/processes/open-no-follow.ts";
import { replacePrivateFile } from "#server/processes/private-file.ts";
import { type ServiceUser, serviceUser } from "#server/processes/service-user.ts";

/**
 * The folders that the services write to. The data folder itself and `logs` stay root's: root writes files
 * there, and the services must not be able to put symbolic links in the way.
 */
const FOLDERS = ["keys", "tls", "mail", "dovecot", "rspamd", "backup", "cache"];

/**
 * Makes the service user the owner of what is in these folders, which earlier versions left to root. Modes don't change
 * and symbolic links aren't followed: where the operator linked a folder to another place, its owner is the
 * operator's choice. Does nothing unless run by root.
 */
export async function handOverData(dataFolder: string): Promise<void> {
  if (process.getuid!() !== 0) return;
  const user = await serviceUser();
  handOverPassword(passwordFile(clusterFolder(dataFolder)), user);
  for (const name of FOLDERS) {
    const folder = join(dataFolder, name);
    createFolder(folder);
    const found = await lstat(folder);
    // chown changes the top folder last, so its owner shows that a large mail store is done.
    const isDone = name === "mail" && found.uid === user.uid;
    if (found.isDirectory() && !isDone)
      await promisify(execFile)("chown", ["-RhP", `${user.uid}:${user.gid}`, folder]);
  }
}

/** Backups need the password, and run as the service user. */
function handOverPassword(file: string, { uid, gid }: ServiceUser): void {
  if (!existsSync(file)) return;
  const fd = openNoFollow(file, constants.O_RDONLY);
  try {
    fchownSync(fd, uid, gid);
  } finally {
    closeSync(fd);
  }
}

/**
 * Copies the operator's certificate into the data folder and replaces the copy at each renewal. The files
 * of certbot and the like are readable by root only, and the services don't run as root. Does nothing
 * unless run by root.
 *
 * @returns the files for the services, and a function that stops watching for renewals
 * @throws CertificateError when the certificate can't be used
 */
export async function copyCertificate(
  config: Config,
  { onProblem }: { onProblem: (problem: unknown) => void },
): Promise<{ tls: Config["tls"]; stop: () => void }> {
  if (process.getuid!() !== 0) return { tls: config.tls, stop: () => {} };
  const certFile = join(config.dataFolder, "tls/configured.crt");
  const keyFile = join(config.dataFolder, "tls/configured.key");
  if (!config.tls) {
    for (const file of [certFile, keyFile]) removeFile(file);
    return { tls: null, stop: () => {} };
  }
  const write = ({ certificate, key }: Certificate) => {
    replacePrivateFile(keyFile, key);
    replacePrivateFile(certFile, certificate);
  };
  const current = await loadCertificate(config, new Date());
  write(current);
  const stop = watchCertificate(config, { current, onChange: write, onProblem });
  return { tls: { certFile, keyFile }, stop };
}
