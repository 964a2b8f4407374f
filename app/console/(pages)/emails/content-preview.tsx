import { SegmentedControl, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";

import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./content-preview.module.css";
import { HtmlPreview } from "./html-preview.tsx";

const DEBOUNCE_MS = 400;

const KINDS = [
  { value: "html", label: "HTML" },
  { value: "text", label: "Text" },
];

/**
 * An email as it will look. With both versions of the content, the reader chooses one.
 *
 * @param text "" if there is no text version, or if it is generated
 */
export function ContentPreview({
  title = "Preview",
  subject,
  html,
  text,
}: {
  title?: string;
  subject: string;
  html: string;
  text: string;
}) {
  const [kind, setKind] = useState("html");
  const [settled] = useDebouncedValue(html, DEBOUNCE_MS);
  const hasBoth = html.trim() !== "" && text.trim() !== "";
  const showsText = hasBoth ? kind === "text" : html.trim() === "" && text !== "";
  return (
    <Panel
      title={title}
      aside={
        hasBoth && (
          <SegmentedControl
            aria-label="Version of the content"
            size="xs"
            data={KINDS}
            value={kind}
            onChange={setKind}
          />
        )
      }
    >
      <Text fw={600} mb="sm" className={classes.subject}>
        {subject || "No subject"}
      </Text>
      {showsText ? (
        <pre className={classes.text}>{text}</pre>
      ) : settled.trim() === "" ? (
        <Text c="dimmed">Enter content to see a preview.</Text>
      ) : (
        <HtmlPreview html={settled} />
      )}
    </Panel>
  );
}
