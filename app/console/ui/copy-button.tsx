"use client";

import { ActionIcon, Button, VisuallyHidden } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";

const CONFIRMED_MS = 1500;

/** @param label what is copied, for tooltips and screen readers: "API key" */
export function CopyButton({ value, label }: { value: string; label: string }) {
  const { copied, copy } = useClipboard({ timeout: CONFIRMED_MS });
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={`Copy ${label}`}
        title={`Copy ${label}`}
        onClick={() => copy(value)}
      >
        {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      </ActionIcon>
      <VisuallyHidden role="status">{copied ? "Copied" : ""}</VisuallyHidden>
    </>
  );
}

/** A Copy button with a visible label, for values that aren't shown beside it. */
export function CopyTextButton({ value, children }: { value: string; children: string }) {
  const { copied, copy } = useClipboard({ timeout: CONFIRMED_MS });
  return (
    <Button
      variant="default"
      leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      onClick={() => copy(value)}
    >
      {copied ? "Copied" : children}
    </Button>
  );
}
