import { notifications } from "@mantine/notifications";
import { createElement } from "react";

import { ToastWords } from "./toast-words.tsx";

/** Long enough to read it and to change one's mind. */
const UNDO_MS = 10_000;
const READ_MS = 5_000;

/**
 * Says at the edge of the page that something was done.
 *
 * @param undo takes it back; offered for ten seconds
 */
export function toast(words: string, { undo }: { undo?: () => void } = {}): void {
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
