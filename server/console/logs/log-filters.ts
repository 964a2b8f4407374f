import { z } from "zod";

import { momentQuery } from "#server/console/moment-query.ts";

import type { RequestFilters } from "#server/core/access/request-log/search-requests.ts";

const text = z.string().min(1).max(200);
const instant = momentQuery("must be a moment in RFC 3339");

/** Which requests the list shows, as the page's URL says it. */
export const LogFilters = z
  .object({
    status: z
      .string()
      .regex(/^([245]xx|[1-5]\d\d)$/, "must be a status such as 404, or 2xx, 4xx or 5xx"),
    method: z.enum(["GET", "POST", "PATCH", "DELETE"]),
    endpoint: text.describe("How the path begins"),
    api_key: z.uuid(),
    user_agent: text.describe("Part of it"),
    from: instant,
    to: instant,
  })
  .partial()
  .transform(({ status, api_key: apiKeyId, user_agent: userAgent, ...as }): RequestFilters => ({
    ...given(as),
    ...given({ apiKeyId, userAgent }),
    ...(status?.endsWith("xx") && { statusClass: Number(status[0]) }),
    ...(status && !status.endsWith("xx") && { status: Number(status) }),
  }));

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the fields that say nothing. */
const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
