import { beforeAll, expect, test } from "vitest";

import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aMailbox, anAlias } from "#server/testing/factories.ts";

import { signInClient } from "./sign-in.ts";

let domain: Awaited<ReturnType<typeof aDomain>>;
beforeAll(async () => {
  domain = await aDomain((await aCompany()).id);
});

const from = "2001:db8:7::1";

test("an alias, in any case and with spaces around it, signs in to its mailbox", async () => {
  const { address, companyId } = await aMailbox(domain);
  const alias = await anAlias(domain, address);
  for (const username of [alias, ` ${alias.toUpperCase()} `, address.replace("@", "+shop@")]) {
    const user = await signInClient(db(), {
      username,
      password: "test password",
      clientAddress: "2001:db8:8::1",
    });
    expect(user).toMatchObject({ kind: "mailbox", address, companyId });
    expect(user).toMatchObject({ credentialsVersion: expect.stringMatching(/./) as string });
  }
});

test("all users of an office can sign in at once from a new address, while guesses from it are counted", async () => {
  const people = await Promise.all(Array.from({ length: 60 }, () => aMailbox(domain)));
  const enter = (username: string, password = "test password") =>
    signInClient(db(), { username, password, clientAddress: from });
  const signedIn = await Promise.all(people.map(({ address }) => enter(address)));
  expect(signedIn.map((user) => user.kind === "mailbox" && user.address)).toEqual(
    people.map(({ address }) => address),
  );

  // Some concurrent attempts are rejected because too many others are in progress.
  for (let round = 0; round < 4; round++)
    await Promise.allSettled(
      Array.from({ length: 25 }, (_, i) => enter(`nobody-${round}-${i}@${domain.name}`)),
    );
  const guess = (name: number) =>
    enter(`nobody-${name}@${domain.name}`).then(
      () => "in",
      (error: unknown) => String(error),
    );
  let rest = 10;
  while (!/4\.7\.0/.test(await guess(rest))) expect((rest -= 1)).toBeGreaterThan(0);
  expect(await enter(people[0]!.address)).toMatchObject({ kind: "mailbox" });
});
