import type { z } from "zod";

import type { KeyCaller } from "#server/core/access/api-keys/authenticate-key.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Privilege } from "#server/core/access/privileges/privileges.ts";
import type { RefusalReason } from "#server/core/shared/refusals.ts";
import type { AccountUser } from "#server/core/access/sessions/account-sessions.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import type { Db } from "#server/db/client.ts";

import type { ApiRequest } from "./api-request.ts";
import type { JsonSchema } from "./json-schemas.ts";
import type { BodyLimit } from "./read-body.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

type Fields = z.ZodType | undefined;
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/**
 * Who may call:
 * - `public`: anybody, without key or session;
 * - `sending_access`, `full_access`: what an API key must at least allow;
 * - `console`: a signed-in admin;
 * - `console_door`: the same, also before a second factor that is due;
 * - `operator`: a signed-in admin who runs this instance;
 * - `account`: the person of a mailbox, signed in at `/account`;
 * - `account_door`: the same, also before a change of the password that is due.
 */
export type Permission =
  "public" | "sending_access" | "full_access" | AdminPermission | "account" | "account_door";

type AdminPermission = "console" | "console_door" | "operator";

/** What the caller must be, by permission. */
type CallerOf<P extends Permission> = P extends "public"
  ? { db: Db }
  : P extends AdminPermission
    ? { ctx: Context; signedIn: SignedIn }
    : P extends "account" | "account_door"
      ? { ctx: Context; mailbox: AccountUser }
      : { ctx: Context; key: KeyCaller };

/**
 * One endpoint, declared once: serve.ts runs it, openapi.ts documents it, the console and the tests
 * take their types from it.
 */
export type Endpoint<
  M extends Method = Method,
  Path extends string = string,
  P extends Permission = Permission,
  Params extends Fields = Fields,
  Query extends Fields = Fields,
  Body extends Fields = Fields,
  Answer extends z.ZodType = z.ZodType,
> = {
  method: M;
  /** With `{name}` for parameters. */
  path: Path;
  summary: string;
  /** Longer text for the API reference. */
  description?: string;
  permission: P;
  /**
   * What the caller must hold in the console; null where access to the company is enough. Of several,
   * one lets the caller in, and the endpoint looks which of them the call takes.
   */
  privilege: Privilege | readonly Privilege[] | null;
  /** A role that holds it in some units only is let in too: the endpoint looks at each mailbox's unit. */
  admitsUnitRoles?: true;
  params?: Params;
  query?: Query;
  body?: Body;
  /** Header fields that it reads from `request` by itself, for the API reference. */
  requestHeaders?: Record<string, JsonSchema>;
  /** Largest request body in bytes; see BODY_LIMITS in read-body.ts. */
  bodyLimit?: BodyLimit;
  response: Answer;
  /** The reasons this endpoint adds to those that every endpoint of its permission has. */
  refusals: readonly RefusalReason[];
  /** What to call an object that `{id}` does not name: its 404 message, when the id is no id at all. */
  notFound?: string;
  handle(
    call: CallerOf<P> & {
      params: Parsed<Params>;
      query: Parsed<Query>;
      body: Parsed<Body>;
      request: ApiRequest;
      /** Header fields of the answer, such as Set-Cookie. */
      headers: Headers;
    },
  ): Promise<z.input<Answer>>;
};

export function defineEndpoint<
  const M extends Method,
  const Path extends string,
  const P extends Permission,
  Answer extends z.ZodType,
  Params extends Fields = undefined,
  Query extends Fields = undefined,
  Body extends Fields = undefined,
>(endpoint: Endpoint<M, Path, P, Params, Query, Body, Answer>) {
  return endpoint;
}

/** An endpoint as the runner sees it: alike whatever its schemas, which are checked where it is defined. */
export type AnyEndpoint = Omit<Endpoint, "handle"> & {
  // The runner hands over what the endpoint's own schemas made; no type can name that for all of them.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  handle(call: any): Promise<unknown>;
};
