import { parseAddress } from "./parse-address.ts";

/** Parses an address without a display name, in lowercase; null for anything else. */
export function readBareAddress(text: string): string | null {
  return text.includes("<") ? null : (parseAddress(text)?.address ?? null);
}
