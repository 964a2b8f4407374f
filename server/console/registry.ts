import type { AnyEndpoint } from "#server/http/endpoint.ts";

import { getEmail } from "./emails/get-email.ts";
import { listEmailEvents } from "./emails/list-email-events.ts";
import { listEmails } from "./emails/list-emails.ts";
import { getMe } from "./sessions/get-me.ts";
import { signIn } from "./sessions/sign-in.ts";
import { signOut } from "./sessions/sign-out.ts";
import { getSetUp } from "./set-up/get-set-up.ts";
import { setUp } from "./set-up/set-up.ts";

/** Every endpoint of the console's own API, all under `/console/api`. */
export const endpoints: AnyEndpoint[] = [
  getSetUp,
  setUp,
  signIn,
  signOut,
  getMe,
  listEmails,
  getEmail,
  listEmailEvents,
];
