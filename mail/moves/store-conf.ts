import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { quoted } from "#mail/dovecot/quoting.ts";
import { storeConf } from "#server/gateways/store-conf.ts";
import { giveTo } from "#server/processes/open-no-follow.ts";
import { serviceUser } from "#server/processes/service-user.ts";

/**
 * Writes a configuration with which doveadm opens one mail store, given by HOME: without looking up its user, who may be
 * on another host by now, and without a quota, since all mail must be copied.
 *
 * @returns the file
 */
export async function writeStoreConf(dataFolder: string): Promise<string> {
  const user = await serviceUser();
  const folder = join(dataFolder, "dovecot/stores");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "dovecot.conf");
  const sieve = `plugin {
  sieve = file:~/sieve;active=~/.dovecot.sieve
}
`;
  await writeFile(file, storeConf(quoted(folder), user.name) + sieve, { mode: 0o600 });
  giveTo(user, folder, file);
  return file;
}
