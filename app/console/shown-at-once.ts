import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";

/**
 * A change that is shown before the server has answered, and taken back when it is refused. Changes of
 * the same query are sent one after the other, in the order they were made, so that the last one is
 * what the server keeps; what it keeps is read once all of them are answered.
 *
 * @param shown what is shown once `change` is made
 */
export function useShownAtOnce<Data, Change>(
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
