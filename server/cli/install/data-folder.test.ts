import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect } from "vitest";

import { serviceUser } from "#server/processes/service-user.ts";
import { testIf } from "#server/testing/test-if.ts";

import { prepareDataFolder, requireReadableCertificate } from "./data-folder.ts";

const testAsRoot = testIf(process.getuid!() === 0, "needs root");

let root: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "posthouse-data-"));
  chmodSync(root, 0o755);
  folder = join(root, "srv");
});

afterEach(() => rmSync(root, { recursive: true }));

const prepare = async () => prepareDataFolder(folder, await serviceUser());
const owner = (name = "") => statSync(join(folder, name)).uid;

testAsRoot("creates the data folder, and gives the service one that root filled", async () => {
  const { uid } = await serviceUser();
  await prepare();
  expect(owner()).toBe(uid);

  rmSync(folder, { recursive: true });
  mkdirSync(join(folder, "keys"), { recursive: true });
  for (const name of ["posthouse.pid", "keys/instance.key"]) writeFileSync(join(folder, name), "");
  await prepare();
  expect([owner(), owner("keys/instance.key")]).toEqual([uid, uid]);
});

testAsRoot("a folder with other files keeps its owner", async () => {
  mkdirSync(join(folder, "www"), { recursive: true });
  await expect(prepare()).rejects.toThrow(`such as ${folder}/posthouse`);
  expect([owner(), owner("www")]).toEqual([0, 0]);
  expect(existsSync(join(folder, "posthouse"))).toBe(false);
});

testAsRoot("a certificate that only root can read is refused, with advice", async () => {
  const folder = mkdtempSync(join(tmpdir(), "posthouse-certificate-"));
  chmodSync(folder, 0o755);
  const tls = { certFile: join(folder, "mail.crt"), keyFile: join(folder, "mail.key") };
  for (const file of Object.values(tls)) writeFileSync(file, "", { mode: 0o600 });
  const user = await serviceUser();
  const check = (isHidden = false) => requireReadableCertificate({ tls }, user, () => isHidden);
  try {
    await expect(check()).rejects.toThrow(`The user ${user.name} can't read ${tls.certFile}`);
    for (const file of Object.values(tls)) {
      chownSync(file, 0, user.gid);
      chmodSync(file, 0o640);
    }
    await check();
    await expect(check(true)).rejects.toThrow("--set POSTHOUSE_TLS_CERT=");
    chmodSync(folder, 0o700);
    await expect(check()).rejects.toThrow("copy both files");
  } finally {
    rmSync(folder, { recursive: true });
  }
  await requireReadableCertificate({ tls: null }, user);
});
