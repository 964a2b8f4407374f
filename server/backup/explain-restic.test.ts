import { expect, test } from "vitest";

import { explainRestic } from "./explain-restic.ts";

// What restic 0.14 prints.
test.each([
  [
    "Fatal: unable to open repository at /mnt/backup: ReadDir: open /mnt/backup/keys: permission denied",
    "The service can't read /mnt/backup. Run, as root: chown -R ",
  ],
  [
    "unable to create lock in backend: repository is already locked exclusively by PID 7 on mail by posthouse",
    "The repository is in use by another backup or restore.",
  ],
  ["Fatal: wrong password or no key found", "The recovery key doesn't open this repository."],
  ["Fatal: no space left on device", "restic failed: no space left on device"],
])("explains %s", (complaint, reason) => {
  expect(explainRestic(complaint, { folder: "/mnt/backup" })).toContain(reason);
});
