/** The address of this machine's listeners on `bind`, formatted for URLs. */
export function localUrlHost(bind: string): string {
  // Listeners on `::` accept IPv4 too, and a container may have no ::1.
  if (bind === "0.0.0.0" || bind === "::") return "127.0.0.1";
  return bind.includes(":") ? `[${bind}]` : bind;
}

/** The address of this machine's listeners on `bind`, for sockets. */
export const localAddress = (bind: string): string => localUrlHost(bind).replace(/^\[|\]$/g, "");
