import { toast } from "#app/console/ui/toast.tsx";
import type { Selection } from "#app/console/ui/selection.tsx";

import { type SuppressionRow, useRemoveSuppressions, useRestoreSuppressions } from "./queries.ts";

/**
 * Removes suppressions, with Undo.
 *
 * @returns also the IDs of those being removed, which are no longer shown
 */
export function useRemove(selection: Selection<SuppressionRow>) {
  const removal = useRemoveSuppressions();
  const restoration = useRestoreSuppressions();

  function restore(undo: string, name: string) {
    restoration.mutate(undo, {
      onSuccess: () => toast(`${name} suppressed again`),
      onError: (error) => toast(`Couldn’t undo the removal. ${error.message}`),
    });
  }

  function remove(ids: string[], name: string) {
    selection.setChosen(new Map());
    removal.mutate(ids, {
      onSuccess: ({ undo }) =>
        toast(`${name} removed from the suppression list`, { undo: () => restore(undo, name) }),
    });
  }

  return {
    remove,
    removing: new Set(removal.isPending ? removal.variables : []) as ReadonlySet<string>,
    error: removal.error,
  };
}
