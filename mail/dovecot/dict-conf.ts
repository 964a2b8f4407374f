import { block } from "./quoting.ts";

/** The table and column that hold the value of a key. */
type DictMap = {
  pattern: string;
  table: string;
  value: string;
  isNumber?: boolean;
  /** The column with the mailbox user, for private keys. */
  user?: string;
  /** Columns that a `$name` of the pattern must equal. */
  keys?: Record<string, string>;
};

const usage = { table: "mailbox_usage", user: "address", isNumber: true };
const signIns = { table: "mailbox_sign_ins", isNumber: true, keys: { address: "$user" } };
const rules = { table: "mailbox_rules", user: "mailbox" };
const share = { value: "can_write", keys: { viewer: "$viewer", mailbox: "$mailbox" } };

const DICTS: Record<string, DictMap[]> = {
  // Where the quota_clone plugin writes the usage of a mailbox.
  usage: [
    { ...usage, pattern: "priv/quota/storage", value: "used_bytes" },
    { ...usage, pattern: "priv/quota/messages", value: "messages" },
  ],
  // Where the last_login plugin writes the times of the last sign-ins.
  signins: [
    { ...signIns, pattern: "shared/last-imap/$user", value: "last_sign_in" },
    { ...signIns, pattern: "shared/last-pop3/$user", value: "last_pop3" },
  ],
  // The rules set at `/account`. The script ID tells Dovecot when its compiled script is outdated.
  rules: [
    { ...rules, pattern: "priv/sieve/name/rules", value: "script_id" },
    { ...rules, pattern: "priv/sieve/data/$id", value: "script", keys: { script_id: "$id" } },
  ],
  // Which shared mailboxes to list: Dovecot asks for a mailbox user, its groups, and everyone. Its own writes, when folders
  // are created, are ignored.
  shares: [
    {
      ...share,
      pattern: "shared/shared-boxes/user/$viewer/$mailbox",
      table: "(SELECT * FROM mailbox_viewers WHERE is_near) AS v",
    },
    {
      ...share,
      pattern: "shared/shared-boxes/group/$viewer/$mailbox",
      table: "ignored_shares",
    },
    {
      ...share,
      pattern: "shared/shared-boxes/anyone/$mailbox",
      table: "ignored_shares",
      keys: { mailbox: "$mailbox" },
    },
  ],
};

/** The maps of each dict for Dovecot 2.3, which reads them from files. */
export const dictMaps23 = (): [name: string, maps: string][] =>
  Object.entries(DICTS).map(([name, maps]) => [name, maps.map(map23).join("")]);

const map23 = ({ pattern, table, value, isNumber, user, keys }: DictMap) =>
  block(
    "map",
    `pattern = ${pattern}`,
    `table = ${table}`,
    user && `username_field = ${user}`,
    `value_field = ${value}`,
    isNumber && "value_type = uint",
    keys && block("fields", ...Object.entries(keys).map(([name, key]) => `${name} = ${key}`)),
  );

/** The dicts for Dovecot 2.4. */
export const dictServer24 = (): string =>
  block(
    "dict_server",
    ...Object.entries(DICTS).map(([name, maps]) =>
      block(`dict ${name}`, "driver = sql", ...maps.map(map24)),
    ),
  );

const map24 = ({ pattern, table, value, isNumber, user, keys = {} }: DictMap) =>
  block(
    `dict_map ${pattern}`,
    `sql_table = ${table}`,
    user && `username_field = ${user}`,
    block(`value_field ${value}`, isNumber && "type = uint"),
    ...Object.entries(keys).map(([name, key]) => block(`key_field ${name}`, `value = ${key}`)),
  );
