import { Button, Group } from "@mantine/core";

/** What a toast says, with the way back where there is one. */
export function ToastWords({ words, onUndo }: { words: string; onUndo?: () => void }) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <span>{words}</span>
      {onUndo && (
        <Button size="xs" variant="default" onClick={onUndo}>
          Undo
        </Button>
      )}
    </Group>
  );
}
