import { queryOptions, useMutation } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { getSetUp } from "#server/console/set-up/get-set-up.ts";
import type { setUp } from "#server/console/set-up/set-up.ts";

type Body = Parameters<typeof setUp.handle>[0]["body"];

export type Server = NonNullable<Answer<typeof getSetUp>["server"]>;

/** Shown after the first company is created. */
export const SERVER_STEP = "/console/set-up?step=server";

export const setUpQuery = (token: string) =>
  queryOptions({
    queryKey: ["set-up", token],
    queryFn: () => call<typeof getSetUp>("POST", "/console/api/set-up/look", { body: { token } }),
  });

export function useSetUp() {
  return useMutation({
    mutationFn: (body: Body) => call<typeof setUp>("POST", "/console/api/set-up", { body }),
  });
}
