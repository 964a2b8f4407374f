import { keepPreviousData, queryOptions, type UseQueryOptions } from "@tanstack/react-query";

import { type AnswerOf, type InputOf, read, type ReadName } from "./console-client.ts";

const LIST_REFRESH_MS = 15_000;

type Settings<N extends ReadName> = Pick<
  UseQueryOptions<AnswerOf<N>>,
  | "enabled"
  | "gcTime"
  | "placeholderData"
  | "refetchInterval"
  | "refetchOnWindowFocus"
  | "retry"
  | "retryDelay"
  | "staleTime"
>;

/**
 * Query options for an endpoint. The key is the noun, the verb and the input: `["groups"]` covers a noun's lists and details,
 * `["groups", "list"]` its lists, `["groups", "get", { params: { address } }]` one group.
 */
export const queryOf = <N extends ReadName>(
  name: N,
  input: InputOf<N>,
  settings: Settings<N> = {},
) =>
  queryOptions({
    ...settings,
    queryKey: [...name.split("."), input] as readonly unknown[],
    queryFn: () => read(name, input),
  });

/** Query options for one page of a list. Shows the previous page until the next has loaded, and refetches regularly. */
export const listOf = <N extends ReadName>(
  name: N,
  { rows, ...query }: Omit<NonNullable<InputOf<N>["query"]>, "limit"> & { rows: number },
  settings: Settings<N> = {},
) =>
  queryOf(name, { query: { ...query, limit: String(rows) } } as unknown as InputOf<N>, {
    refetchInterval: LIST_REFRESH_MS,
    placeholderData: keepPreviousData,
    ...settings,
  });
