import { authenticateKey, type KeyCaller } from "#server/core/access/api-keys/authenticate-key.ts";
import { hasPrivilegeAnywhere } from "#server/core/access/privileges/privileges.ts";
import { type Privilege, privilegeApiName, privilegeLabel } from "#server/universal/privileges.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import {
  type AccountUser,
  findAccountUser,
} from "#server/core/access/sessions/account-sessions.ts";
import { findWebmailUser } from "#server/core/access/sessions/webmail-password.ts";
import { findSignedIn, type SignedIn } from "#server/core/access/sessions/sessions.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";

import type { ApiRequest } from "./api-request.ts";
import { basicCredentials } from "./basic-credentials.ts";
import type { AnyEndpoint } from "./endpoint.ts";

export type Caller =
  | { kind: "public" }
  | { kind: "key"; key: KeyCaller }
  | { kind: "admin"; signedIn: SignedIn }
  | { kind: "mailbox"; mailbox: AccountUser };

type Credentials = Pick<ApiRequest, "method" | "headers" | "address">;

/**
 * Identifies the caller by the credentials that the endpoint's permission requires, and rejects writes from other
 * sites if the permission doesn't allow them.
 */
export async function authenticate(endpoint: AnyEndpoint, request: Credentials): Promise<Caller> {
  switch (endpoint.permission) {
    case "public":
      return { kind: "public" };
    case "same_origin":
      requireSameOrigin(request);
      return { kind: "public" };
    case "console":
    case "console_door":
    case "operator":
      return { kind: "admin", signedIn: await signedInAdmin(endpoint, request) };
    case "account":
    case "account_door":
      return { kind: "mailbox", mailbox: await accountUser(endpoint, request) };
    case "webmail":
      return { kind: "mailbox", mailbox: await webmailUser(request) };
    default:
      return { kind: "key", key: await keyCaller(request) };
  }
}

async function keyCaller({ headers, address }: Credentials): Promise<KeyCaller> {
  const [, token] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
  if (!token)
    throw new Refusal(
      "missing_api_key",
      "Missing API key. Send it in the Authorization: Bearer header",
    );
  return authenticateKey(db(), { token, address });
}

async function signedInAdmin(endpoint: AnyEndpoint, request: Credentials): Promise<SignedIn> {
  requireSameOrigin(request);
  const signedIn = await findSignedIn(db(), request.headers.cookie ?? "");
  if (!signedIn) throw new Refusal("not_signed_in", "You're not signed in");
  if (signedIn.isSecondFactorDue && endpoint.permission !== "console_door")
    throw new Refusal("second_factor_due", "Set up a second factor first");
  if (endpoint.permission === "operator" && !signedIn.isOperator)
    throw new Refusal("invalid_permission", "Only operators can do this");
  return signedIn;
}

async function accountUser(endpoint: AnyEndpoint, request: Credentials): Promise<AccountUser> {
  requireSameOrigin(request);
  const mailbox = await findAccountUser(db(), request.headers.cookie ?? "");
  if (!mailbox) throw new Refusal("not_signed_in", "You're not signed in");
  if (mailbox.forcePasswordChange && endpoint.permission === "account")
    throw new Refusal("must_change_password", "Set a new password first");
  return mailbox;
}

async function webmailUser({ headers }: Credentials): Promise<AccountUser> {
  const given = config().webmail && basicCredentials(headers.authorization);
  const mailbox = given && (await findWebmailUser(db(), given.username, given.password));
  if (!mailbox || mailbox.forcePasswordChange)
    throw new Refusal("not_signed_in", "You're not signed in");
  return mailbox;
}

/**
 * Protects writes of the console and `/account` against cross-site request forgery. Browsers always send Origin on
 * cross-origin writes; Sec-Fetch-Site covers the rest. A form on another site cannot send JSON, so any
 * other content type is an error too.
 */
function requireSameOrigin({ method, headers }: Credentials): void {
  if (method === "GET" || method === "HEAD") return;
  const { "content-type": type = JSON_TYPE } = headers;
  if (type.split(";")[0]!.trim().toLowerCase() !== JSON_TYPE)
    throw new Refusal("cross_origin", `The content type must be ${JSON_TYPE}`);
  if (!isSameOrigin(headers))
    throw new Refusal("cross_origin", "Requests from other sites are not allowed");
}

/** Whether the browser sent the request from one of our pages. */
export function isSameOrigin({
  origin,
  host,
  "sec-fetch-site": site,
}: ApiRequest["headers"]): boolean {
  if (site === "same-origin") return true;
  const own = new URL(config().baseUrl).host;
  return origin !== undefined && URL.canParse(origin) && [own, host].includes(new URL(origin).host);
}

const JSON_TYPE = "application/json";

export function requirePermission(
  caller: Caller,
  { permission, admitsTestKeys }: AnyEndpoint,
): void {
  if (caller.kind !== "key" || permission === "sending_access") return;
  const { key } = caller;
  if (key.permission === "sending_access")
    throw new Refusal("restricted_api_key", "This API key can only send emails");
  if (key.isTest && permission === "full_access" && !admitsTestKeys)
    throw new Refusal(
      "restricted_api_key",
      "Test keys can't use this endpoint. Use an API key with full access",
    );
  if (!key.isTest && permission === "test")
    throw new Refusal(
      "invalid_permission",
      "This endpoint requires a test key. Create an API key with permission: test",
    );
}

/** Throws unless the caller has at least one of the endpoint's privileges. */
export function requirePrivilege(caller: Caller, endpoint: AnyEndpoint): void {
  if (endpoint.privilege === null || caller.kind === "public") return;
  // No endpoint under `/account` requires a privilege.
  if (caller.kind === "mailbox") return;
  const held = caller.kind === "key" ? caller.key : caller.signedIn;
  const wanted: readonly Privilege[] =
    typeof endpoint.privilege === "string" ? [endpoint.privilege] : endpoint.privilege;
  const isHeld = (privilege: Privilege) =>
    endpoint.admitsUnitRoles
      ? hasPrivilegeAnywhere(held, privilege)
      : held.privileges.has(privilege);
  if (!wanted.some(isHeld))
    throw new Refusal("invalid_permission", explainMissingPrivilege(wanted, caller.kind === "key"));
}

function explainMissingPrivilege(wanted: readonly Privilege[], isKey: boolean): string {
  const who = isKey ? "The creator of this API key" : "You";
  const names = ANY_OF.format(wanted.map(isKey ? privilegeApiName : privilegeLabel));
  if (wanted.includes("owner"))
    return `${who} ${isKey ? "is" : "are"} not an owner of the company, and only owners can do this`;
  return isKey
    ? `${who} needs the ${names} privilege`
    : `${who} need the ${names} privilege. Ask an owner of your company for it`;
}

const ANY_OF = new Intl.ListFormat("en", { type: "disjunction" });
