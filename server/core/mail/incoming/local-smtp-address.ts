import type { Config } from "#server/config.ts";

/** The loopback address of this machine's own SMTP listener. */
export function localSmtpAddress({ bind, ports }: Config): { host: string; port: number } {
  const loopback = { "0.0.0.0": "127.0.0.1", "::": "::1" }[bind];
  return { host: loopback ?? bind, port: ports.smtp };
}
