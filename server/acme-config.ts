import { resolve } from "node:path";

type Environment = Record<string, string | undefined>;
type Fail = (variable: string, value: string | undefined, expected: string) => never;

/** The certificate authority that Posthouse gets its certificates from (RFC 8555). */
export type Acme = {
  directoryUrl: string;
  /** For the authority's notices. */
  email: string | null;
  /** External account binding (RFC 8555, 7.3.4), which some authorities require. */
  binding: { keyId: string; hmacKey: string } | null;
  /** A program that publishes TXT records, for DNS-01. Null: HTTP-01 and TLS-ALPN-01. */
  dnsHook: string | null;
};

const LETS_ENCRYPT = "https://acme-v02.api.letsencrypt.org/directory";

/** @param fail throws a ConfigError about a variable */
export function readAcme(
  env: Environment,
  { localMode, fail }: { localMode: boolean; fail: Fail },
): Acme | null {
  const value = readDirectory(env, fail);
  const binding = readBinding(env, fail);
  const hook = env.POSTHOUSE_ACME_DNS_HOOK;
  if (localMode || value === "off") return null;
  return {
    directoryUrl: value,
    email: env.POSTHOUSE_ACME_EMAIL || null,
    binding,
    dnsHook: hook ? resolve(/* turbopackIgnore: true */ hook) : null,
  };
}

function readDirectory(env: Environment, fail: Fail): string {
  const value = env.POSTHOUSE_ACME || LETS_ENCRYPT;
  if (value !== "off" && !isHttpUrl(value))
    fail("POSTHOUSE_ACME", value, "must be the URL of an ACME directory, or off");
  return value;
}

function readBinding(env: Environment, fail: Fail): Acme["binding"] {
  const value = env.POSTHOUSE_ACME_BINDING;
  if (!value) return null;
  const [, keyId, hmacKey] = /^([^:\s]+):([A-Za-z0-9_-]+)=*$/.exec(value) ?? [];
  // The value is a secret, so the message does not repeat it.
  if (!keyId || !hmacKey)
    fail("POSTHOUSE_ACME_BINDING", undefined, "must look like key-id:base64url-hmac-key");
  return { keyId, hmacKey };
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && ["http:", "https:"].includes(new URL(value).protocol);
}
