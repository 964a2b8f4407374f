import { createHash, type X509Certificate as NodeCertificate } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:tls";
import { once } from "node:events";
import { text } from "node:stream/consumers";

import "reflect-metadata";
import * as x509 from "@peculiar/x509";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 86_400_000;
/** id-pe-acmeIdentifier (RFC 8737, 3). */
const ACME_IDENTIFIER = "1.3.6.1.5.5.7.1.31";

export type TestAuthority = {
  /** PEM, for clients that trust it. */
  root: string;
  /** Signs a request (DER, base64url). Returns its chain, PEM, and the names in it. */
  sign(csr: string, validDays: number): Promise<{ chain: string; names: string[] }>;
};

/** A certificate authority with a root and an intermediate. */
export async function anAuthority(): Promise<TestAuthority> {
  const [rootKeys, keys] = await Promise.all([newKeys(), newKeys()]);
  const notBefore = new Date(Date.now() - DAY_MS);
  const notAfter = new Date(Date.now() + 3650 * DAY_MS);
  const shared = { notBefore, notAfter, signingAlgorithm: ALGORITHM };
  const ca = [
    new x509.BasicConstraintsExtension(true, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
  ];
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...shared,
    name: "CN=Test Root",
    keys: rootKeys,
    extensions: ca,
    serialNumber: "01",
  });
  const intermediate = await x509.X509CertificateGenerator.create({
    ...shared,
    subject: "CN=Test CA",
    issuer: root.subject,
    publicKey: keys.publicKey,
    signingKey: rootKeys.privateKey,
    extensions: ca,
    serialNumber: "02",
  });
  let serial = 16;
  return {
    root: root.toString("pem"),
    async sign(csr, validDays) {
      const asked = new x509.Pkcs10CertificateRequest(Buffer.from(csr, "base64url"));
      if (!(await asked.verify())) throw new Error("The request isn't signed by its key");
      const names = asked.extensions.find(
        (one) => one instanceof x509.SubjectAlternativeNameExtension,
      )!;
      const now = Date.now();
      const certificate = await x509.X509CertificateGenerator.create({
        issuer: intermediate.subject,
        publicKey: asked.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
        serialNumber: (serial++).toString(16).padStart(4, "0"),
        // Backdated by an hour, like Let's Encrypt's.
        notBefore: new Date(now - DAY_MS / 24),
        notAfter: new Date(now + validDays * DAY_MS),
        extensions: [new x509.SubjectAlternativeNameExtension(names.names.toJSON())],
      });
      return {
        chain: `${certificate.toString("pem")}\n${intermediate.toString("pem")}\n`,
        names: names.names.items.map(({ value }) => value),
      };
    },
  };
}

/** An authority's certificate for a name, with its key, both PEM. */
export async function issueCertificate(name: string, validDays: number) {
  const keys = await newKeys();
  const csr = await x509.Pkcs10CertificateRequestGenerator.create({
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: "dns", value: name }])],
  });
  const authority = await anAuthority();
  const { chain } = await authority.sign(Buffer.from(csr.rawData).toString("base64url"), validDays);
  const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey));
  const lines = key.toString("base64").match(/.{1,64}/g)!;
  return {
    certificate: chain,
    key: `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`,
  };
}

const newKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);

export type Validation = {
  name: string;
  token: string;
  /** Token and thumbprint of the account's key (RFC 8555, 8.1). */
  keyAuthorization: string;
  address: string;
  ports: { http: number; tls: number };
  /** The TXT records at a name. */
  txt: (name: string) => string[];
};

const TIMEOUT_MS = 5_000;

/** Validates a challenge as an authority does: by connecting to the name's host. Returns the problem, or null. */
export const validators: Record<string, (validation: Validation) => Promise<string | null>> = {
  async "http-01"({ name, token, keyAuthorization, address, ports }) {
    const asking = request({
      host: address,
      port: ports.http,
      path: `/.well-known/acme-challenge/${token}`,
      headers: { host: name },
      timeout: TIMEOUT_MS,
      agent: false,
    }).end();
    const [response] = (await once(asking, "response")) as [IncomingMessage];
    const body = await text(response);
    if (response.statusCode !== 200) return `Invalid response: ${response.statusCode}`;
    return body.trimEnd() === keyAuthorization ? null : `The response was "${body}"`;
  },
  async "tls-alpn-01"({ name, keyAuthorization, address, ports }) {
    const socket = connect({
      host: address,
      port: ports.tls,
      servername: name,
      timeout: TIMEOUT_MS,
      ALPNProtocols: ["acme-tls/1"],
      rejectUnauthorized: false,
    });
    await once(socket, "secureConnect");
    const shown = socket.getPeerX509Certificate();
    const protocol = socket.alpnProtocol;
    socket.destroy();
    if (protocol !== "acme-tls/1") return `Negotiated ${String(protocol)}, not acme-tls/1`;
    return alpnProblem(shown!, name, keyAuthorization);
  },
  "dns-01"({ name, keyAuthorization, txt }) {
    const wanted = createHash("sha256").update(keyAuthorization).digest("base64url");
    const isThere = txt(`_acme-challenge.${name}`).includes(wanted);
    return Promise.resolve(isThere ? null : `No TXT record at _acme-challenge.${name} matches`);
  },
};

/** RFC 8737, 3: one name, and the digest in a critical extension. */
function alpnProblem(shown: NodeCertificate, name: string, keyAuthorization: string) {
  const certificate = new x509.X509Certificate(shown.raw);
  if (shown.subjectAltName !== `DNS:${name}`) return `For ${String(shown.subjectAltName)}`;
  const extension = certificate.getExtension(ACME_IDENTIFIER);
  if (!extension?.critical) return "No critical acmeIdentifier extension";
  const digest = createHash("sha256").update(keyAuthorization).digest();
  // An OCTET STRING of 32 bytes in the extension's value.
  return Buffer.from(extension.value).equals(Buffer.concat([Buffer.from([4, 32]), digest]))
    ? null
    : "The acmeIdentifier extension has another digest";
}
