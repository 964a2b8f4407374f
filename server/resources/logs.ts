import { z } from "zod";

import type { RequestLogEntry } from "#drizzle/schema/index.ts";
import { apiTimestamp, consoleTimestamp } from "#server/http/timestamps.ts";
import { csvDownload, exportPages } from "#server/http/downloads.ts";
import {
  searchedList,
  listObject,
  listResponse,
  momentQuery,
  PageQuery,
  sortQuery,
} from "#server/http/lists.ts";
import { getKeyNames } from "#server/core/access/api-keys/key-list.ts";
import {
  getNewestRequestId,
  getRequest,
  getRequestBody,
  listRequests,
  type RequestFilters,
  searchRequests,
} from "#server/core/access/request-log/request-log.ts";
import { type RefusalReason, refusals } from "#server/core/shared/refusals.ts";
import type { Example } from "#server/http/code-samples.ts";
import { defineEndpoint, pageEndpoints, pathOf, read } from "#server/http/endpoint.ts";
import { ERROR_MEANINGS } from "#server/http/error-meanings.ts";
import { READ_EMAILS } from "#server/universal/privileges.ts";

const LogEntry = z
  .object({
    id: z.uuid().describe("The entry's ID; also the pagination cursor"),
    created_at: z.string().describe("When the request was answered"),
    endpoint: z.string().describe("Requested path, without the query string"),
    method: z.string().describe("HTTP method"),
    response_status: z.int().describe("HTTP status of the response"),
    user_agent: z
      .string()
      .nullable()
      .describe("The client's user agent, up to 300 characters; null if none was sent"),
  })
  .meta({ id: "LogEntry" });

const LogObject = z
  .object({
    object: z.literal("log").describe("Object type"),
    ...LogEntry.shape,
    error: z.string().nullable().describe("Error name for a status of 400 or more, otherwise null"),
  })
  .meta({ id: "Log" });

const logEntry = (row: RequestLogEntry): z.input<typeof LogEntry> => ({
  id: row.id,
  created_at: apiTimestamp(row.createdAt),
  endpoint: row.endpoint,
  method: row.method,
  response_status: row.responseStatus,
  user_agent: row.userAgent,
});

const logObject = (row: RequestLogEntry): z.input<typeof LogObject> => ({
  object: "log",
  ...logEntry(row),
  error: row.error,
});

const example = {
  id: "0198c0de-8e5f-7072-9d96-a1524fbe6055",
  created_at: "2026-03-02 09:30:00.412345+00",
  endpoint: "/emails",
  method: "POST",
  response_status: 200,
  user_agent: "resend-node:6.38.0",
};

/** For the API reference. */
export const logExamples: Record<string, Example> = {
  "GET /logs": {
    query: { limit: "20" },
    answer: { object: "list", has_more: false, data: [example] },
    sdk: ["logs.list", { limit: 20 }],
  },
  "GET /logs/{id}": {
    params: { id: example.id },
    answer: { object: "log", ...example, error: null },
    sdk: ["logs.get", example.id],
  },
};

/** Requests made with the company's API keys. */
export const logsApi = {
  list: defineEndpoint("GET", "/logs", {
    summary: "List API requests",
    description:
      "Newest first. Requests with a valid API key are logged for 30 days, without bodies and query strings.",
    privilege: READ_EMAILS,
    query: PageQuery,
    response: listResponse(LogEntry),
    handle: async ({ ctx, query }) => listObject(await listRequests(ctx, query), logEntry),
  }),

  get: defineEndpoint("GET", "/logs/{id}", {
    summary: "Retrieve an API request",
    privilege: READ_EMAILS,
    params: pathOf("Log not found", { id: z.uuid().describe("The entry's ID") }),
    response: LogObject,
    handle: async ({ ctx, params }) =>
      logObject(await getRequest(ctx, params.id, { isInApi: true })),
  }),
};

/** How the developer of the calling application can fix the error. */
const REMEDIES: Partial<Record<RefusalReason, string>> = {
  invalid_idempotency_key: "Send a key of 1 to 256 characters, such as a UUID, or no key.",
  restricted_api_key: "Use an API key with full access.",
  account_suspended: "Pay the invoice named in the error message. Requests then work again.",
  ip_not_allowed:
    "If the request was yours, add the IP address to the allow-list named in the error message: the key's list is on its page, the company's under Settings, Access. Otherwise, someone else has the key, so revoke it.",
  invalid_permission:
    "Give the key's creator the privilege named in the error message, or use the key of an admin who has it.",
  invalid_from_address:
    "Send from one of your domains with verified ownership, or use a key that can send from this domain.",
  domain_not_verified:
    "Open the domain's page to see which DNS record is missing. Add it, then check the domain again.",
  account_inactive: "Ask the operator of this Posthouse server to activate the subscription.",
  not_allowed: "See the error message for the rule or limit. A larger plan may allow it.",
  not_found:
    "Check the ID and the path, and that the object belongs to this company. It may have been deleted.",
  method_not_allowed: "Use one of the methods in the response's Allow header.",
  request_timeout:
    "Try again. If it happens repeatedly, check the network between the application and the server.",
  invalid_idempotent_request: "Use a new idempotency key for each new email.",
  concurrent_idempotent_requests: "Wait a second, then send the same request again.",
  resource_in_use: "First remove what still uses the object. The error message names it.",
  already_exists: "Use another address, or update the existing object.",
  payload_too_large: "Send smaller attachments, or split the request into several.",
  unsupported_encoding: "Send the body uncompressed, without a Content-Encoding header.",
  missing_required_field: "Add the field named in the error message.",
  invalid_attachment:
    "Correct the attachment named in the error message. All attachments together can be up to 20 MB.",
  invalid: "Correct what the error message names and try again.",
  rate_limit_exceeded:
    "Wait for the time in the Retry-After header, then send more slowly. A batch of up to 100 emails counts as one request.",
  monthly_quota_exceeded: "Wait until next month or upgrade to a larger plan.",
  too_many_pending: "Verify the ownership of your pending domains, or delete them.",
  application_error:
    "Try again. If it happens repeatedly, contact the operator of this Posthouse server with the request's time.",
  mail_server_error: "Try again in a minute.",
};

/**
 * Explains the error of a logged request. Null without an error, or for an error name that this version
 * doesn't know. The status tells apart errors that share a name.
 */
function explainError(
  error: string | null,
  status: number,
): { meaning: string; remedy: string | null } | null {
  const reason = (Object.keys(refusals) as RefusalReason[]).find(
    (candidate) => refusals[candidate].name === error && refusals[candidate].status === status,
  );
  if (!reason) return null;
  return { meaning: `${ERROR_MEANINGS[reason]}.`, remedy: REMEDIES[reason] ?? null };
}

const Text = z.string().min(1).max(200);

const Moment = momentQuery("must be an RFC 3339 timestamp");

const LogFilters = z
  .object({
    status: z
      .string()
      .regex(/^([245]xx|[1-5]\d\d)$/, "must be a status code such as 404, or 2xx, 4xx or 5xx"),
    method: z.enum(["GET", "POST", "PATCH", "DELETE"]),
    /** Start of the path. */
    endpoint: Text,
    apiKey: z.uuid(),
    /** Part of the user agent. */
    userAgent: Text,
    /** Part of the error's name or message. */
    error: Text,
    /** Start of the client's IP address. */
    address: Text,
    /** Least duration in milliseconds. */
    slowerThan: z.string().regex(/^\d{1,7}$/, "must be a whole number of milliseconds"),
    from: Moment,
    to: Moment,
  })
  .partial()
  .transform(({ status, apiKey: apiKeyId, slowerThan, ...others }): RequestFilters => ({
    ...withoutUndefined(others),
    ...withoutUndefined({ apiKeyId }),
    ...(slowerThan && { slowerThan: Number(slowerThan) }),
    ...(status?.endsWith("xx") && { statusClass: Number(status[0]) }),
    ...(status && !status.endsWith("xx") && { status: Number(status) }),
  }));

/** Which requests to list, and in which order. */
const LogSearchQuery = LogFilters.and(z.object({ sort: sortQuery(["created"], "-created") }));

const shownRequest = (row: RequestLogEntry, keyNames: Map<string, string>) => ({
  id: row.id,
  method: row.method,
  path: row.endpoint,
  status: row.responseStatus,
  error: row.error,
  message: row.message,
  durationMs: row.durationMs,
  clientAddress: row.clientAddress,
  userAgent: row.userAgent,
  apiKey: row.apiKeyId ? { id: row.apiKeyId, name: keyNames.get(row.apiKeyId) ?? null } : null,
  createdAt: consoleTimestamp(row.createdAt),
});

/** Requests made with the company's API keys, with explanations of their errors. */
export const logsConsole = pageEndpoints("console", "logs", {
  list: read({
    privilege: READ_EMAILS,
    query: PageQuery.and(LogSearchQuery),
    async handle({ ctx, query: { limit, after, before, sort, ...filters } }) {
      const { direction } = sort;
      const newest = await getNewestRequestId(ctx);
      const page = await searchRequests(ctx, { limit, after, before, direction }, filters);
      const keyNames = await getKeyNames(
        ctx,
        page.rows.flatMap(({ apiKeyId }) => apiKeyId ?? []),
      );
      const list = await searchedList(page, (row) => shownRequest(row, keyNames));
      return { ...list, newest };
    },
  }),

  export: read({
    privilege: READ_EMAILS,
    query: LogSearchQuery,
    handle({ ctx, query: { sort, ...filters } }) {
      const pages = exportPages((page) => searchRequests(ctx, page, filters), sort.direction);
      return csvDownload("requests.csv", pages, {
        id: ({ id }) => id,
        created_at: ({ createdAt }) => consoleTimestamp(createdAt),
        method: ({ method }) => method,
        path: ({ endpoint }) => endpoint,
        status: ({ responseStatus }) => responseStatus,
        error: ({ error }) => error,
        message: ({ message }) => message,
        duration_ms: ({ durationMs }) => durationMs,
        client_address: ({ clientAddress }) => clientAddress,
        api_key_id: ({ apiKeyId }) => apiKeyId,
        user_agent: ({ userAgent }) => userAgent,
      });
    },
  }),

  get: read({
    privilege: READ_EMAILS,
    params: pathOf("Log not found", { id: z.uuid() }),
    async handle({ ctx, signedIn, params }) {
      const row = await getRequest(ctx, params.id);
      const keyNames = await getKeyNames(ctx, row.apiKeyId ? [row.apiKeyId] : []);
      return {
        ...shownRequest(row, keyNames),
        refusal: explainError(row.error, row.responseStatus),
        ...(signedIn.privileges.has("api_controls")
          ? await getRequestBody(ctx, row.id)
          : { body: null, logging: "not_shown" as const }),
      };
    },
  }),
});

const withoutUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<T>;

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
