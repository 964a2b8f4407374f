import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { signProfile } from "./sign-profile.ts";

const NOW = new Date();
const PROFILE = "<plist>Grüße</plist>\n";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "posthouse-cms-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const openssl = (...args: string[]) =>
  execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] }).toString();
const file = (name: string) => readFileSync(join(folder, name), "utf8");

/** A certificate of a test CA, with its chain. */
function aCertificate(kind: string, newKey: string[]) {
  const ca = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Test CA"];
  openssl(...ca, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2");
  openssl(
    "req",
    ...newKey,
    "-nodes",
    "-subj",
    "/CN=mail.example.test",
    "-keyout",
    kind,
    "-out",
    "csr",
  );
  const by = [
    "-copy_extensions",
    "copy",
    "-CA",
    "ca.pem",
    "-CAkey",
    "ca.key",
    "-CAcreateserial",
    "-days",
    "2",
  ];
  openssl("x509", "-req", "-in", "csr", ...by, "-out", "pem");
  return { certificate: file("pem") + file("ca.pem"), key: file(kind) };
}

test.each([
  ["rsa", ["-newkey", "rsa:2048"]],
  [
    "ec",
    [
      "-addext",
      "subjectAltName=DNS:mail.example.test",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
    ],
  ],
  ["p384", ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"]],
])("signs a profile with a key of %s that openssl verifies up to the CA", (kind, newKey) => {
  const pair = aCertificate(kind, newKey);
  const signed = signProfile(PROFILE, pair, NOW)!;
  writeFileSync(join(folder, "signed"), signed);
  const verify = ["cms", "-verify", "-inform", "DER", "-in", "signed", "-CAfile", "ca.pem"];
  expect(openssl(...verify, "-purpose", "any", "-binary")).toBe(PROFILE);
  // The chain is included, because a device only has the root certificate.
  expect(openssl("pkcs7", "-inform", "DER", "-in", "signed", "-print_certs")).toMatch(
    /subject=CN ?= ?mail\.example\.test[^]*subject=CN ?= ?Test CA/,
  );

  const changed = Buffer.from(signed.toString("latin1").replace("<plist>", "<PLIST>"), "latin1");
  writeFileSync(join(folder, "signed"), changed);
  expect(() => openssl(...verify, "-purpose", "any")).toThrow();
});

test("leaves the profile unsigned with an unsupported key", () => {
  const pair = aCertificate("ed25519", ["-newkey", "ed25519"]);
  expect(signProfile(PROFILE, pair, NOW)).toBeNull();
});
