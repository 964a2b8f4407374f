import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";

/**
 * An optimistic update: shows the change before the server answers and rolls it back on an error. Changes
 * to the same query are sent one at a time, in order, so that the last one wins. The query is refetched
 * after the last answer.
 *
 * @param shown returns the data with `change` applied
 */
export function useOptimisticUpdate<Data, Change>(
  queryKey: QueryKey,
  send: (change: Change) => Promise<unknown>,
  shown: (now: Data, change: Change) => Data,
) {
  const client = useQueryClient();
  const isLast = () => client.isMutating({ mutationKey: queryKey, exact: true }) === 1;
  return useMutation({
    mutationKey: queryKey,
    scope: { id: JSON.stringify(queryKey) },
    mutationFn: send,
    onMutate: async (change) => {
      await client.cancelQueries({ queryKey, exact: true });
      const before = client.getQueryData<Data>(queryKey);
      client.setQueryData<Data>(queryKey, (now) => now && shown(now, change));
      return before;
    },
    onError: (_error, _change, before) => {
      if (isLast()) client.setQueryData(queryKey, before);
    },
    onSettled: async () => {
      if (isLast()) await client.invalidateQueries({ queryKey, exact: true });
    },
  });
}
