import { parseCookie, stringifySetCookie } from "cookie";

import { config } from "#server/config.ts";

const isHttps = () => config().baseUrl.startsWith("https:");
const cookieName = () => (isHttps() ? "__Host-posthouse_step" : "posthouse_step");

/**
 * Set-Cookie value for the token of a sign-in step.
 *
 * @param minutes lifetime; 0 clears the cookie
 */
export const stepCookie = (token: string, minutes: number): string =>
  stringifySetCookie({
    name: cookieName(),
    value: token,
    httpOnly: true,
    maxAge: minutes * 60,
    path: "/",
    sameSite: "strict",
    secure: isHttps(),
  });

/** Reads the step's token from a Cookie header; empty if there is none. */
export const readStepCookie = (cookieHeader: string): string =>
  parseCookie(cookieHeader)[cookieName()] ?? "";
