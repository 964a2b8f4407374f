import { Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";

import { HtmlPreview } from "#app/console/(pages)/emails/html-preview.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import type { Kind } from "./content-field.tsx";
import classes from "./preview.module.css";

/** How long nothing is typed before the preview follows. */
const PAUSE_MS = 400;

/** What is written, as its reader will see it. */
export function Preview({ kind, content }: { kind: Kind; content: string }) {
  const [settled] = useDebouncedValue(content, PAUSE_MS);
  return (
    <Panel title="Preview">
      {kind === "text" ? (
        <pre className={classes.text}>{content}</pre>
      ) : settled.trim() === "" ? (
        <Text c="dimmed">Write HTML, and it is shown here as you type.</Text>
      ) : (
        <HtmlPreview html={settled} />
      )}
    </Panel>
  );
}
