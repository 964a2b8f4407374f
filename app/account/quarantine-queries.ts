import { queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import { useAction } from "#app/console/ui/use-action.ts";
import type { listOwnQuarantine } from "#server/account/quarantine/list-own-quarantine.ts";
import type { releaseOwnQuarantined } from "#server/account/quarantine/release-own-quarantined.ts";

const REFRESH_MS = 15_000;

export type OwnQuarantine = Answer<typeof listOwnQuarantine>;
export type OwnQuarantined = OwnQuarantine["data"][number];

export const ownQuarantineQuery = queryOptions({
  queryKey: ["account", "quarantine"],
  queryFn: () => call<typeof listOwnQuarantine>("GET", "/account/api/quarantine", {}),
  refetchInterval: REFRESH_MS,
});

export const useReleaseOwn = () =>
  useAction({
    call: ({ id }: OwnQuarantined) =>
      call<typeof releaseOwnQuarantined>("POST", "/account/api/quarantine/{id}/release", {
        params: { id },
      }),
    invalidates: [ownQuarantineQuery.queryKey],
    success: "Message released. It will arrive in your inbox in a moment.",
  });
