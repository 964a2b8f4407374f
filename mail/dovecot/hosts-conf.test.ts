import { expect, test } from "vitest";

import { hostsConf } from "./hosts-conf.ts";

const certificate = { certificate: "", key: "" };
const conf = (address: string) =>
  hostsConf(
    { name: "mail-1", address, certificate, peers: [{ address: "10.0.0.2", certificate: "" }] },
    "2.4",
  );

test("Dovecot 2.4 connects from the mail host's address only if the machine has it", async () => {
  expect(await conf("127.9.8.7")).toContain("login_source_ips = 127.9.8.7\n");
  const behindNat = await conf("192.0.2.1");
  expect(behindNat).not.toContain("login_source_ips");
  expect(behindNat).toContain("login_trusted_networks = 10.0.0.2\n");
});
