import { authenticateKey, type KeyCaller } from "#server/core/api-keys/authenticate-key.ts";
import { nameOfPrivilege, type Privilege } from "#server/core/privileges.ts";
import { Refusal } from "#server/core/refusals.ts";
import { findSignedIn, type SignedIn } from "#server/core/sessions/sessions.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";

import type { ApiRequest } from "./api-request.ts";
import type { AnyEndpoint } from "./endpoint.ts";

export type Caller =
  { kind: "public" } | { kind: "key"; key: KeyCaller } | { kind: "admin"; signedIn: SignedIn };

/** What tells who calls. */
type Credentials = Pick<ApiRequest, "method" | "headers" | "address">;

/** Finds out who calls, as the endpoint's permission asks. */
export async function authenticate(endpoint: AnyEndpoint, request: Credentials): Promise<Caller> {
  switch (endpoint.permission) {
    case "public":
      return { kind: "public" };
    case "console":
      return { kind: "admin", signedIn: await signedInAdmin(request) };
    default:
      return { kind: "key", key: await keyCaller(request) };
  }
}

async function keyCaller({ headers, address }: Credentials): Promise<KeyCaller> {
  const [, token] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
  if (!token) throw new Refusal("missing_api_key", "Missing API key: send it as a bearer token");
  return authenticateKey(db(), { token, address });
}

async function signedInAdmin(request: Credentials): Promise<SignedIn> {
  requireSameOrigin(request);
  const signedIn = await findSignedIn(db(), request.headers.cookie ?? "");
  if (!signedIn) throw new Refusal("not_signed_in", "Please sign in");
  return signedIn;
}

/**
 * A write that carries a session must come from a page of ours. Browsers always send Origin on
 * cross-origin writes; Sec-Fetch-Site tells the rest.
 */
export function requireSameOrigin({
  method,
  headers: { origin, host, "sec-fetch-site": site },
}: Pick<ApiRequest, "method" | "headers">): void {
  if (method === "GET" || method === "HEAD") return;
  const own = new URL(config().baseUrl).host;
  const isOwn =
    origin !== undefined && URL.canParse(origin) && [own, host].includes(new URL(origin).host);
  if (site === "same-origin" || isOwn) return;
  throw new Refusal("cross_origin", "This action is only possible from the console itself");
}

export function requirePermission(caller: Caller, endpoint: AnyEndpoint): void {
  if (caller.kind !== "key") return;
  if (endpoint.permission === "full_access" && caller.key.permission !== "full_access")
    throw new Refusal("restricted_api_key", "This API key may only send emails");
}

export function requirePrivilege(caller: Caller, privilege: Privilege | null): void {
  if (privilege === null || caller.kind === "public") return;
  const held = caller.kind === "key" ? caller.key.privileges : caller.signedIn.privileges;
  if (!held.has(privilege))
    throw new Refusal("invalid_permission", lackOf(privilege, caller.kind === "key"));
}

function lackOf(privilege: Privilege, isKey: boolean): string {
  const who = isKey ? "The creator of this API key" : "You";
  if (privilege === "owner")
    return `${who} ${isKey ? "is" : "are"} not an owner of the company, and only owners may do this`;
  const lack = `${who} ${isKey ? "lacks" : "lack"} the privilege ${nameOfPrivilege(privilege)}`;
  return isKey ? lack : `${lack}. Ask an owner of your company for it`;
}
