import { createElement } from "react";

import { ToastWords } from "./toast-words.tsx";

/** Long enough to read it and to change one's mind. */
const UNDO_MS = 10_000;
const READ_MS = 5_000;

let isAsked = false;
const listeners = new Set<() => void>();

/** For `useSyncExternalStore`: the listener is told of the first toast. */
export function onFirstToast(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const wasToasted = (): boolean => isAsked;

/**
 * Says at the edge of the page that something was done.
 *
 * @param undo takes it back; offered for ten seconds
 */
export function toast(words: string, how: { undo?: () => void } = {}): void {
  isAsked = true;
  for (const listener of listeners) listener();
  void show(words, how);
}

async function show(words: string, { undo }: { undo?: () => void }): Promise<void> {
  const { notifications } = await import("./mantine-notifications.ts");
  const id = notifications.show({
    message: createElement(ToastWords, {
      words,
      ...(undo && {
        onUndo() {
          notifications.hide(id);
          undo();
        },
      }),
    }),
    autoClose: undo ? UNDO_MS : READ_MS,
    withBorder: true,
  });
}
