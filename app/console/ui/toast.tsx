"use client";

import { Button, Group } from "@mantine/core";
import dynamic from "next/dynamic";
import { useSyncExternalStore } from "react";

const READ_MS = 5_000;
const UNDO_MS = 10_000;

const Notifications = dynamic(() =>
  import("./mantine-notifications.ts").then((module) => module.Notifications),
);

let wasToasted = false;
const listeners = new Set<() => void>();

function onFirstToast(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Where toasts appear. Loads Mantine's notifications with the first toast. */
export function Toasts() {
  const isNeeded = useSyncExternalStore(
    onFirstToast,
    () => wasToasted,
    () => false,
  );
  return isNeeded && <Notifications position="bottom-right" />;
}

type ToastOptions = { undo?: () => void; isError?: boolean };

/** @param options.undo reverts the action; offered for ten seconds */
export function toast(text: string, options: ToastOptions = {}): void {
  wasToasted = true;
  for (const listener of listeners) listener();
  void show(text, options);
}

async function show(text: string, { undo, isError = false }: ToastOptions): Promise<void> {
  const { notifications } = await import("./mantine-notifications.ts");
  const id = notifications.show({
    message: (
      <ToastMessage
        text={text}
        {...(undo && {
          onUndo() {
            notifications.hide(id);
            undo();
          },
        })}
      />
    ),
    autoClose: undo || isError ? UNDO_MS : READ_MS,
    ...(isError && { color: "red" }),
    withBorder: true,
    closeButtonProps: { "aria-label": "Dismiss" },
  });
}

function ToastMessage({ text, onUndo }: { text: string; onUndo?: () => void }) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <span>{text}</span>
      {onUndo && (
        <Button size="xs" variant="default" onClick={onUndo} style={{ flexShrink: 0 }}>
          Undo
        </Button>
      )}
    </Group>
  );
}
