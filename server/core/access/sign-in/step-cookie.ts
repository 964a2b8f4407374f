import { config } from "#server/config.ts";

const isHttps = () => config().baseUrl.startsWith("https:");
const cookieName = () => (isHttps() ? "__Host-posthouse_step" : "posthouse_step");

/**
 * Set-Cookie value for the token of a sign-in step.
 *
 * @param minutes lifetime; 0 clears the cookie
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

/** Reads the step's token from a Cookie header; empty if there is none. */
export function readStepCookie(cookieHeader: string): string {
  const prefix = `${cookieName()}=`;
  const found = cookieHeader.split("; ").find((pair) => pair.startsWith(prefix));
  return found?.slice(prefix.length) ?? "";
}
