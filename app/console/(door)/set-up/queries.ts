import { queryOptions, useMutation } from "@tanstack/react-query";

import { call } from "#app/console/console-client.ts";
import type { getSetUp } from "#server/console/set-up/get-set-up.ts";
import type { setUp } from "#server/console/set-up/set-up.ts";

type Body = Parameters<typeof setUp.handle>[0]["body"];

export const setUpQuery = (token: string) =>
  queryOptions({
    queryKey: ["set-up", token],
    queryFn: () => call<typeof getSetUp>("GET", "/console/api/set-up", { query: { token } }),
  });

export function useSetUp() {
  return useMutation({
    mutationFn: (body: Body) => call<typeof setUp>("POST", "/console/api/set-up", { body }),
  });
}
