import { derivedSecret } from "./derived-secret.ts";

/** The password of Dovecot's database role. */
export const dovecotDatabasePassword = (): string =>
  derivedSecret("dovecot database").toString("base64url");
