import type { Metadata } from "next";
import { Suspense } from "react";

import { DeletedItems } from "./deleted-items.tsx";
import { DeletedListSkeleton } from "./deleted-list.tsx";

export const metadata: Metadata = { title: "Deleted" };

export default function DeletedPage() {
  return (
    <Suspense fallback={<DeletedListSkeleton />}>
      <DeletedItems />
    </Suspense>
  );
}
