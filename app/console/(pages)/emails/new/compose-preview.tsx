import { Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";

import { HtmlPreview } from "#app/console/(pages)/emails/html-preview.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import type { ContentKind } from "./content-field.tsx";
import classes from "./compose-preview.module.css";

const DEBOUNCE_MS = 400;

export function ComposePreview({ kind, content }: { kind: ContentKind; content: string }) {
  const [settled] = useDebouncedValue(content, DEBOUNCE_MS);
  return (
    <Panel title="Preview">
      {kind === "text" ? (
        <pre className={classes.text}>{content}</pre>
      ) : settled.trim() === "" ? (
        <Text c="dimmed">Enter HTML to see a preview.</Text>
      ) : (
        <HtmlPreview html={settled} />
      )}
    </Panel>
  );
}
