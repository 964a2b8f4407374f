import {
  DOVECOT_REVISION_MIN,
  DOVECOT_UPGRADE,
  findOutdatedDovecot,
} from "#server/gateways/dovecot-package.mjs";

import { failed, type Finding, ok } from "./finding.ts";

const PART = "Dovecot package";

/** Checks that the installed revision of Dovecot has all known security fixes. */
export async function checkDovecotPackage(find = findOutdatedDovecot): Promise<Finding> {
  const outdated = await find();
  if (outdated === null) return ok(PART, "Has the known security fixes");
  return failed(
    PART,
    `Dovecot ${outdated} lacks the security fixes in ${DOVECOT_REVISION_MIN}`,
    `Run as root: \`${DOVECOT_UPGRADE}\`, then restart Posthouse`,
    { command: "dpkg-query -W dovecot-core" },
  );
}
