import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import type { Identity } from "#app/console/second-factors/queries.ts";
import { useAction } from "#app/console/ui/actions.tsx";

const REFRESH_MS = 10_000;

export type Sessions = AnswerOf<"account.sessions.listSessions">;
export type AppPassword = AnswerOf<"account.appPasswords.list">["data"][number];

export const sessionsQuery = queryOf(
  "account.sessions.listSessions",
  {},
  { refetchInterval: REFRESH_MS },
);

export const appPasswordsQuery = queryOf("account.appPasswords.list", {});

/** Deleting an app password ends the sessions that use it. */
const invalidates = [sessionsQuery.queryKey, appPasswordsQuery.queryKey];

export const useEndSession = () =>
  useAction({
    call: (id: string) => change("account.sessions.endSession", { params: { id } }),
    invalidates,
  });

export const useEndMailApps = () =>
  useAction({
    call: (clientAddress: string) =>
      change("account.sessions.endMailAppSessions", {
        body: { clientAddress },
      }),
    invalidates,
  });

export const useEndOthers = () =>
  useAction({
    call: () => change("account.sessions.endOtherSessions", {}),
    invalidates,
  });

export const useCreateAppPassword = () =>
  useAction({
    call: (body: { name: string } & Identity) => change("account.appPasswords.create", { body }),
    invalidates,
  });

export const useDeleteAppPassword = () =>
  useAction({
    call: (id: string) =>
      change("account.appPasswords.delete", {
        params: { id },
      }),
    invalidates,
  });
