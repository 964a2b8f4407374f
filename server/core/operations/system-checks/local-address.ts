/** The address of this machine's listeners on `bind`, formatted for URLs. */
export function localUrlHost(bind: string): string {
  if (bind === "0.0.0.0") return "127.0.0.1";
  if (bind === "::") return "[::1]";
  return bind.includes(":") ? `[${bind}]` : bind;
}

/** The address of this machine's listeners on `bind`, for sockets. */
export const localAddress = (bind: string): string => localUrlHost(bind).replace(/^\[|\]$/g, "");
