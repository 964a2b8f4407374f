import { expect, test } from "vitest";

import { config } from "#server/config.ts";
import { ensureDovecotRole } from "#server/db/dovecot-role.ts";
import { aDovecot } from "#server/testing/a-dovecot.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";

import { connectString } from "./quoting.ts";

test("Dovecot signs in to the database with any password", async () => {
  const databaseUrl = await ensureDovecotRole(config().databaseUrl!, {
    password: ` a  b'c"d\\e#f%g%%20+&?/@:;=$1 %u %{user} %%{user} é `,
    onProblem(reason) {
      throw reason;
    },
  });
  const mailbox = await aMailbox(await aDomain((await aCompany()).id));
  const dovecot = await aDovecot({ databaseUrl: databaseUrl! });
  try {
    await (await signIn(dovecot.imap, mailbox.address)).logout();
  } finally {
    await dovecot.stop();
  }
});

test("omits connection parameters that libpq doesn't know", () => {
  const [uri, connections] = connectString(
    "postgres://ann:p%40ss@db.example:6432/mail?sslmode=require&max=5&options=-c%20a%3Db",
  ).split(" ");
  expect(connections).toBe("maxconns=4");
  const { searchParams, password } = new URL(uri!);
  expect(password).toBe("p%40ss");
  expect(searchParams.get("sslmode")).toBe("require");
  expect(searchParams.get("options")).toBe("-c a=b");
  expect(searchParams.has("max")).toBe(false);
  expect(uri).not.toContain("+");
});
