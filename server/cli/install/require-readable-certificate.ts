import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { CommandError } from "#server/cli/command-error.ts";
import type { Config } from "#server/config.ts";
import type { ServiceUser } from "#server/processes/service-user.ts";

import { isHidden } from "./place-program.ts";

/**
 * Checks that the service can read the operator's certificate. certbot's files belong to root, and the service never is root.
 *
 * @param isHiddenFile whether the service can't see a file; tests use files below `/tmp`
 * @throws CommandError with what to do
 */
export async function requireReadableCertificate(
  { tls }: Pick<Config, "tls">,
  user: ServiceUser,
  isHiddenFile: (file: string) => boolean = isHidden,
): Promise<void> {
  for (const file of tls ? [tls.certFile, tls.keyFile] : []) {
    if (!isHiddenFile(file) && (await canRead(user, file))) continue;
    throw new CommandError(
      `The user ${user.name} can't read ${file}. Either let Posthouse get and renew the certificate: ` +
        "run install with --set POSTHOUSE_TLS_CERT= --set POSTHOUSE_TLS_KEY=. " +
        `Or, after each renewal, copy both files to a folder such as /etc/posthouse/tls and let the group ${user.name} read them`,
    );
  }
}

/** With the groups that systemd gives the service. */
async function canRead(user: ServiceUser, file: string): Promise<boolean> {
  const as = ["--reuid", user.name, "--regid", user.name, "--init-groups"];
  return promisify(execFile)("setpriv", [...as, "--", "test", "-r", file]).then(
    () => true,
    () => false,
  );
}
