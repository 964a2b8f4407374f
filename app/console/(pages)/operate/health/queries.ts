import { queryOptions } from "@tanstack/react-query";

import { type AnswerOf, read } from "#app/console/console-client.ts";

const REFRESH_MS = 5_000;

export type Health = AnswerOf<"operate.getHealth">;
export type Process = Health["processes"][number];

export const healthQuery = queryOptions({
  queryKey: ["operate", "health"],
  queryFn: () => read("operate.getHealth", {}),
  refetchInterval: REFRESH_MS,
});
