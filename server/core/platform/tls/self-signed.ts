import {
  createPrivateKey,
  generateKeyPair as generateKeyPairCallback,
  randomBytes,
  X509Certificate,
} from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";

import { createFolder, readNoFollow } from "#server/processes/open-no-follow.ts";
import { createPrivateFileOnce, replacePrivateFile } from "#server/processes/private-file.ts";

import { type Certificate, CertificateError } from "./check-certificate.ts";

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
  if (kept && isUsable(kept, request, file)) return kept;

  createFolder(join(request.dataFolder, "tls"));
  const pem = await createPem(request);
  if (kept) replacePrivateFile(file, pem);
  else createPrivateFileOnce(file, pem);
  return readPair(file)!;
}

/** Reads key and certificate from one file; null if there is no such file. */
export function readPair(file: string): Certificate | null {
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

function isUsable(pair: Certificate, { hostname, now }: Request, file: string): boolean {
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
