"use client";

import { type Failure, PageFailure } from "./page-failure.tsx";
import { DoorLayout } from "./ui/door-layout.tsx";

export default function ConsoleError(failure: Failure) {
  return (
    <DoorLayout>
      <PageFailure {...failure} />
    </DoorLayout>
  );
}
