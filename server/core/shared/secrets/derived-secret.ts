import { hkdfSync } from "node:crypto";

import { instanceKey } from "./instance-key.ts";

const BYTES = 32;

type Purpose =
  "dovecot database" | "doveadm" | "host links" | "setup token" | "receipts" | "audit log";

/** A secret derived from the instance key, so that all hosts of the instance agree on it. */
export function derivedSecret(purpose: Purpose): Buffer {
  return Buffer.from(hkdfSync("sha256", instanceKey(), "", `posthouse ${purpose}`, BYTES));
}
