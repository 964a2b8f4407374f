import type { Metadata } from "next";
import { Suspense } from "react";

import { TemplatePage, TemplateSkeleton } from "./template-page.tsx";

export const metadata: Metadata = { title: "Template" };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <Suspense fallback={<TemplateSkeleton />}>
      <TemplatePage id={id} />
    </Suspense>
  );
}
