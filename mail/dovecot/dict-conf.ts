import { connectString } from "./quoting.ts";
import type { DovecotSettings } from "./settings.ts";

type Settings = Pick<DovecotSettings, "databaseUrl">;

/** Where the quota_clone plugin writes the usage of a mailbox. */
export function usageConf({ databaseUrl }: Settings): string {
  const column = (key: string, name: string) => `map {
  pattern = priv/quota/${key}
  table = mailbox_usage
  username_field = address
  value_field = ${name}
  value_type = uint
}
`;
  return `connect = ${connectString(databaseUrl, 4)}
${column("storage", "used_bytes")}${column("messages", "messages")}`;
}

/** Where the last_login plugin writes the times of the last sign-ins. */
export function signInsConf({ databaseUrl }: Settings): string {
  const column = (protocol: string, name: string) => `map {
  pattern = shared/last-${protocol}/$user
  table = mailbox_sign_ins
  value_field = ${name}
  value_type = uint
  fields {
    address = $user
  }
}
`;
  return `connect = ${connectString(databaseUrl, 4)}
${column("imap", "last_sign_in")}${column("pop3", "last_pop3")}`;
}

/** Where Dovecot reads the rules set at `/account`. The script ID tells it when its compiled script is outdated. */
export function rulesConf({ databaseUrl }: Settings): string {
  const column = (pattern: string, name: string, fields = "") => `map {
  pattern = priv/sieve/${pattern}
  table = mailbox_rules
  username_field = mailbox
  value_field = ${name}
${fields}}
`;
  return `connect = ${connectString(databaseUrl, 4)}
${column("name/rules", "script_id")}${column("data/$id", "script", "  fields {\n    script_id = $id\n  }\n")}`;
}
