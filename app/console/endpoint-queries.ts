import {
  keepPreviousData,
  type QueryKey,
  queryOptions,
  useQuery,
  type UseQueryOptions,
} from "@tanstack/react-query";

import {
  type AnswerOf,
  type InputOf,
  type Noun,
  read,
  type ReadName,
  readUrl,
} from "./console-client.ts";

/** Shows the previous page until the next has loaded, and refetches regularly. */
export const LIST_SETTINGS = { refetchInterval: 15_000, placeholderData: keepPreviousData };

export type QuerySettings<N extends ReadName> = Pick<
  UseQueryOptions<AnswerOf<N>>,
  | "enabled"
  | "gcTime"
  | "meta"
  | "placeholderData"
  | "refetchInterval"
  | "refetchOnWindowFocus"
  | "retry"
  | "retryDelay"
  | "staleTime"
>;

/** The queries of a noun (`"groups"`), of an endpoint (`"groups.list"`), or of one input (`queryOf("groups.get", …)`). */
export type Queries = Noun | ReadName | { queryKey: QueryKey };

export const keyOf = (queries: Queries): QueryKey =>
  typeof queries === "string" ? queries.split(".") : queries.queryKey;

/**
 * Query options for an endpoint. The key is the noun, the verb and the input: `["groups"]` covers a noun's lists and details,
 * `["groups", "list"]` its lists, `["groups", "get", { params: { address } }]` one group.
 */
export const queryOf = <N extends ReadName>(
  name: N,
  input: InputOf<N>,
  settings: QuerySettings<N> = {},
) =>
  queryOptions({
    // `preloadQueries` requests it before the page's scripts have loaded.
    meta: { url: readUrl(name, input) },
    ...settings,
    queryKey: [...keyOf(name), input] as QueryKey,
    queryFn: () => read(name, input),
  });

type List<N extends ReadName> = Omit<NonNullable<InputOf<N>["query"]>, "limit"> & { rows: number };

/** Query options for one page of a list. */
export const listOf = <N extends ReadName>(
  name: N,
  { rows, ...query }: List<N>,
  settings: QuerySettings<N> = {},
) =>
  queryOf(name, { query: { ...query, limit: String(rows) } } as unknown as InputOf<N>, {
    ...LIST_SETTINGS,
    ...settings,
  });

export const useRead = <N extends ReadName>(
  name: N,
  input: InputOf<N>,
  settings: QuerySettings<N> = {},
) => useQuery(queryOf(name, input, settings));
