import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";

import { errorMessage } from "./ui/errors.tsx";
import { toast } from "./ui/actions.tsx";

/**
 * An optimistic update: shows the change before the server answers. If it fails, rolls it back and says so in a toast.
 * Changes to the same query are sent one at a time, in order, so that the last one wins. The query is refetched after the
 * last answer.
 *
 * @param shown returns the data with `change` applied
 * @returns makes a change; its `onDone` runs even if the component is gone by then
 */
export function useOptimisticUpdate<Data, Change>(
  queryKey: QueryKey,
  send: (change: Change) => Promise<unknown>,
  shown: (now: Data, change: Change) => Data,
) {
  const client = useQueryClient();
  const isLast = () => client.isMutating({ mutationKey: queryKey, exact: true }) === 1;
  const update = useMutation({
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
  return (change: Change, onDone?: () => void) =>
    void update
      .mutateAsync(change)
      .then(onDone, (error: unknown) => toast(errorMessage(error as Error), { isError: true }));
}
