import { createHash, createPublicKey, type JsonWebKey, verify } from "node:crypto";

export type Account = { key: JsonWebKey; contact: string[] };
type Status = "pending" | "processing" | "ready" | "valid" | "invalid";
export type Challenge = { type: string; token: string; status: Status; error?: Problem };
export type Authorization = { name: string; status: Status; challenges: Challenge[] };
export type Order = {
  names: string[];
  authorizations: number[];
  account: string;
  certificate?: string;
};
type Problem = { type: string; detail: string; status: number };

type Header = { alg: string; url: string; nonce: string; kid?: string; jwk?: JsonWebKey };

type Jws = { protected: string; payload: string; signature: string };

/** An error of the ACME server (RFC 8555, 6.7). */
export class AcmeProblem extends Error {
  readonly type: string;
  readonly status: number;
  readonly retryAfter: number | null;
  constructor(type: string, detail: string, status = 400, retryAfter: number | null = null) {
    super(detail);
    this.type = type;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** Checks the signature of a request, its URL and its nonce (RFC 8555, 6.2 to 6.5). */
export function openRequest(
  body: unknown,
  {
    url,
    accounts,
    takeNonce,
  }: { url: string; accounts: Map<string, Account>; takeNonce: (nonce: string) => boolean },
) {
  const jws = body as Jws;
  const header = decode(jws.protected) as Header;
  if (header.url !== url) throw new AcmeProblem("unauthorized", "Signed for another URL", 401);
  if (!takeNonce(header.nonce)) throw new AcmeProblem("badNonce", "This nonce is not valid");
  const key = keyOf(header, accounts);
  if (!isSigned(jws, header, key)) throw new AcmeProblem("malformed", "The signature is not valid");
  const payload = jws.payload ? (decode(jws.payload) as Record<string, unknown>) : {};
  return { payload, account: header.kid ?? null, key };
}

/** New accounts bring their key, known ones its ID (RFC 8555, 6.2). */
function keyOf({ kid, jwk }: Header, accounts: Map<string, Account>): JsonWebKey {
  if (!kid) return jwk!;
  const known = accounts.get(kid);
  if (!known) throw new AcmeProblem("accountDoesNotExist", "No account with this key ID");
  return known.key;
}

/** RFC 7515, 5.2. Clients sign with P-256. */
function isSigned(jws: Jws, { alg }: Header, key: JsonWebKey): boolean {
  const isValid = verify(
    "sha256",
    Buffer.from(`${jws.protected}.${jws.payload}`),
    { key: createPublicKey({ key, format: "jwk" }), dsaEncoding: "ieee-p1363" },
    Buffer.from(jws.signature, "base64url"),
  );
  return isValid && alg === "ES256";
}

const decode = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString());

export const problem = ({ type, message, status }: AcmeProblem): Problem => ({
  type: `urn:ietf:params:acme:error:${type}`,
  detail: message,
  status,
});

/** RFC 7638. */
export function thumbprint({ crv, kty, x, y }: JsonWebKey): string {
  return createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
}
