import { parseAddress } from "./parse-address.ts";

/** The address that a text is, in lower case; null for anything else, also for one with a name beside it. */
export function readBareAddress(text: string): string | null {
  return text.includes("<") ? null : (parseAddress(text)?.address ?? null);
}
