import type { HeaderAddress } from "#drizzle/schema/emails.ts";

import {
  encodedPieces,
  foldedField,
  splitIntoPieces,
  requireSingleLine,
} from "#server/core/shared/mime/header-field.ts";

/** Names of atoms need no quotes (RFC 5322 section 3.2.3). */
const ATOMS = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?: [A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/;
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;
const WORD_CHARS_MAX = 60;

/** Formats a From, To, Cc or Reply-To field (RFC 5322 section 3.6); empty without addresses. */
export function addressField(field: string, addresses: HeaderAddress[]): string {
  if (addresses.length === 0) return "";
  const pieces: string[] = [];
  for (const [
    i,
    { name, address: lowercase, written: address = lowercase },
  ] of addresses.entries()) {
    requireSingleLine(field, name);
    if (!PRINTABLE_ASCII.test(address)) throw new Error(`Not an ASCII address in ${field}`);
    const comma = i < addresses.length - 1 ? "," : "";
    if (name === "") pieces.push(` ${address}${comma}`);
    else pieces.push(...namePieces(name), ` <${address}>${comma}`);
  }
  return foldedField(field, pieces);
}

function namePieces(name: string): string[] {
  const encode =
    !PRINTABLE_ASCII.test(name) ||
    name.includes("=?") ||
    name !== name.trim() ||
    splitIntoPieces(name).some((word) => word.length > WORD_CHARS_MAX);
  if (encode) return encodedPieces(name);
  if (ATOMS.test(name)) return splitIntoPieces(name);
  return splitIntoPieces(`"${name.replace(/["\\]/g, "\\$&")}"`);
}
