import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { storeConf } from "#server/gateways/dovecot.ts";
import type { DovecotVersion } from "#server/gateways/find-dovecot.mjs";
import { giveTo } from "#server/processes/open-no-follow.ts";
import { serviceUser } from "#server/processes/service-user.ts";

import { quoted } from "./quoting.ts";

/**
 * Writes a configuration with which doveadm opens one mail store, given by HOME: without looking up its user, who may be
 * on another host by now, and without a quota.
 *
 * @param extra further settings
 * @returns the file
 */
export async function writeStoreConf(
  folder: string,
  version: DovecotVersion,
  extra = "",
): Promise<string> {
  const user = await serviceUser();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const conf = join(folder, "dovecot.conf");
  const text = storeConf(version, { folder: quoted(folder), user: user.name });
  await writeFile(conf, text + extra, { mode: 0o600 });
  giveTo(user, folder, conf);
  return conf;
}
