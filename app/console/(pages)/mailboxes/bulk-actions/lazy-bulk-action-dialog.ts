import { onDemand } from "#app/console/ui/on-demand.tsx";

export const LazyBulkActionDialog = onDemand(() =>
  import("./bulk-action-dialog.tsx").then((file) => file.BulkActionDialog),
);
