import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { useAction } from "#app/console/ui/actions.tsx";

const REFRESH_MS = 15_000;

export type OwnQuarantine = AnswerOf<"account.quarantine.list">;
export type OwnQuarantined = OwnQuarantine["data"][number];

export const ownQuarantineQuery = queryOf(
  "account.quarantine.list",
  {},
  { refetchInterval: REFRESH_MS },
);

export const useReleaseOwn = () =>
  useAction({
    call: ({ id }: OwnQuarantined) =>
      change("account.quarantine.release", {
        params: { id },
      }),
    invalidates: [ownQuarantineQuery.queryKey],
    success: "Message released. It will arrive in your inbox in a moment.",
  });
