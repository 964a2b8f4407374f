import { z } from "zod";

import { momentQuery } from "#server/console/moment-query.ts";
import { sortQuery } from "#server/console/sort-query.ts";
import type { RequestFilters } from "#server/core/access/request-log/request-log.ts";

const text = z.string().min(1).max(200);
const instant = momentQuery("must be an RFC 3339 timestamp");

const LogFilters = z
  .object({
    status: z
      .string()
      .regex(/^([245]xx|[1-5]\d\d)$/, "must be a status code such as 404, or 2xx, 4xx or 5xx"),
    method: z.enum(["GET", "POST", "PATCH", "DELETE"]),
    endpoint: text.describe("Start of the path"),
    api_key: z.uuid(),
    user_agent: text.describe("Part of the user agent"),
    from: instant,
    to: instant,
  })
  .partial()
  .transform(({ status, api_key: apiKeyId, user_agent: userAgent, ...others }): RequestFilters => ({
    ...withoutUndefined(others),
    ...withoutUndefined({ apiKeyId, userAgent }),
    ...(status?.endsWith("xx") && { statusClass: Number(status[0]) }),
    ...(status && !status.endsWith("xx") && { status: Number(status) }),
  }));

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

const withoutUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<T>;

/** Which requests to list, and in which order. */
export const LogSearchQuery = LogFilters.and(
  z.object({ sort: sortQuery(["created"], "-created") }),
);
