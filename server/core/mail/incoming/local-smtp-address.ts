import type { Config } from "#server/config.ts";

/** Where this machine's own SMTP listener is reached from this machine. */
export function localSmtpAddress({ bind, ports }: Config): { host: string; port: number } {
  const loopback = { "0.0.0.0": "127.0.0.1", "::": "::1" }[bind];
  return { host: loopback ?? bind, port: ports.smtp };
}
