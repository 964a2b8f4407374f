import { config } from "#server/config.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { signingKey, type SigningJwks, toJwk } from "./signing-key.ts";

/** Where the public key of the appliance at a host is published in DNS. */
export const signingKeyName = (host: string) => `_posthouse-receipts.${host}`;

/** The TXT record that publishes this server's public key. */
export function signingKeyRecord(): { name: string; value: string } {
  const { x, kid } = signingKey().jwk;
  const key = Buffer.from(x, "base64url").toString("base64");
  const name = signingKeyName(new URL(config().baseUrl).hostname);
  return { name, value: `v=posthouse1; k=ed25519; kid=${kid}; p=${key}` };
}

/**
 * Reads the keys in TXT records, and ignores other records.
 *
 * @throws Refusal `not_found`
 */
export function readDnsKeys(name: string, texts: string[]): SigningJwks {
  const keys = texts.flatMap((text) => readRecord(text) ?? []);
  if (keys.length === 0) throw new Refusal("not_found", `${name} has no TXT record with a key`);
  return { keys };
}

const KEY_BYTES = 32;

function readRecord(text: string) {
  const tags = new Map(
    text.split(";").map((tag) => {
      const [name = "", ...value] = tag.split("=");
      return [name.trim(), value.join("=").trim()];
    }),
  );
  if (tags.get("v") !== "posthouse1" || tags.get("k") !== "ed25519") return null;
  const key = Buffer.from(tags.get("p") ?? "", "base64");
  if (key.length !== KEY_BYTES) return null;
  return toJwk(key.toString("base64url"));
}
