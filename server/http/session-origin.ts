import type { ApiRequest } from "#server/http/api-request.ts";

/** The client address and user agent stored with a session. */
export const sessionOrigin = ({ address, headers }: Pick<ApiRequest, "address" | "headers">) => ({
  clientAddress: address,
  userAgent: headers["user-agent"] ?? null,
});
