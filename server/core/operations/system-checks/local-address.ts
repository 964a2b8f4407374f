/** An address at which listeners on `bind` are reached from this machine, as in a URL. */
export function localUrlHost(bind: string): string {
  if (bind === "0.0.0.0") return "127.0.0.1";
  if (bind === "::") return "[::1]";
  return bind.includes(":") ? `[${bind}]` : bind;
}

/** The same as sockets take it. */
export const localAddress = (bind: string): string => localUrlHost(bind).replace(/^\[|\]$/g, "");
