import { randomBytes } from "node:crypto";

import { expect, test, vi } from "vitest";

import { config } from "#server/config.ts";

import { connect } from "./client.ts";
import { ensureDovecotRole } from "./dovecot-role.ts";

const url = () => config().databaseUrl!;
const noProblem = (reason: unknown) => {
  throw reason;
};

async function ask(database: string, statement: string) {
  const connection = connect(database, { max: 1 });
  try {
    return await connection.sql.unsafe(statement);
  } finally {
    await connection.close();
  }
}

test("Dovecot's role can read mailboxes and write usage and sign-ins, and nothing else", async () => {
  const role = (await ensureDovecotRole(url(), {
    password: 'it\'s "odd" %20 \\ $x',
    onProblem: noProblem,
  }))!;
  await ask(role, "select address, password_hash from mailboxes");
  await ask(role, "select mailbox from mailbox_passkeys");
  await ask(role, "insert into mailbox_usage values ('a@b.test', 1, 1)");
  await ask(role, "delete from mailbox_usage where address = 'a@b.test'");
  await ask(role, "update mailbox_sign_ins set last_sign_in = 1 where false");
  for (const statement of [
    "update mailboxes set quota_mb = 1",
    "select * from companies",
    "select * from emails",
    "select * from mailbox_passkeys",
    "create table own (id int)",
  ])
    await expect(ask(role, statement)).rejects.toThrow("permission denied");
});

test("each start sets the role's password, even concurrently", async () => {
  const passwords = ["first", "second", "third"];
  await Promise.all(
    passwords.map((password) => ensureDovecotRole(url(), { password, onProblem: vi.fn() })),
  );
  const role = await ensureDovecotRole(url(), { password: "last", onProblem: noProblem });
  expect(new URL(role!).password).toBe("last");
  await ask(role!, "select 1");
});

test("reports the reason when our own user cannot create roles", async () => {
  const name = `plain_${randomBytes(4).toString("hex")}`;
  await ask(url(), `create role ${name} login password 'plain'`);
  try {
    const plain = new URL(url());
    plain.username = name;
    plain.password = "plain";
    const onProblem = vi.fn();
    expect(await ensureDovecotRole(plain.href, { password: "x", onProblem })).toBeNull();
    expect(String(onProblem.mock.lastCall?.[0])).toMatch(/permission denied/);
  } finally {
    await ask(url(), `drop role ${name}`);
  }
});
