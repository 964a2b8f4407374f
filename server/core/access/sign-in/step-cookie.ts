import { config } from "#server/config.ts";

const isHttps = () => config().baseUrl.startsWith("https:");
const cookieName = () => (isHttps() ? "__Host-posthouse_step" : "posthouse_step");

/**
 * The Set-Cookie value that carries a step of signing in: no script reads it, no other site sends it.
 *
 * @param minutes how long the browser keeps it; 0 has it forgotten
 */
export function stepCookie(token: string, minutes: number): string {
  const attributes = [
    `${cookieName()}=${token}`,
    "HttpOnly",
    `Max-Age=${minutes * 60}`,
    "Path=/",
    "SameSite=Strict",
    ...(isHttps() ? ["Secure"] : []),
  ];
  return attributes.join("; ");
}

/** The step that a Cookie header carries; empty without one. */
export function stepOf(cookieHeader: string): string {
  const prefix = `${cookieName()}=`;
  const found = cookieHeader.split("; ").find((pair) => pair.startsWith(prefix));
  return found?.slice(prefix.length) ?? "";
}
