import { resolve } from "node:path";

type Environment = Record<string, string | undefined>;
type Fail = (variable: string, value: string | undefined, expected: string) => never;

/** The operator's template at DNS providers (draft-ietf-dconn-domainconnect). */
export type DomainConnect = {
  /** The template's `providerId`, which names the operator. */
  providerId: string;
  /** The private RSA key that links are signed with, in PEM. */
  keyFile: string;
  /** The label below the template's `syncPubKeyDomain` where the public key is published. */
  keyHost: string;
};

const KEY_HOST = "_dcpubkeyv1";
const ID = /^[a-z0-9._-]{1,63}$/i;
const LABEL = /^_?[a-z0-9-]{1,62}$/i;

/** @param fail throws a ConfigError about a variable */
export function readDomainConnect(env: Environment, fail: Fail): DomainConnect | null {
  const providerId = env.POSTHOUSE_DOMAIN_CONNECT;
  if (!providerId) {
    for (const name of ["POSTHOUSE_DOMAIN_CONNECT_KEY", "POSTHOUSE_DOMAIN_CONNECT_KEY_HOST"])
      if (env[name])
        fail("POSTHOUSE_DOMAIN_CONNECT", undefined, `must be set together with ${name}`);
    return null;
  }
  if (!ID.test(providerId))
    fail("POSTHOUSE_DOMAIN_CONNECT", providerId, "must be a provider ID, such as example.com");
  const key = env.POSTHOUSE_DOMAIN_CONNECT_KEY;
  if (!key)
    fail(
      "POSTHOUSE_DOMAIN_CONNECT_KEY",
      undefined,
      "must be set together with POSTHOUSE_DOMAIN_CONNECT",
    );
  const keyHost = env.POSTHOUSE_DOMAIN_CONNECT_KEY_HOST || KEY_HOST;
  if (!LABEL.test(keyHost))
    fail("POSTHOUSE_DOMAIN_CONNECT_KEY_HOST", keyHost, `must be one label, such as ${KEY_HOST}`);
  return { providerId, keyFile: resolve(/* turbopackIgnore: true */ key), keyHost };
}
