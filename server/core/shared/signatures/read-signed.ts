import { z } from "zod";

import { Refusal } from "#server/core/shared/refusals.ts";

import type { SigningJwks } from "./signing-key.ts";

const Signed = z.looseObject({ signature: z.string() });
const SignedFile = z.union([
  z.looseObject({ data: z.array(Signed) }),
  z.array(Signed),
  Signed.transform((one) => [one]),
]);
const Jwks = z.object({
  keys: z.array(
    z.looseObject({ kty: z.string(), crv: z.string(), x: z.string(), kid: z.string() }),
  ),
});

/** An object with its signature, a compact JWS. */
export type Signed = z.infer<typeof Signed>;

/**
 * Reads a file with signed objects: one, a list, a response of the API with a list, or a signature alone.
 *
 * @param what the objects, for the error: "receipts"
 * @throws Refusal `invalid` for a file without any
 */
export function readSigned(text: string, what: string): Signed[] {
  const trimmed = text.trim();
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(trimmed)) return [{ signature: trimmed }];
  const file = SignedFile.safeParse(readJson(trimmed));
  const found = file.data && ("data" in file.data ? file.data.data : file.data);
  if (!found || found.length === 0) throw new Refusal("invalid", `The file has no ${what}`);
  return found;
}

/** Reads a file of public keys, as published. @throws Refusal `invalid` */
export function readSigningKeys(text: string): SigningJwks {
  const keys = Jwks.safeParse(readJson(text));
  if (!keys.success) throw new Refusal("invalid", "The key file isn't a JSON Web Key Set");
  return keys.data as unknown as SigningJwks;
}

/** @throws Refusal `invalid` */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal("invalid", "The file isn't JSON");
  }
}
