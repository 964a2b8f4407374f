import { X509Certificate } from "node:crypto";

import "reflect-metadata";
import * as x509 from "@peculiar/x509";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 86_400_000;
let serial = 1;

type Keys = Awaited<ReturnType<typeof newKeys>>;
export type Issued = { x509: X509Certificate; pem: string; subject: string; keys: Keys };

export type Terms = {
  subject: string;
  /** Itself if omitted. */
  issuer?: Issued;
  /** Names in the certificate, with `DNS:` left out. */
  names?: string[];
  /** How many authorities may follow; omitted for a certificate that may not issue any. */
  authorities?: number | "any";
  /** Validity from today, in days. */
  days?: [from: number, to: number];
  /** OIDs of what it's for; anything if omitted. */
  purposes?: string[];
  /** For a new certificate of the same authority. */
  keys?: Keys;
};

/** Issues a certificate as its terms say, however wrong they are. */
export async function issue(terms: Terms): Promise<Issued> {
  const { subject, issuer, days = [-1, 90] } = terms;
  const keys = terms.keys ?? (await newKeys());
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: issuer?.subject ?? subject,
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    signingAlgorithm: ALGORITHM,
    serialNumber: (serial++).toString(16).padStart(4, "0"),
    notBefore: new Date(Date.now() + days[0] * DAY_MS),
    notAfter: new Date(Date.now() + days[1] * DAY_MS),
    extensions: extensionsOf(terms),
  });
  const pem = certificate.toString("pem");
  return { x509: new X509Certificate(pem), pem, subject, keys };
}

function extensionsOf({ names = [], authorities, purposes }: Terms): x509.Extension[] {
  const isAuthority = authorities !== undefined;
  const isLimited = typeof authorities === "number";
  const sans = names.map((value) => ({ type: "dns" as const, value }));
  return [
    new x509.BasicConstraintsExtension(isAuthority, isLimited ? authorities : undefined, true),
    ...(isAuthority ? [new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true)] : []),
    ...(purposes ? [new x509.ExtendedKeyUsageExtension(purposes)] : []),
    ...(sans.length > 0 ? [new x509.SubjectAlternativeNameExtension(sans)] : []),
  ];
}

/** PEM. */
export async function privateKeyOf({ keys }: Issued): Promise<string> {
  const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey));
  const lines = key.toString("base64").match(/.{1,64}/g)!;
  return `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`;
}

const newKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
