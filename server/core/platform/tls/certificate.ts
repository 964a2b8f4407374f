import {
  createPrivateKey,
  generateKeyPair as generateKeyPairCallback,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import type { Config } from "#server/config.ts";
import { createFolder, readNoFollow } from "#server/processes/open-no-follow.ts";
import { createPrivateFileOnce, replacePrivateFile } from "#server/processes/private-file.ts";
import { runLoop } from "#server/processes/run-loop.ts";

type Settings = Pick<Config, "dataFolder" | "hostname" | "tls">;

/** Poll interval. Certificates are renewed weeks ahead, so seconds are soon enough. */
const LOOK_EVERY_MS = 5_000;

/**
 * Loads the certificate for all TLS listeners: from POSTHOUSE_TLS_CERT and POSTHOUSE_TLS_KEY, else the one that a
 * certificate authority issued for the hostname, else a self-signed one in the data folder.
 *
 * @throws CertificateError if it can't be used
 */
export async function loadCertificate(settings: Settings, now: Date): Promise<Certificate> {
  if (!settings.tls)
    return loadIssued(settings, now) ?? (await loadSelfSigned({ ...settings, now }));
  const pair = {
    certificate: await readPem(settings.tls.certFile, "POSTHOUSE_TLS_CERT"),
    key: await readPem(settings.tls.keyFile, "POSTHOUSE_TLS_KEY"),
  };
  checkCertificate(pair, {
    names: {
      certificate: `POSTHOUSE_TLS_CERT (${settings.tls.certFile})`,
      key: `POSTHOUSE_TLS_KEY (${settings.tls.keyFile})`,
    },
    now,
  });
  return pair;
}

const REASONS: Record<string, string> = {
  ENOENT: "there is no such file",
  EACCES: "this user has no permission to read it",
  EISDIR: "it is a folder",
};

async function readPem(file: string, variable: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? REASONS[String(error.code)] : null;
    throw new CertificateError(`${variable} (${file}) can't be read: ${reason ?? String(error)}`, {
      cause: error,
    });
  }
}

/**
 * Calls `onChange` with each new, valid certificate. If only one of the two files has been replaced yet, it
 * tries again a few seconds later. Reports each problem once through `onProblem`.
 *
 * @param current the one in use
 * @returns a function that stops watching
 */
export function watchCertificate(
  settings: Settings,
  {
    current,
    onChange,
    onProblem,
    checkEveryMs = LOOK_EVERY_MS,
  }: {
    current: Certificate;
    onChange: (certificate: Certificate) => void | Promise<void>;
    onProblem: (problem: unknown) => void;
    checkEveryMs?: number;
  },
): () => void {
  let inUse = current;
  let lastProblem = "";
  const reloadIfChanged = async () => {
    const found = await loadCertificate(settings, new Date());
    if (found.certificate !== inUse.certificate || found.key !== inUse.key) {
      await onChange(found);
      inUse = found;
    }
    lastProblem = "";
  };
  const watching = runLoop(reloadIfChanged, {
    pauseMs: checkEveryMs,
    firstPauseMs: checkEveryMs,
    ref: false,
    onError: (problem) => {
      if (String(problem) !== lastProblem) onProblem(problem);
      lastProblem = String(problem);
    },
  });
  return () => void watching.stop();
}

/** A certificate with its chain, and its private key, both PEM. */
export type Certificate = { certificate: string; key: string };

/** Whether someone else signed the certificate, so that clients may trust it. */
export function isFromAuthority({ certificate }: Certificate): boolean {
  const { issuer, subject } = new X509Certificate(certificate);
  return issuer !== subject;
}

/** A certificate or key that can't be used. The message says which and why. */
class CertificateError extends Error {
  override name = "CertificateError";
}

/**
 * Rejects a pair that TLS clients or OpenSSL would reject later: not PEM, not matching, expired or not yet
 * valid.
 *
 * @param names how the message refers to the two, such as the variables that name their files
 * @throws CertificateError
 */
function checkCertificate(
  pair: Certificate,
  { names, now }: { names: { certificate: string; key: string }; now: Date },
): void {
  const certificate = parseCertificate(pair.certificate, names.certificate);
  if (!certificate.checkPrivateKey(parseKey(pair.key, names.key)))
    throw new CertificateError(`${names.key} is not the private key of ${names.certificate}`);
  if (certificate.validToDate <= now)
    throw new CertificateError(`${names.certificate} expired on ${certificate.validTo}`);
  if (certificate.validFromDate > now)
    throw new CertificateError(
      `${names.certificate} is not valid before ${certificate.validFrom}. Check this host's clock`,
    );
}

function parseCertificate(pem: string, name: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw new CertificateError(`${name} doesn't contain a PEM certificate`, { cause: error });
  }
}

function parseKey(pem: string, name: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new CertificateError(`${name} doesn't contain a PEM private key without a passphrase`, {
      cause: error,
    });
  }
}

const fileIn = (dataFolder: string) => join(dataFolder, "tls/issued.pem");

/**
 * Loads this host's copy of the certificate that an authority issued for the hostname. The database has the
 * original; the copy serves while the database can't be reached.
 *
 * @returns null if there is none, if it has expired, or if it is for another name
 */
function loadIssued(
  { dataFolder, hostname }: { dataFolder: string; hostname: string },
  now: Date,
): Certificate | null {
  const pair = readPair(fileIn(dataFolder));
  return pair && isUsable(pair, hostname, now) ? pair : null;
}

/** Replaces the copy if it differs. Returns whether it did. */
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

const generateKeyPair = promisify(generateKeyPairCallback);

/** RFC 5280 section 4.2.1.6 */
const ALT_NAME_DNS = 2;

const ALT_NAME_IP = 7;

/** The longest validity that mail apps and browsers accept. */
const VALID_DAYS = 825;

const RENEW_BEFORE_DAYS = 30;
const DAY_MS = 86_400_000;

type Request = { dataFolder: string; hostname: string; now: Date };

/**
 * Loads the appliance's own certificate from `tls/self-signed.pem` in the data folder. Key and certificate
 * share a file, so that they are replaced atomically. Created on first use, and again if the hostname
 * changes or less than 30 days are left. Concurrent processes get the same one.
 */
export async function loadSelfSigned(request: Request): Promise<Certificate> {
  const file = join(request.dataFolder, "tls/self-signed.pem");
  const kept = readPair(file);
  if (kept && isUsablePair(kept, request, file)) return kept;

  createFolder(join(request.dataFolder, "tls"));
  const pem = await createPem(request);
  if (kept) replacePrivateFile(file, pem);
  else createPrivateFileOnce(file, pem);
  return readPair(file)!;
}

/** Reads key and certificate from one file; null if there is no such file. */
function readPair(file: string): Certificate | null {
  let pem: string;
  try {
    pem = readNoFollow(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  const certificateAt = pem.indexOf("-----BEGIN CERTIFICATE-----");
  return { key: pem.slice(0, certificateAt), certificate: pem.slice(certificateAt) };
}

function isUsablePair(pair: Certificate, { hostname, now }: Request, file: string): boolean {
  const parsed = parsePair(pair, file);
  const left = parsed.validToDate.getTime() - now.getTime();
  return left > RENEW_BEFORE_DAYS * DAY_MS && parsed.checkHost(hostname) !== undefined;
}

function parsePair({ certificate, key }: Certificate, file: string): X509Certificate {
  try {
    const parsed = new X509Certificate(certificate);
    if (parsed.checkPrivateKey(createPrivateKey(key))) return parsed;
    throw new Error("key and certificate don't match");
  } catch (error) {
    throw new CertificateError(
      `${file} is damaged (${String(error)}). Delete it; the next start creates a new one`,
      { cause: error },
    );
  }
}

async function createPem({ hostname, now }: Request): Promise<string> {
  const { md, pki } = (await import("node-forge")).default;
  const pair = await generateKeyPair("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(pair.publicKey);
  certificate.serialNumber = `01${randomBytes(15).toString("hex")}`;
  // An hour earlier, for clients whose clock is slow.
  const notBefore = now.getTime() - DAY_MS / 24;
  certificate.validity.notBefore = new Date(notBefore);
  certificate.validity.notAfter = new Date(notBefore + VALID_DAYS * DAY_MS);
  const subject = [{ name: "commonName", value: hostname.length <= 64 ? hostname : "posthouse" }];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.setExtensions([
    { name: "basicConstraints", cA: false, critical: true },
    { name: "keyUsage", digitalSignature: true, keyEncipherment: true, critical: true },
    { name: "extKeyUsage", serverAuth: true },
    { name: "subjectAltName", altNames: altNames(hostname) },
  ]);
  certificate.sign(pki.privateKeyFromPem(pair.privateKey), md.sha256.create());
  return pair.privateKey + pki.certificateToPem(certificate).replaceAll("\r\n", "\n");
}

function altNames(hostname: string) {
  const names = new Set([hostname, "localhost", "posthouse.localhost"]);
  const dns = [...names].map((value) => ({ type: ALT_NAME_DNS, value }));
  return [...dns, ...["127.0.0.1", "::1"].map((ip) => ({ type: ALT_NAME_IP, ip }))];
}
