"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";

import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";

/** A button that asks for confirmation in a dialog. Long labels wrap on phones. */
export function ConfirmedButton({
  label,
  confirmLabel = label,
  color,
  ...dialog
}: {
  label: string;
  confirmLabel?: string;
  title: string;
  color?: string;
  isHarmless?: boolean;
  onConfirm: () => Promise<unknown>;
  children: ReactNode;
}) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button
        variant="default"
        c={color}
        onClick={open}
        h="auto"
        mih="var(--button-height)"
        py={6}
        styles={{ label: { whiteSpace: "normal", textWrap: "balance", lineHeight: 1.3 } }}
      >
        {label}
      </Button>
      <ConfirmDialog isOpen={isOpen} onClose={close} confirmLabel={confirmLabel} {...dialog} />
    </>
  );
}
