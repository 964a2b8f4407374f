import { queryOptions, useMutation } from "@tanstack/react-query";
import type { z } from "zod";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import type { PageApi } from "#server/resources/pages.ts";

type Body = z.input<NonNullable<PageApi["setUp.setUp"]["body"]>>;

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
