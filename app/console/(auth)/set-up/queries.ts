import { queryOptions, useMutation } from "@tanstack/react-query";

import { type AnswerOf, change, type InputOf } from "#app/console/console-client.ts";

type Body = InputOf<"setUp.setUp">["body"];

export type Server = NonNullable<AnswerOf<"setUp.getSetUp">["server"]>;

/** Shown after the first company is created. */
export const SERVER_STEP = "/console/set-up?step=server";

export const setUpQuery = (token: string) =>
  queryOptions({
    queryKey: ["set-up", token],
    queryFn: () => change("setUp.getSetUp", { body: { token } }),
  });

export function useSetUp() {
  return useMutation({
    mutationFn: (body: Body) => change("setUp.setUp", { body }),
  });
}
