import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { serviceUser } from "#server/processes/service-user.ts";

import { readRepository } from "./repository.ts";
import { restic } from "./restic.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "posthouse-host-key-"));
  chmodSync(folder, 0o755);
  const { uid, gid } = await serviceUser();
  for (const name of ["keys", "bin"]) mkdirSync(join(folder, name));
  chownSync(join(folder, "keys"), uid, gid);
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, "host")]);
  // A stand-in whose first connection pins the key, as ssh does.
  const pin = `printf '%s ' '[backup.example]:2222' >> ${folder}/keys/backup_known_hosts; cat ${folder}/host.pub >> ${folder}/keys/backup_known_hosts`;
  const script = `#!/bin/sh\n[ -e ${folder}/keys/backup_known_hosts ] || { ${pin}; }\necho '[]'\n`;
  writeFileSync(join(folder, "bin/restic"), script, { mode: 0o755 });
  path = process.env.PATH ?? "";
  process.env.PATH = `${join(folder, "bin")}:${path}`;
});
afterEach(() => {
  process.env.PATH = path;
  rmSync(folder, { recursive: true });
});

test("the fingerprint of a backup server is shown when its key is pinned", async () => {
  const keysFolder = join(folder, "keys");
  const open = () =>
    restic({
      repository: readRepository("sftp://box@backup.example:2222/x"),
      key: "secret",
      cacheFolder: join(folder, "keys/cache"),
      keysFolder,
      paths: [keysFolder],
    });
  const shown = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  try {
    const engine = open();
    await engine.list();
    await engine.list();
    await open().list();
    const fingerprint = execFileSync("ssh-keygen", ["-lf", join(folder, "host.pub")], {
      encoding: "utf8",
    }).split(" ")[1]!;
    expect(shown.mock.calls).toEqual([[expect.stringContaining(fingerprint)]]);
    expect(shown.mock.calls[0]![0]).toContain("Pinned the host key of backup.example");
  } finally {
    shown.mockRestore();
  }
});
