"use client";

import { type PageErrorProps, PageError } from "./page-error.tsx";
import { DoorLayout } from "./ui/door-layout.tsx";

export default function ConsoleError(failure: PageErrorProps) {
  return (
    <DoorLayout>
      <PageError {...failure} />
    </DoorLayout>
  );
}
