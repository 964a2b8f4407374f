import type { ApiRequest } from "#server/http/api-request.ts";

/** Where a request comes from, as a session notes it. */
export const originOf = ({ address, headers }: Pick<ApiRequest, "address" | "headers">) => ({
  clientAddress: address,
  userAgent: headers["user-agent"] ?? null,
});
