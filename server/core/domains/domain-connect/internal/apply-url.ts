import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { readFileSync } from "node:fs";

import { ConfigError, type DomainConnect } from "#server/config.ts";

/** The template's ID, which is also in its file's name. */
const SERVICE_ID = "posthouse";

const MODULUS_BITS_MIN = 2048;

/**
 * Reads the key that links are signed with. A replaced file is used without a restart.
 *
 * @throws ConfigError
 */
export function readSigningKey({ keyFile }: DomainConnect): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(keyFile));
  } catch (error) {
    throw new ConfigError(`POSTHOUSE_DOMAIN_CONNECT_KEY: ${(error as Error).message}`);
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== "rsa" || bits < MODULUS_BITS_MIN)
    throw new ConfigError(
      `POSTHOUSE_DOMAIN_CONNECT_KEY: must be an RSA key of at least ${MODULUS_BITS_MIN} bits`,
    );
  return key;
}

/** The template's path below a provider's URLs, to look it up and to apply it. */
export const templatePath = ({ providerId }: DomainConnect) =>
  `/v2/domainTemplates/providers/${encode(providerId)}/services/${SERVICE_ID}`;

/** The signed link that lets a user apply the template at the DNS provider. */
export function applyUrl(
  urlSyncUX: string,
  parameters: Record<string, string>,
  connect: DomainConnect,
): string {
  const query = Object.entries(parameters)
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map((pair) => pair.join("="))
    .join("&");
  const signature = sign("sha256", Buffer.from(query), readSigningKey(connect)).toString("base64");
  const signed = `${query}&sig=${encode(signature)}&key=${encode(connect.keyHost)}`;
  return `${urlSyncUX}${templatePath(connect)}/apply?${signed}`;
}

/** RFC 3986, which reserves five more characters than `encodeURIComponent`. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
