import { checkServerIdentity, type DetailedPeerCertificate, type TLSSocket } from "node:tls";
import { createHash, X509Certificate } from "node:crypto";

/** What decided whether TLS and a valid certificate were required. `required`: by the operator's smarthost settings. */
export type TlsPolicy = "opportunistic" | "mta-sts" | "mta-sts-testing" | "dane" | "required";

/** Result types of RFC 8460, 4.3. */
export type TlsFailure =
  | "starttls-not-supported"
  | "certificate-host-mismatch"
  | "certificate-expired"
  | "certificate-not-trusted"
  | "validation-failure"
  | "tlsa-invalid"
  | "dnssec-invalid";

/** How a connection to a mail server was encrypted, or why it wasn't. */
export type TlsOutcome = {
  policy: TlsPolicy;
  /** Whether the certificate is valid by the policy, or by the usual rules without one. `unchecked`: nothing to check it by. */
  result: "valid" | "unchecked" | TlsFailure;
  /** Null if the connection isn't encrypted. */
  encryption: { version: string; cipher: string } | null;
};

/** As stored with each attempt: `opportunistic valid TLSv1.3 TLS_AES_256_GCM_SHA384`. */
export function formatTls({ policy, result, encryption }: TlsOutcome): string {
  const outcome = `${policy} ${result}`;
  return encryption ? `${outcome} ${encryption.version} ${encryption.cipher}` : outcome;
}

const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_(UNTRUSTED|REJECTED|REVOKED|CHAIN_TOO_LONG)|INVALID_(CA|PURPOSE))/;

/** Why a handshake or the check of a certificate failed, by the error or by OpenSSL's code. */
export function certificateFailure(error: Error | string | undefined | null): TlsFailure {
  const given = error instanceof Error && "code" in error ? error.code : error;
  const code = typeof given === "string" ? given : "";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "certificate-host-mismatch";
  if (code === "CERT_HAS_EXPIRED") return "certificate-expired";
  return UNTRUSTED.test(code) ? "certificate-not-trusted" : "validation-failure";
}

type Accepted = { policy: TlsPolicy; dane?: DaneTerms; isUnlisted?: boolean };

const daneResult = ({ records }: DaneTerms) => (records.length > 0 ? "valid" : "unchecked");

const publicResult = ({ authorized, authorizationError }: TLSSocket) =>
  authorized ? "valid" : certificateFailure(authorizationError);

/** The outcome of a handshake that succeeded. Unless the policy requires a valid certificate, it may be invalid. */
export function readHandshake(
  socket: TLSSocket,
  { policy, dane, isUnlisted }: Accepted,
): TlsOutcome {
  const result = dane ? daneResult(dane) : publicResult(socket);
  return {
    policy,
    result: isUnlisted ? "validation-failure" : result,
    encryption: {
      version: socket.getProtocol() ?? "TLS",
      cipher: socket.getCipher().standardName,
    },
  };
}

/** A TLSA record (RFC 6698). */
export type Tlsa = { usage: number; selector: number; matchingType: number; data: Buffer };

/** What authenticates a mail server by DANE (RFC 7672). */
export type DaneTerms = {
  /** The name that the records were found under, for SNI. */
  base: string;
  /** Names that a certificate of a trust anchor may be for. */
  names: string[];
  /** Usable records. Empty: TLS is required, but with any certificate. */
  records: Tlsa[];
};

const DANE_TA = 2;
const DANE_EE = 3;
const HASHES: Record<number, { name: string; bytes: number }> = {
  1: { name: "sha256", bytes: 32 },
  2: { name: "sha512", bytes: 64 },
};
const CHAIN_LENGTH_MAX = 10;
/** id-kp-serverAuth and anyExtendedKeyUsage. */
const SERVER_PURPOSES = ["1.3.6.1.5.5.7.3.1", "2.5.29.37.0"];
/** The extension's OID, perhaps `critical`, and a sequence of `cA` and the path length, which is one byte. */
const BASIC_CONSTRAINTS = /\x06\x03\x55\x1d\x13(?:\x01\x01\xff)?\x04.\x30.\x01\x01\xff\x02\x01(.)/s;

export const hasTrustAnchor = ({ records }: DaneTerms): boolean =>
  records.some(({ usage }) => usage === DANE_TA);

/** Whether SMTP clients may use the record: not the usages that need a public authority (RFC 7672, 3.1.3). */
export function isUsable({ usage, selector, matchingType, data }: Tlsa): boolean {
  if ((usage !== DANE_TA && usage !== DANE_EE) || selector > 1) return false;
  return matchingType === 0 ? data.length > 0 : HASHES[matchingType]?.bytes === data.length;
}

/** Writes the records as in a zone file. */
export const formatTlsa = ({ base, records }: DaneTerms, port: number): string[] =>
  records.map(
    ({ usage, selector, matchingType, data }) =>
      `_${port}._tcp.${base}. IN TLSA ${usage} ${selector} ${matchingType} ${data.toString("hex")}`,
  );

/** Whether the server's certificate is one that the TLSA records allow. */
export function matchesTlsa(socket: TLSSocket, terms: DaneTerms): boolean {
  if (terms.records.length === 0) return true;
  try {
    return matchesChain(socket.getPeerCertificate(true), terms);
  } catch {
    // A key of an unknown kind.
    return false;
  }
}

function matchesChain(peer: DetailedPeerCertificate, { names, records }: DaneTerms): boolean {
  const chain = readChain(peer);
  const [leaf, ...issuers] = chain;
  if (!leaf) return false;
  // Neither name nor dates count here (RFC 7671, 5.1).
  if (matchesAny(leaf, DANE_EE, records)) return true;
  const anchorAt = issuers.findIndex((issuer) => matchesAny(issuer, DANE_TA, records));
  if (anchorAt === -1) return false;
  const isNamed = names.some((name) => checkServerIdentity(name, peer) === undefined);
  return isNamed && isValidPath(chain.slice(0, anchorAt + 2));
}

/** The certificates that the server sent, each followed by its issuer. */
function readChain(peer: DetailedPeerCertificate): X509Certificate[] {
  const raws: Buffer[] = [];
  let at: DetailedPeerCertificate | undefined = peer;
  while (at?.raw && !raws.includes(at.raw) && raws.length < CHAIN_LENGTH_MAX) {
    raws.push(at.raw);
    at = at.issuerCertificate === at ? undefined : at.issuerCertificate;
  }
  return raws.map((raw) => new X509Certificate(raw));
}

function isValidPath(chain: X509Certificate[]): boolean {
  const now = Date.now();
  return chain.every((certificate, at) => {
    const issuer = chain[at + 1];
    const isCurrent =
      Date.parse(certificate.validFrom) <= now && now <= Date.parse(certificate.validTo);
    const isIssued =
      !issuer ||
      (issuer.ca &&
        at <= readPathLength(issuer) &&
        certificate.checkIssued(issuer) &&
        certificate.verify(issuer.publicKey));
    return isCurrent && isIssued && isForServers(certificate);
  });
}

/** Without a purpose, a certificate is for all (RFC 5280, 4.2.1.12). Node calls purposes `keyUsage`. */
const isForServers = ({ keyUsage }: { keyUsage?: string[] | undefined }): boolean =>
  !keyUsage || SERVER_PURPOSES.some((purpose) => keyUsage.includes(purpose));

/** How many authorities may be below one (RFC 5280, 4.2.1.9), from its DER. */
function readPathLength({ raw }: X509Certificate): number {
  const [, length] = BASIC_CONSTRAINTS.exec(raw.toString("latin1")) ?? [];
  return length === undefined ? Infinity : length.charCodeAt(0);
}

const matchesAny = (certificate: X509Certificate, usage: number, records: Tlsa[]): boolean =>
  records.some((record) => record.usage === usage && matches(certificate, record));

function matches(certificate: X509Certificate, { selector, matchingType, data }: Tlsa): boolean {
  const content =
    selector === 0
      ? certificate.raw
      : certificate.publicKey.export({ type: "spki", format: "der" });
  const hash = HASHES[matchingType];
  return data.equals(hash ? createHash(hash.name).update(content).digest() : content);
}
