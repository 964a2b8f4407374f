import { join } from "node:path";

/** Dovecot's folders in the data folder. Back up `mail` and `state`; the rest is created at each start. */
export const dovecotFolders = (dataFolder: string) => ({
  /** `mail/<domain>/<user>`: a mailbox with its indexes and Sieve scripts. */
  mail: join(dataFolder, "mail"),
  etc: join(dataFolder, "dovecot/etc"),
  run: join(dataFolder, "dovecot/run"),
  state: join(dataFolder, "dovecot/state"),
  tmp: join(dataFolder, "dovecot/tmp"),
});
