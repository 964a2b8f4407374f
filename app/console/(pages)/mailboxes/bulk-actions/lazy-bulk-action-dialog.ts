import dynamic from "next/dynamic";

/** `ssr: false` keeps the list where it is while the dialog is loaded. */
export const LazyBulkActionDialog = dynamic(
  () => import("./bulk-action-dialog.tsx").then((file) => file.BulkActionDialog),
  { ssr: false },
);
