import { expect, test } from "vitest";

import { config } from "#server/config.ts";
import { pool } from "#server/db/pool.ts";

import { appPasswordsConf, usersConf } from "./sql-conf.ts";

/** A query of the configuration as Dovecot would send it for a user name. */
function query(name: "password_query" | "user_query" | "app passwords", user: string): string {
  const isForApps = name === "app passwords";
  const conf = (isForApps ? appPasswordsConf : usersConf)({
    baseUrl: "http://localhost",
    databaseUrl: config().databaseUrl!,
    dataFolder: "/data",
  });
  const text = new RegExp(`^${isForApps ? "password_query" : name} = ((?:.*\\\\\n)*.*)`, "m").exec(
    conf,
  )![1]!;
  const [local = "", domain = ""] = user.split("@");
  return text
    .replaceAll("\\\n", " ")
    .replaceAll("%u", user)
    .replaceAll("%n", local)
    .replaceAll("%d", domain);
}

test.each(["password_query", "user_query", "app passwords"] as const)(
  "%s finds no row for an unknown name, and fails for an empty name",
  async (name) => {
    expect(await pool().sql.unsafe(query(name, "nobody@example.com"))).toEqual([]);
    await expect(pool().sql.unsafe(query(name, ""))).rejects.toThrow("division by zero");
  },
);
