const REASONS: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "no route to its network",
  ETIMEDOUT: "no answer in time",
  EPIPE: "connection closed",
  EADDRNOTAVAIL: "this server doesn't have the address that it should send from",
  ENOENT: "no such socket",
};

/** Describes why a connection failed, in a few words. */
export function describeSocketError(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return REASONS[code] ?? error.message;
}
