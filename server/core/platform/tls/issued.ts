import { X509Certificate } from "node:crypto";
import { join } from "node:path";

import { createFolder } from "#server/processes/open-no-follow.ts";
import { replacePrivateFile } from "#server/processes/private-file.ts";

import type { Certificate } from "./check-certificate.ts";
import { readPair } from "./self-signed.ts";

const fileIn = (dataFolder: string) => join(dataFolder, "tls/issued.pem");

/**
 * Loads this host's copy of the certificate that an authority issued for the hostname. The database has the
 * original; the copy serves while the database can't be reached.
 *
 * @returns null if there is none, if it has expired, or if it is for another name
 */
export function loadIssued(
  { dataFolder, hostname }: { dataFolder: string; hostname: string },
  now: Date,
): Certificate | null {
  const pair = readPair(fileIn(dataFolder));
  return pair && isUsable(pair, hostname, now) ? pair : null;
}

/** Replaces the copy, unless it is the same. Returns whether it did. */
export function writeIssued(dataFolder: string, pair: Certificate): boolean {
  const file = fileIn(dataFolder);
  const current = readPair(file);
  if (current?.certificate.trim() === pair.certificate.trim()) return false;
  createFolder(join(dataFolder, "tls"));
  replacePrivateFile(file, `${pair.key.trim()}\n${pair.certificate}`);
  return true;
}

/** A damaged copy isn't used: it is replaced as soon as the database can be read. */
function isUsable({ certificate }: Certificate, hostname: string, now: Date): boolean {
  try {
    const parsed = new X509Certificate(certificate);
    return parsed.validToDate > now && parsed.checkHost(hostname) !== undefined;
  } catch {
    return false;
  }
}
