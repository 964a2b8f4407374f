import { isIP } from "node:net";
import { resolve } from "node:path";

type Environment = Record<string, string | undefined>;
type Fail = (variable: string, value: string | undefined, expected: string) => never;

export const ROLES = ["web", "worker", "mail"] as const;
export type Role = (typeof ROLES)[number];

const LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
const NAME = new RegExp(`^(${LABEL}\\.)*${LABEL}$`);

/** Reads the processes to run here. Without `mail`, mailboxes are on other hosts, which the shared database names. */
export function readRoles(env: Environment, fail: Fail): Set<Role> {
  const value = env.POSTHOUSE_ROLES || ROLES.join(",");
  const roles = value.split(",").map((role) => role.trim());
  for (const role of roles)
    if (!(ROLES as readonly string[]).includes(role))
      fail("POSTHOUSE_ROLES", value, `must be a list of ${ROLES.join(", ")}`);
  if (!roles.includes("mail") && !env.DATABASE_URL)
    fail("POSTHOUSE_ROLES", value, "must include mail unless DATABASE_URL is set");
  return new Set(roles as Role[]);
}

/**
 * Reads the name of this mail host: how the other hosts of the installation reach it.
 *
 * @param roles other hosts may have the setting too; it says nothing about them
 */
export function readMailHost(
  env: Environment,
  { roles, fail }: { roles: ReadonlySet<Role>; fail: Fail },
): string | null {
  const value = env.POSTHOUSE_MAIL_HOST?.toLowerCase();
  if (!value || !roles.has("mail")) return null;
  if (!isIP(value) && (value.length > 253 || !NAME.test(value)))
    fail("POSTHOUSE_MAIL_HOST", value, "must be a hostname or an IP address, such as mail-1");
  if (!env.DATABASE_URL)
    fail(
      "POSTHOUSE_MAIL_HOST",
      value,
      "needs DATABASE_URL, because other hosts can't reach the embedded database",
    );
  return value;
}

export function readInstanceKeyFile(env: Environment): string | null {
  const file = env.POSTHOUSE_INSTANCE_KEY_FILE;
  return file ? resolve(/* turbopackIgnore: true */ file) : null;
}
