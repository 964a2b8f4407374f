import { hkdfSync } from "node:crypto";

import { instanceKey } from "./instance-key.ts";

/**
 * The password of Dovecot's database role. Derived from the instance key, so that all hosts of the instance
 * agree on it.
 */
export function dovecotDatabasePassword(): string {
  const bytes = hkdfSync("sha256", instanceKey(), "", "posthouse dovecot database", 32);
  return Buffer.from(bytes).toString("base64url");
}
