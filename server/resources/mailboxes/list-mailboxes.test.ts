import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { config } from "#server/config.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { call } from "#server/testing/call.ts";
import { aDomain, aGroup, aMailbox, anAlias } from "#server/testing/factories.ts";
import {
  aMailboxAdmin,
  invalid,
  invalidCursor,
  type MailboxAdmin,
} from "#server/testing/mailbox-admin.ts";
import { mailboxesApi } from "./api.ts";

let dovecot: TestDovecot;
let admin: MailboxAdmin;
beforeAll(async () => {
  dovecot = await aDovecot({ givenFolder: config().dataFolder });
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  admin = await aMailboxAdmin();
});

describe("GET /mailboxes", () => {
  test("is ordered by address and paged by addresses in both directions", async () => {
    for (const name of ["c", "a", "e", "b", "d"])
      await aMailbox(admin.domain, { address: admin.at(name) });
    await aGroup(admin.domain, { address: admin.at("bb") });
    const page = async (query: Record<string, string>) => {
      const { data, has_more: hasMore } = await admin.list(query);
      return [data.map(({ email }) => String(email).split("@")[0]).join(""), hasMore];
    };

    expect(await page({})).toEqual(["abcde", false]);
    expect(await page({ limit: "2" })).toEqual(["ab", true]);
    expect(await page({ limit: "2", after: admin.at("B") })).toEqual(["cd", true]);
    expect(await page({ limit: "2", after: admin.at("d") })).toEqual(["e", false]);
    expect(await page({ limit: "2", after: admin.at("e") })).toEqual(["", false]);
    expect(await page({ limit: "2", before: admin.at("d") })).toEqual(["bc", true]);
    expect(await page({ limit: "2", before: admin.at("c") })).toEqual(["ab", false]);
    expect(await page({ limit: "2", before: admin.at("a") })).toEqual(["", false]);
  });

  test("accepts a cursor whose plus is not encoded", async () => {
    for (const name of ["a", "b+c", "d"]) await aMailbox(admin.domain, { address: admin.at(name) });
    const names = await admin.emailsOf({ after: admin.at("b c") });
    expect(names).toEqual([admin.at("d")]);
  });

  test("filters by domain, in any case", async () => {
    const second = await aDomain(admin.companyId);
    const [here, there] = [await aMailbox(admin.domain), await aMailbox(second)];
    expect(await admin.emailsOf({ domain: second.name.toUpperCase() })).toEqual([there.address]);
    const beyond = { domain: second.name, after: here.address };
    expect(await call(mailboxesApi.list, { key: admin.key, query: beyond })).toMatchObject(
      invalidCursor,
    );
  });

  test("rejects a domain of another company, an unverified one and an invalid name", async () => {
    const unproven = await aDomain(admin.companyId, {
      ownershipProvenAt: null,
      status: "not_started",
    });
    const unverified = await aDomain(admin.companyId, { status: "pending" });
    const own = [unproven.name, unverified.name];
    const names = [(await aMailboxAdmin()).domain.name, ...own, "nobodys.example", "x", ""];
    for (const name of names)
      expect(
        await call(mailboxesApi.list, { key: admin.key, query: { domain: name } }),
      ).toMatchObject({
        status: 422,
        body: {
          message: expect.stringMatching(
            /^domain: .* is not a verified domain of the company$/,
          ) as string,
        },
      });
  });

  test("rejects cursors that are not in the list", async () => {
    const mailbox = await aMailbox(admin.domain);
    const alias = await anAlias(admin.domain, mailbox.address);
    const group = (await aGroup(admin.domain)).address;
    for (const cursor of [
      alias,
      group,
      admin.at("invalid"),
      "ann",
      "",
      "\0",
      `Ann <${mailbox.address}>`,
    ])
      for (const direction of ["after", "before"])
        expect(
          await call(mailboxesApi.list, { key: admin.key, query: { [direction]: cursor } }),
        ).toMatchObject(invalidCursor);
    const both = { after: mailbox.address, before: mailbox.address };
    expect(await call(mailboxesApi.list, { key: admin.key, query: both })).toMatchObject(invalid);
    for (const limit of ["0", "101", "x"])
      expect(await call(mailboxesApi.list, { key: admin.key, query: { limit } })).toMatchObject(
        invalid,
      );
  });
});
