import { connect } from "node:net";

const TIMEOUT_MS = 3_000;

/**
 * Whether something listens on a port. `unknown`: no reply in time, which also happens when a router doesn't
 * let hosts behind it connect to its public address.
 */
export function probePort(host: string, port: number): Promise<"open" | "refused" | "unknown"> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    const end = (state: "open" | "refused" | "unknown") => {
      socket.destroy();
      resolve(state);
    };
    socket.once("connect", () => end("open"));
    socket.once("timeout", () => end("unknown"));
    socket.once("error", (error: NodeJS.ErrnoException) =>
      end(error.code === "ECONNREFUSED" ? "refused" : "unknown"),
    );
  });
}
