"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import { HoldDialog } from "./hold-dialog.tsx";
import type { Subject } from "./queries.ts";

export function HoldButton({ subject }: { subject: Subject & { name: string } }) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Hold
      </Button>
      <HoldDialog isOpen={isOpen} onClose={dialog.close} subject={subject} />
    </>
  );
}
