import { beforeEach, expect, test } from "vitest";

import { call } from "#server/testing/call.ts";
import { aCompany, aDomain, anApiKey } from "#server/testing/factories.ts";

import { inboundAddressesApi } from "./inbound-addresses.ts";

async function aCaller() {
  const { id } = await aCompany();
  const { name } = await aDomain(id);
  const { token } = await anApiKey(id, { privileges: ["view_groups", "manage_groups"] });
  return { id, key: token, at: (local: string) => `${local}@${name}` };
}
let own: Awaited<ReturnType<typeof aCaller>>;
beforeEach(async () => {
  own = await aCaller();
});

const create = (address?: unknown, key = own.key) =>
  call(inboundAddressesApi.create, { key, body: { address } });
const read = (address: string, key = own.key) =>
  call(inboundAddressesApi.get, { key, params: { address } });
const remove = (address: string, key = own.key) =>
  call(inboundAddressesApi.delete, { key, params: { address } });
const listed = async (key = own.key) =>
  ((await call(inboundAddressesApi.list, { key })).body as { data: object[] }).data;

test("creates, lists, retrieves and deletes addresses and catch-alls", async () => {
  const object = "inbound_address";
  const created = await create(` ${own.at("Support")} `);
  expect(created).toMatchObject({ status: 200, body: { object, address: own.at("support") } });
  expect((await create(own.at("*"))).status).toBe(200);
  expect(await listed()).toMatchObject([{ object, address: own.at("*") }, created.body]);
  expect((await read(own.at("SUPPORT"))).body).toEqual(created.body);
  expect((await remove(own.at("*"))).body).toEqual({
    object,
    address: own.at("*"),
    deleted: true,
  });
  expect(await remove(own.at("*"))).toMatchObject({ status: 404, body: { name: "not_found" } });
  expect(await listed()).toEqual([created.body]);
});

test("rejects taken, invalid and missing addresses", async () => {
  await create(own.at("support"));
  expect(await create(own.at("support"))).toMatchObject({ status: 409 });
  for (const address of ["x", own.at("*x"), "support@elsewhere.example"])
    expect(await create(address)).toMatchObject({
      status: 422,
      body: { name: "validation_error" },
    });
  for (const address of [undefined, "", 5]) expect((await create(address)).status).toBe(422);
  expect(await listed()).toHaveLength(1);
});

test("another company's key finds nothing", async () => {
  await create(own.at("support"));
  const other = await aCaller();
  for (const ask of [read, remove])
    expect(await ask(own.at("support"), other.key)).toMatchObject({ status: 404 });
  expect((await create(own.at("hi"), other.key)).status).toBe(422);
  expect(await listed(other.key)).toEqual([]);
  expect(await listed()).toHaveLength(1);
});

test("keys that only read received emails can list addresses, but not change them", async () => {
  const { token } = await anApiKey(own.id, { privileges: ["api_controls"] });
  await create(own.at("support"));
  expect(await listed(token)).toHaveLength(1);
  expect((await create(own.at("hi"), token)).status).toBe(403);
  expect((await remove(own.at("support"), token)).status).toBe(403);
});
