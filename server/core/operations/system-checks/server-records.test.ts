import { afterAll, beforeAll, expect, test } from "vitest";

import { systemChecks } from "#drizzle/schema/index.ts";
import { readConfig } from "#server/config.ts";
import { listPlatformRecords } from "#server/core/domains/own-domain/own-domain.ts";
import { db } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";

import { findMissingRecords, previewHostname } from "./server-records.ts";

const HOST = "mail.appliance.example";
const OWN = ["198.51.100.7", "2001:db8::7"];
const REVERSE = {
  "7.100.51.198.in-addr.arpa": { PTR: [HOST] },
  "7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa": { PTR: [HOST] },
};
const config = readConfig({ POSTHOUSE_HOSTNAME: HOST });

let server: FakeDns;
beforeAll(async () => void (server = await aDnsServer()));
afterAll(() => server.close());

const sources = (addresses = OWN) => ({
  config,
  addresses,
  resolver: createResolver({ dnsServers: [server] }, { timeoutMs: 300, tries: 1 }),
});

const find = (addresses = OWN) => findMissingRecords(db(), sources(addresses));

test("lists what DNS doesn't have yet, with names and values to publish", async () => {
  const [dkim, spf] = await listPlatformRecords(db(), config);
  const wanted = [
    { type: "A", name: HOST, value: OWN[0] },
    { type: "AAAA", name: HOST, value: OWN[1] },
    { type: "PTR", name: OWN[0], value: HOST },
    { type: "PTR", name: OWN[1], value: HOST },
    { type: "TXT", name: dkim!.name, value: dkim!.value },
    { type: "TXT", name: HOST, value: spf!.value },
  ];
  expect(await find()).toMatchObject(wanted);

  server.records[HOST] = { A: [OWN[0]!] };
  expect(await find()).toMatchObject(wanted.slice(1));
  server.records[HOST] = { A: [OWN[0]!], AAAA: [OWN[1]!], TXT: [spf!.value] };
  Object.assign(server.records, REVERSE);
  expect(await find()).toMatchObject([wanted[4]]);
  server.records[dkim!.name] = { TXT: [dkim!.value] };
  expect(await find()).toEqual([]);
});

test("behind NAT, any public address of the hostname will do, if its reverse DNS is the hostname", async () => {
  server.records[HOST] = { A: ["10.0.0.1"] };
  expect((await find([]))[0]).toMatchObject({ type: "A", value: "this server's public address" });
  server.records[HOST] = { A: ["1.1.1.1"] };
  expect((await find([])).filter(({ type }) => type !== "TXT")).toMatchObject([
    { type: "PTR", name: "1.1.1.1", value: HOST },
  ]);
  server.records["1.1.1.1.in-addr.arpa"] = { PTR: [HOST] };
  expect((await find([])).filter(({ type }) => type !== "TXT")).toEqual([]);
});

test("previews a hostname in local mode: records, and the checks that need no restart", async () => {
  const name = "mail.candidate.example";
  const preview = () =>
    previewHostname(db(), name, { ...sources([OWN[0]!]), config: readConfig({}) });
  const before = await preview();
  expect(before.records).toMatchObject([
    { type: "A", name, value: OWN[0] },
    { type: "PTR", name: OWN[0], value: name },
  ]);
  expect(before.checks.map((check) => check.name)).toEqual(["port_out", "reverse_dns", "dns"]);
  const advice = before.checks.map((check) => check.advice).join();
  expect(advice).toContain(`_posthouse-receipts.${name}`);
  expect(advice).not.toContain("localhost");
  expect(await db().select().from(systemChecks)).toEqual([]);

  server.records[name] = { A: [OWN[0]!] };
  server.records["7.100.51.198.in-addr.arpa"] = { PTR: [name] };
  expect((await preview()).records).toEqual([]);
});
