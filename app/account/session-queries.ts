import { queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { Identity } from "#app/console/second-factors/queries.ts";
import { useAction } from "#app/console/ui/use-action.ts";
import type { createAppPassword } from "#server/account/app-passwords/create-app-password.ts";
import type { deleteAppPassword } from "#server/account/app-passwords/delete-app-password.ts";
import type { listAppPasswords } from "#server/account/app-passwords/list-app-passwords.ts";
import type { endMailAppSessions } from "#server/account/sessions/end-mail-app-sessions.ts";
import type { endOtherSessions } from "#server/account/sessions/end-other-sessions.ts";
import type { endSession } from "#server/account/sessions/end-session.ts";
import type { listSessions } from "#server/account/sessions/list-sessions.ts";

const REFRESH_MS = 10_000;

export type Sessions = Answer<typeof listSessions>;
export type AppPassword = Answer<typeof listAppPasswords>["data"][number];

export const sessionsQuery = queryOptions({
  queryKey: ["account", "sessions"],
  queryFn: () => call<typeof listSessions>("GET", "/account/api/sessions", {}),
  refetchInterval: REFRESH_MS,
});

export const appPasswordsQuery = queryOptions({
  queryKey: ["account", "app-passwords"],
  queryFn: () => call<typeof listAppPasswords>("GET", "/account/api/app-passwords", {}),
});

/** Deleting an app password ends the sessions that use it. */
const invalidates = [sessionsQuery.queryKey, appPasswordsQuery.queryKey];

export const useEndSession = () =>
  useAction({
    call: (id: string) =>
      call<typeof endSession>("DELETE", "/account/api/sessions/{id}", { params: { id } }),
    invalidates,
  });

export const useEndMailApps = () =>
  useAction({
    call: (clientAddress: string) =>
      call<typeof endMailAppSessions>("POST", "/account/api/sessions/end-mail-apps", {
        body: { client_address: clientAddress },
      }),
    invalidates,
  });

export const useEndOthers = () =>
  useAction({
    call: () => call<typeof endOtherSessions>("POST", "/account/api/sessions/end-others", {}),
    invalidates,
  });

export const useCreateAppPassword = () =>
  useAction({
    call: (body: { name: string } & Identity) =>
      call<typeof createAppPassword>("POST", "/account/api/app-passwords", { body }),
    invalidates,
  });

export const useDeleteAppPassword = () =>
  useAction({
    call: (id: string) =>
      call<typeof deleteAppPassword>("DELETE", "/account/api/app-passwords/{id}", {
        params: { id },
      }),
    invalidates,
  });
