import { authenticateKey, type KeyCaller } from "#server/core/access/api-keys/authenticate-key.ts";
import { privilegeLabel, type Privilege } from "#server/core/access/privileges/privileges.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { hasPrivilegeAnywhere } from "#server/core/access/privileges/held-privileges.ts";
import {
  type AccountUser,
  findAccountUser,
} from "#server/core/access/sessions/account-sessions.ts";
import { findSignedIn, type SignedIn } from "#server/core/access/sessions/sessions.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";

import type { ApiRequest } from "./api-request.ts";
import type { AnyEndpoint } from "./endpoint.ts";

export type Caller =
  | { kind: "public" }
  | { kind: "key"; key: KeyCaller }
  | { kind: "admin"; signedIn: SignedIn }
  | { kind: "mailbox"; mailbox: AccountUser };

/** What tells who calls. */
type Credentials = Pick<ApiRequest, "method" | "headers" | "address">;

/** Finds out who calls, as the endpoint's permission asks. */
export async function authenticate(endpoint: AnyEndpoint, request: Credentials): Promise<Caller> {
  switch (endpoint.permission) {
    case "public":
      return { kind: "public" };
    case "console":
    case "console_door":
    case "operator":
      return { kind: "admin", signedIn: await signedInAdmin(endpoint, request) };
    case "account":
    case "account_door":
      return { kind: "mailbox", mailbox: await accountUser(endpoint, request) };
    default:
      return { kind: "key", key: await keyCaller(request) };
  }
}

async function keyCaller({ headers, address }: Credentials): Promise<KeyCaller> {
  const [, token] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
  if (!token) throw new Refusal("missing_api_key", "Missing API key: send it as a bearer token");
  return authenticateKey(db(), { token, address });
}

async function signedInAdmin(endpoint: AnyEndpoint, request: Credentials): Promise<SignedIn> {
  requireSameOrigin(request);
  const signedIn = await findSignedIn(db(), request.headers.cookie ?? "");
  if (!signedIn) throw new Refusal("not_signed_in", "You're not signed in");
  if (signedIn.isSecondFactorDue && endpoint.permission !== "console_door")
    throw new Refusal("second_factor_due", "Please set up a second factor first");
  if (endpoint.permission === "operator" && !signedIn.isOperator)
    throw new Refusal("invalid_permission", "Only operators of this Posthouse may do this");
  return signedIn;
}

async function accountUser(endpoint: AnyEndpoint, request: Credentials): Promise<AccountUser> {
  requireSameOrigin(request);
  const mailbox = await findAccountUser(db(), request.headers.cookie ?? "");
  if (!mailbox) throw new Refusal("not_signed_in", "You're not signed in");
  if (mailbox.forcePasswordChange && endpoint.permission === "account")
    throw new Refusal("must_change_password", "Please set a new password first");
  return mailbox;
}

/**
 * A write that carries a session must come from a page of ours. Browsers always send Origin on
 * cross-origin writes; Sec-Fetch-Site tells the rest. What a form of another page can send is never JSON,
 * so other types are refused as well.
 */
export function requireSameOrigin({
  method,
  headers,
}: Pick<ApiRequest, "method" | "headers">): void {
  if (method === "GET" || method === "HEAD") return;
  const { "content-type": type = JSON_TYPE } = headers;
  if (type.split(";")[0]!.trim().toLowerCase() !== JSON_TYPE)
    throw new Refusal("cross_origin", `The console is written to as ${JSON_TYPE}`);
  if (!isSameOrigin(headers))
    throw new Refusal("cross_origin", "This action is only possible from the console itself");
}

/** Whether a page of ours sends it, as its browser says. */
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

export function requirePermission(caller: Caller, endpoint: AnyEndpoint): void {
  if (caller.kind !== "key") return;
  if (endpoint.permission === "full_access" && caller.key.permission !== "full_access")
    throw new Refusal("restricted_api_key", "This API key may only send emails");
}

/** Refuses a caller who holds none of the privileges that the endpoint asks for. */
export function requirePrivilege(caller: Caller, endpoint: AnyEndpoint): void {
  if (endpoint.privilege === null || caller.kind === "public") return;
  // No endpoint of `/account` asks for a privilege.
  if (caller.kind === "mailbox") return;
  const rights = caller.kind === "key" ? caller.key : caller.signedIn;
  const wanted = [endpoint.privilege].flat();
  const isHeld = (privilege: Privilege) =>
    endpoint.admitsUnitRoles
      ? hasPrivilegeAnywhere(rights, privilege)
      : rights.privileges.has(privilege);
  if (!wanted.some(isHeld))
    throw new Refusal("invalid_permission", lackOf(wanted[0]!, caller.kind === "key"));
}

function lackOf(privilege: Privilege, isKey: boolean): string {
  const who = isKey ? "The creator of this API key" : "You";
  if (privilege === "owner")
    return `${who} ${isKey ? "is" : "are"} not an owner of the company, and only owners may do this`;
  const lack = `${who} ${isKey ? "lacks" : "lack"} the privilege ${privilegeLabel(privilege)}`;
  return isKey ? lack : `${lack}. Ask an owner of your company for it`;
}
