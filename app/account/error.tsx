"use client";

import { type Failure, PageFailure } from "#app/console/page-failure.tsx";
import { DoorLayout } from "#app/console/ui/door-layout.tsx";

export default function AccountError(failure: Failure) {
  return (
    <DoorLayout>
      <PageFailure {...failure} />
    </DoorLayout>
  );
}
