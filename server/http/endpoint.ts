import { z } from "zod";

import type { KeyCaller } from "#server/core/access/api-keys/authenticate-key.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Privilege } from "#server/universal/privileges.ts";
import type { RefusalReason } from "#server/core/shared/refusals.ts";
import type { AccountUser } from "#server/core/access/sessions/account-sessions.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import type { Db } from "#server/db/client.ts";

import type { ApiRequest } from "./api-request.ts";
import type { Download } from "./downloads.ts";
import type { JsonSchema } from "./json-schemas.ts";
import type { BodyLimit } from "./read-body.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

type Fields = z.ZodType | undefined;
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/**
 * Who may call:
 * - `public`: anyone, without key or session;
 * - `same_origin`: anyone on one of our own pages, without a session;
 * - `sending_access`, `full_access`: the least permission an API key needs;
 * - `test`: a test key;
 * - `console`: a signed-in admin;
 * - `console_door`: the same, even before a required second factor is set up;
 * - `operator`: a signed-in operator;
 * - `account`: a mailbox user, signed in at `/account`;
 * - `account_door`: the same, even before a required password change;
 * - `webmail`: Roundcube, with the password that was derived for a mailbox user's session.
 *
 * All but `public` and the three for API keys reject writes from other sites.
 */
export type Permission = OpenPermission | KeyPermission | AdminPermission | MailboxPermission;

type OpenPermission = "public" | "same_origin";
type KeyPermission = "sending_access" | "full_access" | "test";
type MailboxPermission = "account" | "account_door" | "webmail";
type AdminPermission = "console" | "console_door" | "operator";

/** The permissions of the public API. */
export type ApiPermission = "public" | KeyPermission;

export type CallerOf<P extends Permission> = P extends OpenPermission
  ? { db: Db }
  : P extends AdminPermission
    ? { ctx: Context; signedIn: SignedIn }
    : P extends MailboxPermission
      ? { ctx: Context; mailbox: AccountUser }
      : { ctx: Context; key: KeyCaller };

/**
 * An endpoint's declaration: serve.ts runs it, openapi.ts documents it, the console and the tests
 * derive their types from it.
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
  path: Path;
  summary: string;
  /** Longer text for the API reference. */
  description?: string;
  permission: P;
  /**
   * The privilege the caller needs; null if access to the company is enough. If there are several, any one
   * passes, and the endpoint checks which ones the call requires.
   */
  privilege: Privilege | readonly Privilege[] | null;
  /** Also admits test keys: the endpoint shows and changes only data of the caller's mode. */
  admitsTestKeys?: true;
  /** Also admits roles limited to some units: the endpoint checks each mailbox's unit. */
  admitsUnitRoles?: true;
  params?: Params;
  query?: Query;
  body?: Body;
  /** Request headers the endpoint reads from `request`, for the API reference. */
  requestHeaders?: Record<string, JsonSchema>;
  /** Largest request body in bytes; see BODY_LIMITS in read-body.ts. */
  bodyLimit?: BodyLimit;
  response: Answer;
  /** Errors of this endpoint besides those common to its permission. */
  refusals: readonly RefusalReason[];
  handle(call: CallOf<P, Params, Query, Body>): Promise<z.input<Answer>>;
};

type CallOf<
  P extends Permission,
  Params extends Fields,
  Query extends Fields,
  Body extends Fields,
> = CallerOf<P> & {
  params: Parsed<Params>;
  query: Parsed<Query>;
  body: Parsed<Body>;
  request: ApiRequest;
  /** Response headers, such as Set-Cookie. */
  headers: Headers;
};

type ApiDeclaration<E extends { permission: unknown }> = Omit<
  E,
  "method" | "path" | "permission" | "refusals"
> & {
  /** `full_access` if omitted. */
  permission?: E["permission"];
  /** Besides `not_found` for `params`, and `invalid` for `query` or `body`. */
  refusals?: readonly RefusalReason[];
};

/** @param path with `{name}` for parameters */
export const defineEndpoint = <
  const M extends Method,
  const Path extends string,
  Answer extends z.ZodType,
  const P extends ApiPermission = "full_access",
  Params extends Fields = undefined,
  Query extends Fields = undefined,
  Body extends Fields = undefined,
>(
  method: M,
  path: Path,
  endpoint: ApiDeclaration<Endpoint<M, Path, P, Params, Query, Body, Answer>>,
) => {
  const { params, query, body, refusals = [] } = endpoint;
  const ofInput: RefusalReason[] = [];
  if (params) ofInput.push("not_found");
  if (query ?? body) ofInput.push("invalid");
  return {
    permission: "full_access",
    ...endpoint,
    refusals: [...ofInput, ...refusals],
    method,
    path,
  } as Endpoint<M, Path, P, Params, Query, Body, Answer>;
};

const notFoundMessages = new WeakMap<z.ZodType, string>();

/** A schema for path parameters. What it rejects can't exist, so the response is a 404 with the message. */
export function pathOf<Shape extends z.ZodRawShape>(notFound: string, shape: Shape) {
  const schema = z.object(shape);
  notFoundMessages.set(schema, notFound);
  return schema;
}

export const notFoundMessage = (params: z.ZodType): string =>
  notFoundMessages.get(params) ?? "Not found";

type PagePermission = Exclude<Permission, KeyPermission>;

/** Keys that no response to a page may have, because their values must stay on the server. `*` stands for any text. */
export const SECRET_KEYS = [
  "companyId",
  "company_id",
  "sealed*",
  "hashed*",
  "*Hash",
  "*_hash",
  "*Secret",
  "*_secret",
] as const;

type Matching<Pattern extends string> = Pattern extends `*${infer End}`
  ? `${string}${End}`
  : Pattern extends `${infer Start}*`
    ? `${Start}${string}`
    : Pattern;

type SecretKey = Matching<(typeof SECRET_KEYS)[number]>;

/** The exception: admins need it to set up a webhook. */
export const SHOWN_SECRET = "signingSecret";

/** The secret keys of a response; `never` if it has none. Booleans, such as `hasSecret`, don't count. A `Date` isn't JSON. */
type SecretIn<T> = 0 extends 1 & T
  ? never
  : T extends Download
    ? never
    : T extends Date
      ? "Date"
      : T extends readonly (infer Item)[]
        ? SecretIn<Item>
        : T extends object
          ? {
              [K in keyof T]-?: K extends typeof SHOWN_SECRET
                ? never
                : K extends SecretKey
                  ? NonNullable<T[K]> extends boolean
                    ? never
                    : K
                  : SecretIn<NonNullable<T[K]>>;
            }[keyof T]
          : never;

/**
 * An endpoint that only the pages of the console or `/account` call, by its name. The response is what `handle` returns:
 * JSON, or a `Download`.
 */
export type PageEndpoint<
  M extends "GET" | "POST" = "GET" | "POST",
  P extends Permission = PagePermission,
  Params extends Fields = Fields,
  Query extends Fields = Fields,
  Body extends Fields = Fields,
  Answer = unknown,
> = Pick<
  Endpoint<M, string, P, Params, Query, Body>,
  | "method"
  | "permission"
  | "privilege"
  | "admitsUnitRoles"
  | "params"
  | "query"
  | "body"
  | "bodyLimit"
> & {
  handle(call: CallOf<P, Params, Query, Body>): Promise<Answer>;
};

/** Only admins have privileges: an endpoint for them must name one, or null. */
type Declared<
  E extends { permission: unknown; privilege: unknown },
  Standard extends PagePermission,
> = Omit<E, "method" | "permission" | "privilege"> & { permission?: E["permission"] } & (
    | (Standard extends "console" ? { privilege: E["privilege"] } : never)
    | { permission: Exclude<PagePermission, "console" | "console_door">; privilege?: null }
    | (Standard extends "console" ? never : { permission?: undefined; privilege?: null })
  );

/** @param standard the permission of endpoints that name none */
const declaring =
  <M extends "GET" | "POST", Standard extends PagePermission>(method: M, standard: Standard) =>
  <
    Answer,
    const P extends PagePermission = Standard,
    Params extends Fields = undefined,
    Query extends Fields = undefined,
    Body extends (M extends "GET" ? undefined : Fields) = undefined,
  >(
    endpoint: Declared<PageEndpoint<M, P, Params, Query, Body, Answer>, Standard>,
  ) =>
    ({ permission: standard, privilege: null, ...endpoint, method }) as PageEndpoint<
      M,
      P,
      Params,
      Query,
      Body,
      Answer
    >;

/** Declares an endpoint that changes nothing, for admins. `params` and `query` are both in the query string. */
export const read = declaring("GET", "console");
/** Declares an endpoint that changes something, or takes a body. `params` and `query` are both in the query string. */
export const change = declaring("POST", "console");

/** For operators. */
export const operatorRead = declaring("GET", "operator");
export const operatorChange = declaring("POST", "operator");

/** For mailbox users. */
export const accountRead = declaring("GET", "account");
export const accountChange = declaring("POST", "account");

// oxlint-disable-next-line typescript/no-explicit-any
type AnyPageEndpoint = Omit<PageEndpoint, "handle"> & { handle(call: any): Promise<unknown> };

/** Rejects endpoints whose responses have secret keys. The type error names the keys. */
type WithoutSecrets<E extends Record<string, AnyPageEndpoint>> = {
  [Verb in keyof E]: [SecretIn<Awaited<ReturnType<E[Verb]["handle"]>>>] extends [never]
    ? unknown
    : { secret: SecretIn<Awaited<ReturnType<E[Verb]["handle"]>>> };
};

type Area = "console" | "account";

/**
 * Gives endpoints their paths: `list` of `groups` in `console` is `groups.list`, at `/console/api/groups/list`.
 */
export function pageEndpoints<
  const A extends Area,
  const Noun extends string,
  E extends Record<string, AnyPageEndpoint>,
>(area: A, noun: Noun, endpoints: E & WithoutSecrets<E>) {
  return Object.fromEntries(
    Object.entries(endpoints).map(([verb, endpoint]) => [
      verb,
      { ...endpoint, path: `/${area}/api/${noun}/${verb}` },
    ]),
  ) as unknown as {
    [Verb in keyof E & string]: E[Verb] & { path: `/${A}/api/${Noun}/${Verb}` };
  };
}

/** An endpoint with its schema types erased, as serve.ts handles it. */
export type AnyEndpoint = Pick<Endpoint, "method" | "path" | "permission" | "privilege"> &
  Partial<Omit<Endpoint, "handle">> & {
    // The argument's type depends on the endpoint's schemas; no single type covers all of them.
    // oxlint-disable-next-line typescript/no-explicit-any
    handle(call: any): Promise<unknown>;
  };

/** An endpoint of the public API, as its reference describes it. */
export type ApiEndpoint = AnyEndpoint &
  Pick<Endpoint, "summary" | "response" | "refusals"> & { permission: ApiPermission };

/** Whether only the pages of the console and `/account` call the endpoint. Others are the public API. */
export const isForOurPages = ({ response }: AnyEndpoint): boolean => response === undefined;
