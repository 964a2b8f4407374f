"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";

import { ConfirmDialog } from "./confirm-dialog.tsx";

/**
 * A button that asks for confirmation in a dialog. Long labels wrap on phones.
 *
 * @param name accessible name, where several buttons have the same label
 */
export function ConfirmedButton({
  label,
  name,
  confirmLabel = label,
  color,
  size,
  ...dialog
}: {
  label: string;
  name?: string;
  confirmLabel?: string;
  title: string;
  color?: string;
  size?: "xs";
  isHarmless?: boolean;
  onConfirm: () => Promise<unknown>;
  children: ReactNode;
}) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button
        variant="default"
        aria-label={name}
        c={color}
        size={size}
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
