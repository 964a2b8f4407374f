import { expect, test } from "vitest";

import { ownMtaStsPolicy } from "./policy.ts";

const hostname = "mail.example.com";
const tls = { certFile: "/tls/cert.pem", keyFile: "/tls/key.pem" };

const acme = {
  directoryUrl: "https://acme.test/directory",
  email: null,
  binding: null,
  dnsHook: null,
};

test("names the appliance's host, and enforces TLS if there is a certificate", () => {
  expect(ownMtaStsPolicy({ hostname, tls }).text).toBe(
    "version: STSv1\r\nmode: enforce\r\nmx: mail.example.com\r\nmax_age: 604800\r\n",
  );
  expect(ownMtaStsPolicy({ hostname, tls: null }).text).toContain("mode: testing\r\n");
  expect(ownMtaStsPolicy({ hostname, tls: null, acme }).text).toContain("mode: testing\r\n");
  expect(ownMtaStsPolicy({ hostname, tls: null, acme }, true).text).toContain("mode: enforce\r\n");
});

test("the id changes with the policy, but not when the first certificate is issued", () => {
  const { id } = ownMtaStsPolicy({ hostname, tls });

  expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(ownMtaStsPolicy({ hostname, tls: { ...tls, certFile: "/other.pem" } }).id).toBe(id);
  expect(ownMtaStsPolicy({ hostname, tls: null, acme }).id).toBe(id);
  expect(ownMtaStsPolicy({ hostname, tls: null, acme }, true).id).toBe(id);
  expect(ownMtaStsPolicy({ hostname, tls: null }).id).not.toBe(id);
  expect(ownMtaStsPolicy({ hostname: "mx.example.com", tls }).id).not.toBe(id);
});
