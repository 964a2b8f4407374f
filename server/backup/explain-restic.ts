import type { Repository } from "./repository.ts";
import { knownHostName } from "./sftp.ts";

/** restic's messages when there is no repository at the location. */
export const NO_REPOSITORY = /unable to open config file|does not exist/i;

/** What a REST server in append-only mode answers to a deletion. */
export const APPEND_ONLY = /\b403\b|forbidden/i;

/** ssh's messages when the server has another key than the pinned one. */
const CHANGED_HOST_KEY = /remote host identification has changed|host key verification failed/i;

const KNOWN: [pattern: RegExp, reason: string][] = [
  [
    /ENOENT|setpriv: .*restic/,
    "restic isn't installed. Run: apt-get install -y --no-install-recommends restic",
  ],
  [
    /wrong password|no key found/i,
    "The recovery key doesn't open this repository. Use the key that was printed when the repository was created",
  ],
  [
    /already locked|unable to create lock/i,
    "The repository is in use by another backup or restore. Try again later. If that host no longer exists, its lock expires after 30 minutes",
  ],
];

/** Says what went wrong, from restic's output. */
export function explainRestic(
  complaint: string,
  { folder, sftp }: Pick<Repository, "folder" | "sftp">,
): string {
  if (sftp && CHANGED_HOST_KEY.test(complaint)) return explainHostKey(sftp);
  if (folder && /permission denied/i.test(complaint) && complaint.includes(folder))
    return `The service can't read ${folder}. Run, as root: chown -R ${process.getuid!() || "posthouse"} ${folder}`;
  const known = KNOWN.find(([pattern]) => pattern.test(complaint));
  return known?.[1] ?? explainUnknown(complaint);
}

function explainHostKey(server: NonNullable<Repository["sftp"]>): string {
  return (
    `The host key of ${server.host} isn't the one that was pinned, so nothing was sent. Someone may be intercepting the connection. If you replaced ` +
    `that server or its key, run in the data folder: ssh-keygen -R '${knownHostName(server)}' -f keys/backup_known_hosts`
  );
}

function explainUnknown(complaint: string): string {
  const unread =
    /"message_type":"error".*"message":"([^"]*)"|"message_type":"error".*"item":"([^"]*)"/.exec(
      complaint,
    );
  if (unread) return `${unread[1] ?? unread[2]!} can't be read`;
  if (NO_REPOSITORY.test(complaint)) return "There is no repository at this location";
  const lines = complaint.split("\n").filter((line) => line.trim() && !line.startsWith("{"));
  const reason = lines.find((line) => /fatal|error/i.test(line)) ?? lines.at(-1);
  return `restic failed: ${(reason ?? "no output").replace(/^Fatal: /, "")}`;
}

/** Whether all files that could not be read no longer exist. */
export function onlyVanished(complaint: string): boolean {
  const errors = complaint.split("\n").filter((line) => line.includes('"message_type":"error"'));
  return (
    errors.length > 0 && errors.every((line) => /no such file|file does not exist/i.test(line))
  );
}
