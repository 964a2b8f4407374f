import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { apiKeys } from "#drizzle/schema/index.ts";
import { changeApiKey } from "#server/core/access/api-keys/api-keys.ts";
import { changeAllowedAddresses } from "#server/core/access/companies/company-settings.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aContext, anApiKey } from "#server/testing/factories.ts";

import { emailsApi } from "./emails/api.ts";

const callFrom = (address: string, key: string) =>
  call(emailsApi.list, { key, headers: { "x-forwarded-for": address } });

async function aKeyAllowedFrom(list: string[]) {
  const { id: companyId } = await aCompany();
  await changeAllowedAddresses(aContext(companyId), { isOwner: true }, list);
  return { companyId, ...(await anApiKey(companyId)) };
}

describe("a company's allow-list", () => {
  test.each([
    ["empty, any IPv4 address", [], "203.0.113.9"],
    ["empty, any IPv6 address", [], "2001:db8::9"],
    ["of an IPv4 address, that one", ["203.0.113.9"], "203.0.113.9"],
    ["of an IPv4 range, one inside", ["203.0.113.0/24"], "203.0.113.9"],
    ["of an IPv4 range, its last one", ["203.0.113.0/24"], "203.0.113.255"],
    ["of an IPv4 address, the same one mapped", ["203.0.113.9"], "::ffff:203.0.113.9"],
    ["of a mapped range, one inside", ["::ffff:203.0.113.0/120"], "203.0.113.9"],
    ["of an IPv6 address, the same in full", ["2001:db8::9"], "2001:0db8:0:0:0:0:0:9"],
    ["of an IPv6 range, one inside", ["2001:db8::/32"], "2001:db8:ffff::9"],
    ["of both kinds, one of the second", ["192.0.2.1", "2001:db8::/32"], "2001:db8::9"],
  ])("allows %s", async (_, list, address) => {
    const { token } = await aKeyAllowedFrom(list);

    expect(await callFrom(address, token)).toMatchObject({ status: 200 });
  });

  test.each([
    ["an IPv4 address, its neighbor", ["203.0.113.9"], "203.0.113.10"],
    ["an IPv4 range, the first one behind", ["203.0.113.0/24"], "203.0.114.0"],
    ["an IPv4 range, a mapped one outside", ["203.0.113.0/24"], "::ffff:203.0.114.0"],
    ["an IPv6 address, its neighbor", ["2001:db8::9"], "2001:db8::a"],
    ["an IPv6 range, one outside", ["2001:db8::/32"], "2001:db9::9"],
    ["all of IPv4, an IPv6 address", ["0.0.0.0/0"], "2001:db8::9"],
    ["all of IPv6, an IPv4 address", ["::/0"], "203.0.113.9"],
  ])("rejects %s and names the address in the error", async (_, list, address) => {
    const { token, id } = await aKeyAllowedFrom(list);

    const { status, body, headers } = await callFrom(address, token);

    expect(status).toBe(403);
    expect(body).toMatchObject({
      name: "ip_not_allowed",
      message: expect.stringContaining(address) as string,
    });
    expect(headers.get("ratelimit-limit")).toBeNull();
    const [key] = await db().select().from(apiKeys).where(eq(apiKeys.id, id));
    expect(key!.lastUsedAt).toBeNull();
  });

  test("applies to all keys of the company, including sending keys, and to no other company", async () => {
    const { companyId } = await aKeyAllowedFrom(["192.0.2.1"]);
    const sending = await anApiKey(companyId, { permission: "sending_access" });
    const stranger = await aKeyAllowedFrom([]);

    expect(
      await call(emailsApi.send, {
        key: sending.token,
        headers: { "x-forwarded-for": "192.0.2.2" },
      }),
    ).toMatchObject({ status: 403, body: { name: "ip_not_allowed" } });
    expect(await callFrom("192.0.2.2", stranger.token)).toMatchObject({ status: 200 });
  });

  test("applies changes from the next request", async () => {
    const { companyId, token } = await aKeyAllowedFrom(["192.0.2.1"]);
    expect(await callFrom("192.0.2.2", token)).toMatchObject({ status: 403 });

    await changeAllowedAddresses(aContext(companyId), { isOwner: true }, ["192.0.2.0/24"]);
    expect(await callFrom("192.0.2.2", token)).toMatchObject({ status: 200 });
    await changeAllowedAddresses(aContext(companyId), { isOwner: true }, []);
    expect(await callFrom("203.0.113.1", token)).toMatchObject({ status: 200 });
  });
});

describe("a key's own allow-list", () => {
  async function aRestrictedKey(keyList: string[], companyList: string[] = []) {
    const { companyId } = await aKeyAllowedFrom(companyList);
    const key = await anApiKey(companyId);
    await changeApiKey(aContext(companyId), key.id, { allowedAddresses: keyList });
    return { ...key, companyId };
  }

  test("restricts this key only", async () => {
    const { token, id, companyId } = await aRestrictedKey(["203.0.113.0/24"]);
    const other = await anApiKey(companyId);

    expect(await callFrom("192.0.2.1", token)).toMatchObject({
      status: 403,
      body: {
        name: "ip_not_allowed",
        message: "192.0.2.1 is not on the key's allow-list",
      },
    });
    const [key] = await db().select().from(apiKeys).where(eq(apiKeys.id, id));
    expect(key!.lastUsedAt).toBeNull();
    expect(await callFrom("203.0.113.9", token)).toMatchObject({ status: 200 });
    expect(await callFrom("192.0.2.1", other.token)).toMatchObject({ status: 200 });
  });

  test("applies in addition to the company's: the address must be on both", async () => {
    const { token } = await aRestrictedKey(["203.0.113.0/24"], ["203.0.113.9", "192.0.2.1"]);

    expect(await callFrom("203.0.113.9", token)).toMatchObject({ status: 200 });
    for (const address of ["203.0.113.10", "192.0.2.1"])
      expect(await callFrom(address, token)).toMatchObject({
        status: 403,
        body: { name: "ip_not_allowed" },
      });
  });

  test("applies changes from the next request", async () => {
    const { token, id, companyId } = await aRestrictedKey([]);
    expect(await callFrom("192.0.2.1", token)).toMatchObject({ status: 200 });
    await changeApiKey(aContext(companyId), id, { allowedAddresses: ["2001:db8::/32"] });
    expect(await callFrom("192.0.2.1", token)).toMatchObject({ status: 403 });
    await changeApiKey(aContext(companyId), id, { allowedAddresses: [] });
    expect(await callFrom("192.0.2.1", token)).toMatchObject({ status: 200 });
  });
});
