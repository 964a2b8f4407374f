import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "vitest";

import { serviceUser } from "#server/processes/service-user.ts";
import { testIf } from "#server/testing/test-if.ts";

import { requireReadableCertificate } from "./require-readable-certificate.ts";

const testAsRoot = testIf(process.getuid!() === 0, "needs root");

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
