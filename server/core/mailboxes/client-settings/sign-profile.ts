import { createHash, createPrivateKey, sign, X509Certificate } from "node:crypto";

import forge from "node-forge";

import type { Certificate } from "#server/core/platform/tls/certificate.ts";

const { asn1 } = forge;
const { Class, Type } = asn1;

const OIDS = {
  data: "1.2.840.113549.1.7.1",
  signedData: "1.2.840.113549.1.7.2",
  contentType: "1.2.840.113549.1.9.3",
  messageDigest: "1.2.840.113549.1.9.4",
  signingTime: "1.2.840.113549.1.9.5",
  sha256: "2.16.840.1.101.3.4.2.1",
  rsa: "1.2.840.113549.1.1.1",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
};

type Node = forge.asn1.Asn1;

/**
 * Signs a profile (CMS SignedData, RFC 5652), so that devices show it as verified. Built by hand because
 * node-forge only signs with RSA keys.
 *
 * @param pair PEM; the certificate is followed by its chain
 * @returns DER; null for a key that is neither RSA nor EC
 */
export function signProfile(profile: string, pair: Certificate, now: Date): Buffer | null {
  const key = createPrivateKey(pair.key);
  const algorithm = signatureAlgorithm(key.asymmetricKeyType);
  if (!algorithm) return null;
  const content = Buffer.from(profile);
  const chain = parseChain(pair.certificate);
  const attributes = signedAttributes(content, now);
  // The signature covers the attributes as a SET, not with the tag they are sent under (RFC 5652 §5.4).
  const signature = sign("sha256", der(set(attributes)), key);
  const signer = sequence([
    integer(1),
    sequence(issuerAndSerial(chain[0]!)),
    digestAlgorithm(),
    context(attributes),
    algorithm,
    octets(signature),
  ]);
  const signedData = sequence([
    integer(1),
    set([digestAlgorithm()]),
    sequence([oid(OIDS.data), context([octets(content)])]),
    context(chain),
    set([signer]),
  ]);
  return der(sequence([oid(OIDS.signedData), context([signedData])]));
}

function signatureAlgorithm(keyType: string | undefined): Node | null {
  if (keyType === "rsa") return sequence([oid(OIDS.rsa), nothing()]);
  if (keyType === "ec") return sequence([oid(OIDS.ecdsaWithSha256)]);
  return null;
}

function parseChain(pem: string): Node[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => asn1.fromDer(new X509Certificate(block).raw.toString("latin1")));
}

/** RFC 5280 §4.1: the version, which may be absent, then serial number, algorithm and issuer. */
function issuerAndSerial(certificate: Node): Node[] {
  const fields = (certificate.value[0] as Node).value as Node[];
  const at = fields[0]!.tagClass === Class.CONTEXT_SPECIFIC ? 1 : 0;
  return [fields[at + 2]!, fields[at]!];
}

/** DER orders a SET by encoding; these have fixed lengths, so shortest first. */
function signedAttributes(content: Buffer, now: Date): Node[] {
  const attribute = (name: string, value: Node) => sequence([oid(name), set([value])]);
  const digest = createHash("sha256").update(content).digest();
  const time = primitive(Type.UTCTIME, asn1.dateToUtcTime(now));
  return [
    attribute(OIDS.contentType, oid(OIDS.data)),
    attribute(OIDS.signingTime, time),
    attribute(OIDS.messageDigest, octets(digest)),
  ];
}

const digestAlgorithm = () => sequence([oid(OIDS.sha256), nothing()]);

const der = (node: Node) => Buffer.from(asn1.toDer(node).getBytes(), "latin1");
const constructed = (type: forge.asn1.Type, nodes: Node[]) =>
  asn1.create(Class.UNIVERSAL, type, true, nodes);
const primitive = (type: forge.asn1.Type, bytes: string) =>
  asn1.create(Class.UNIVERSAL, type, false, bytes);
const sequence = (nodes: Node[]) => constructed(Type.SEQUENCE, nodes);
const set = (nodes: Node[]) => constructed(Type.SET, nodes);
/** Context-specific tag `[0]`; forge has no constant for the number. */
const context = (nodes: Node[]) => asn1.create(Class.CONTEXT_SPECIFIC, Type.NONE, true, nodes);
const oid = (name: string) => primitive(Type.OID, asn1.oidToDer(name).getBytes());
const integer = (value: number) => primitive(Type.INTEGER, asn1.integerToDer(value).getBytes());
const octets = (bytes: Buffer) => primitive(Type.OCTETSTRING, bytes.toString("latin1"));
const nothing = () => primitive(Type.NULL, "");
