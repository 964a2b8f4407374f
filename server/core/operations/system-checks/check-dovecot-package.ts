import { DOVECOT_UPGRADE, findOutdatedDovecot } from "#server/gateways/dovecot-package.mjs";

import { failed, type Finding, ok } from "./finding.ts";

const PART = "Dovecot package";

/** Checks that the installed revision of Dovecot has all known security fixes. */
export async function checkDovecotPackage(find = findOutdatedDovecot): Promise<Finding> {
  const outdated = await find();
  if (outdated === null) return ok(PART, "Has the known security fixes");
  return failed(
    PART,
    `Dovecot ${outdated.installed} lacks the security fixes in ${outdated.needed}`,
    `Run as root: \`${DOVECOT_UPGRADE}\`, then restart Posthouse`,
    { command: "dpkg-query -W dovecot-core" },
  );
}
