import { randomBytes, X509Certificate } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { createPrivateFile } from "#server/processes/private-file.ts";

import type { Certificate } from "./check-certificate.ts";
import { readPair } from "./self-signed.ts";

const fileIn = (dataFolder: string) => join(dataFolder, "tls/issued.pem");

/**
 * Loads this host's copy of the certificate that an authority issued for the hostname. The database has the
 * original; the copy serves while the database can't be reached.
 *
 * @returns null if there is none, if it has expired, or if it is for another name
 */
export async function loadIssued(
  { dataFolder, hostname }: { dataFolder: string; hostname: string },
  now: Date,
): Promise<Certificate | null> {
  const pair = await readPair(fileIn(dataFolder));
  return pair && isUsable(pair, hostname, now) ? pair : null;
}

/** Replaces the copy, unless it is the same. Returns whether it did. */
export async function writeIssued(dataFolder: string, pair: Certificate): Promise<boolean> {
  const file = fileIn(dataFolder);
  const current = await readPair(file);
  if (current?.certificate.trim() === pair.certificate.trim()) return false;
  await mkdir(join(dataFolder, "tls"), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    createPrivateFile(draft, `${pair.key.trim()}\n${pair.certificate}`);
    await rename(draft, file);
  } catch (error) {
    // On a full disk, each retry would leave another one.
    await rm(draft, { force: true });
    throw error;
  }
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
