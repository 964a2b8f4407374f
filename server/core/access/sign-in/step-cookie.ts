import { parseCookie, stringifySetCookie } from "cookie";

import { config } from "#server/config.ts";

/** Each area has its own cookie, so that a browser can sign in to both at the same time. */
type SignInArea = "console" | "account";

const NAMES = { console: "posthouse_step", account: "posthouse_account_step" };

const isHttps = () => config().baseUrl.startsWith("https:");
const cookieName = (area: SignInArea) => (isHttps() ? `__Host-${NAMES[area]}` : NAMES[area]);

/**
 * Set-Cookie value for the token of a sign-in step.
 *
 * @param minutes lifetime; 0 clears the cookie
 */
export const stepCookie = (area: SignInArea, token: string, minutes: number): string =>
  stringifySetCookie({
    name: cookieName(area),
    value: token,
    httpOnly: true,
    maxAge: minutes * 60,
    path: "/",
    sameSite: "strict",
    secure: isHttps(),
  });

/** Reads the step's token from a Cookie header; empty if there is none. */
export const readStepCookie = (area: SignInArea, cookieHeader: string): string =>
  parseCookie(cookieHeader)[cookieName(area)] ?? "";
