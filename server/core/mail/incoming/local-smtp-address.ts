import type { Config } from "#server/config.ts";

/** The loopback address of this machine's own SMTP listener. */
export function localSmtpAddress({ bind, ports }: Config): { host: string; port: number } {
  // Listeners on `::` accept IPv4 too, and a container may have no ::1.
  const isWildcard = bind === "0.0.0.0" || bind === "::";
  return { host: isWildcard ? "127.0.0.1" : bind, port: ports.smtp };
}
