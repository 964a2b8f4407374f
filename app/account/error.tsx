"use client";

import { type PageErrorProps, PageError } from "#app/console/page-error.tsx";
import { DoorLayout } from "#app/console/ui/door-layout.tsx";

export default function AccountError(failure: PageErrorProps) {
  return (
    <DoorLayout>
      <PageError {...failure} />
    </DoorLayout>
  );
}
