import { hkdfSync } from "node:crypto";

import { instanceKey } from "./instance-key.ts";

/** The password of Dovecot's database role: the same on every host of this instance, so none locks another one out. */
export function dovecotDatabasePassword(): string {
  const bytes = hkdfSync("sha256", instanceKey(), "", "posthouse dovecot database", 32);
  return Buffer.from(bytes).toString("base64url");
}
