import { expect, test } from "vitest";

import { createResolver } from "#server/gateways/dns.ts";
import { aDnsServer } from "#server/testing/fake-dns.ts";
import type { Route } from "#worker/delivery/delivery.ts";
import { systemSource } from "#worker/delivery/sources.ts";

import { createDestinationFinder } from "./destinations.ts";

test("looks up mail servers once, and again after a failure", async () => {
  const dns = await aDnsServer({ "there.test": { MX: ["10 mx.test"] }, "broken.test": "SERVFAIL" });
  const resolver = createResolver({ dnsServers: [dns] }, { timeoutMs: 100, tries: 1 });
  const options = { resolver, outboundPort: 25, allowPrivateHosts: false };
  const findFrom = createDestinationFinder(options);
  const find = (route: Route) => findFrom({ route }, systemSource("mail.here.test"));

  await Promise.all(["there.test", "There.Test"].map((domain) => find({ kind: "mx", domain })));
  await find({ kind: "mx", domain: "there.test" });
  expect(dns.questions).toEqual(["MX there.test"]);

  expect(await find({ kind: "mx", domain: "broken.test" })).toMatchObject({ result: "delayed" });
  dns.records["broken.test"] = { MX: ["10 mx.test"] };
  expect(await find({ kind: "mx", domain: "broken.test" })).toMatchObject({ key: "mx 10 mx.test" });
  await dns.close();
});

test("TLS reports and other mail don't share connections, which count for other mail only", async () => {
  const dns = await aDnsServer({ "there.test": { MX: ["10 mx.test"] } });
  const resolver = createResolver({ dnsServers: [dns] }, { timeoutMs: 100, tries: 1 });
  const find = createDestinationFinder({ resolver, outboundPort: 25, allowPrivateHosts: false });
  const route: Route = { kind: "mx", domain: "there.test" };
  const [mail, report] = await Promise.all(
    [false, true].map((isTlsOptional) =>
      find({ route, isTlsOptional }, systemSource("mail.here.test")),
    ),
  );
  expect(mail).toMatchObject({ isReported: true, key: "mx 10 mx.test" });
  expect(report).toMatchObject({ isReported: false, gateKey: "mx 10 mx.test" });
  expect(report).not.toMatchObject({ key: "mx 10 mx.test" });
  await dns.close();
});

test("mail waits while it's unknown whether DANE applies to its mail servers", async () => {
  const dns = await aDnsServer({ "there.test": { MX: ["10 mx.test"] } });
  const findFrom = createDestinationFinder({
    resolver: createResolver({ dnsServers: [dns] }, { timeoutMs: 100, tries: 1 }),
    outboundPort: 25,
    allowPrivateHosts: false,
    tlsaFinder: {
      mxSecurity: () => Promise.resolve({ kind: "failed", reason: "SERVFAIL" }),
      tlsa: () => Promise.resolve({ kind: "none" }),
    },
  });
  const route: Route = { kind: "mx", domain: "there.test" };
  expect(await findFrom({ route }, systemSource("mail.here.test"))).toMatchObject({
    result: "delayed",
    dsn: "4.4.3",
  });
  await dns.close();
});
