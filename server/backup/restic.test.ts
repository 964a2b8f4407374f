import { expect, test } from "vitest";

import { explainRestic } from "./restic.ts";

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
  [
    'Fatal: unable to open repository at sftp:mail@backup: exec: "ssh": executable file not found in $PATH',
    "ssh isn't installed. Run: apt-get install -y --no-install-recommends restic openssh-client",
  ],
  ["Fatal: no space left on device", "restic failed: no space left on device"],
])("explains %s", (complaint, reason) => {
  expect(explainRestic(complaint, { folder: "/mnt/backup", sftp: null })).toContain(reason);
});

test.each([
  ["22", "ssh-keygen -R 'backup.example' -f keys/backup_known_hosts"],
  ["2222", "ssh-keygen -R '[backup.example]:2222' -f keys/backup_known_hosts"],
])("explains a changed host key on port %s", (port, command) => {
  const complaint = [
    "subprocess ssh: @    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @",
    "subprocess ssh: Host key verification failed.",
    "Fatal: unable to open repository at sftp://backup.example//x: unable to start the sftp session, error: EOF",
  ].join("\n");
  const sftp = { host: "backup.example", port, user: "box" };
  const reason = explainRestic(complaint, { folder: null, sftp });
  expect(reason).toContain("isn't the one that was pinned");
  expect(reason).toContain(command);
});
