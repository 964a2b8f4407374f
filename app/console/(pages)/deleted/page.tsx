import type { Metadata } from "next";
import { Suspense } from "react";

import { DeletedItems, DeletedItemsSkeleton } from "./deleted-items.tsx";

export const metadata: Metadata = { title: "Deleted" };

export default function DeletedPage() {
  return (
    <Suspense fallback={<DeletedItemsSkeleton />}>
      <DeletedItems />
    </Suspense>
  );
}
