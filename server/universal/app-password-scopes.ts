import type { AppPassword } from "#drizzle/schema/index.ts";

/** What app passwords can be limited to, in the order of the form. */
export const APP_PASSWORD_SCOPES = [
  "all",
  "mail",
  "calendar",
] as const satisfies AppPassword["scope"][];
