import { isIP } from "node:net";

import { readFields } from "#server/core/shared/read-fields.ts";
import { readOneLine } from "#server/core/shared/one-line.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { ImapAccount } from "#server/gateways/imap-source.ts";

export type GivenServer = Pick<ImapAccount, "host" | "port" | "security">;

const NAME =
  /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;
const PORT_MAX = 65_535;
const ACCOUNT_MAX = 320;
/** OAuth tokens have a few thousand characters. */
const SECRET_MAX = 10_000;

/** @throws Refusal `invalid` */
export function readServer({ host, port, security }: GivenServer): GivenServer {
  return {
    ...readFields({ host: () => readHost(host), port: () => readPort(port) }),
    security,
  };
}

function readHost(given: string): string {
  const host = given.trim().toLowerCase().replace(/\.$/, "");
  if (NAME.test(host) || isIP(host) !== 0) return host;
  throw new Refusal("invalid", "host: must be a hostname, such as imap.example.com");
}

function readPort(port: number): number {
  if (Number.isInteger(port) && port >= 1 && port <= PORT_MAX) return port;
  throw new Refusal("invalid", `port: must be 1 to ${PORT_MAX}`);
}

/** @param prefix of fields: `accounts[3].` */
export function readAccount(given: string, prefix = ""): string {
  return readOneLine(given, `${prefix}account`, { max: ACCOUNT_MAX });
}

/** @param prefix of fields: `accounts[3].` */
export function readSecret(given: string, prefix = ""): string {
  const isValid = given.length >= 1 && given.length <= SECRET_MAX && !/[\0\r\n]/.test(given);
  if (isValid) return given;
  throw new Refusal(
    "invalid",
    `${prefix}secret: must have 1 to ${SECRET_MAX} characters, on one line`,
  );
}
