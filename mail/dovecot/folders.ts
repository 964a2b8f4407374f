import { join } from "node:path";

/** Dovecot's part of the data folder. `mail` and `state` are worth a backup; the rest is made at each start. */
export const dovecotFolders = (dataFolder: string) => ({
  /** `mail/<domain>/<user>`: a mailbox with its indexes and Sieve scripts. */
  mail: join(dataFolder, "mail"),
  etc: join(dataFolder, "dovecot/etc"),
  run: join(dataFolder, "dovecot/run"),
  state: join(dataFolder, "dovecot/state"),
  tmp: join(dataFolder, "dovecot/tmp"),
});
